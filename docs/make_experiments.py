"""The page of experiments as the site has it: docs/experiments.md, then each with its command, price and differences.

`python docs/make_experiments.py` prints it; docs/make_site.py puts it into the site.
"""

import sys
from pathlib import Path

from multihop.evaluation.report.totals import total
from multihop.experiments import Experiment, experiment_names, open_experiment
from multihop.experiments.figures import head, metrics_needed
from multihop.experiments.planning import plan_runs
from multihop.experiments.pricing import price

PAGE = Path(__file__).with_name("experiments.md")
PAPERS = {
    "tor": "Tree of Reviews",
    "efficientrag": "EfficientRAG",
    "resp": "ReSP",
    "mzqa": "MZQA",
    "ours": "Our own dev tables",
    "real": "With small real LMs",
}
REAL = ("reading", "methods", "compile", "sizes")
LM = {
    "ours-retrieval": "lexical",
    "ours-answers": "local",
    **{f"real-{name}": "gguf:qwen2.5-coder-1.5b.gguf" for name in REAL},
}
OTHER_LMS = {"135M": "gguf:smollm2-135m.gguf", "0.5B": "gguf:qwen2.5-coder-0.5b.gguf"}


def page() -> str:
    """The whole page."""
    parts = [PAGE.read_text(encoding="utf-8")]
    for paper, title in PAPERS.items():
        found = [open_experiment(name) for name in experiment_names() if name.startswith(f"{paper}-")]
        parts += [
            f"## {title}",
            "",
            "| experiment | place | rows | questions | LM calls at most |",
            "| --- | --- | ---: | ---: | ---: |",
        ]
        parts += [_priced(each) for each in found]
        parts.append("")
        for each in found:
            parts += _described(each)
    return "\n".join(parts)


def _priced(experiment: Experiment) -> str:
    prices = [price(run, counts=False) for run in plan_runs(experiment, experiment.sets)]
    questions, calls = total(one.questions for one in prices), total(one.most_calls for one in prices)
    link = f"[{experiment.name}](#{experiment.name})"
    return f"| {link} | {experiment.place} | {len(experiment.rows)} | {questions:,} | {calls:,} |"


def _described(experiment: Experiment) -> list[str]:
    told = {
        "LM": experiment.lm or " and ".join(dict.fromkeys(c.lm for c in experiment.columns if c.lm)) or None,
        "retriever": experiment.retriever,
        "corpus": experiment.corpus,
        "questions": experiment.questions,
        "demonstrations": str(experiment.shots) if experiment.shots else None,
        "runs": f"the mean of {experiment.runs}" if experiment.runs > 1 else None,
        "judge": experiment.judge,
    }
    shown = dict.fromkeys(
        column.title or head(experiment.measure(row, column)._replace(metric=column.metric, hops=None))
        for column in experiment.columns
        for row in experiment.rows[:1]
    )
    preset = f" Preset `{experiment.preset}`." if experiment.preset else ""
    lines = [
        f"### {experiment.name}",
        "",
        f"{experiment.title}: {', '.join(shown)}.{preset}",
        "",
        "```bash",
        _command(experiment),
        "```",
        "",
    ]
    source = "; ".join(f"{name} {text}" for name, text in told.items() if text)
    lines += [f"Published with: {source}.", ""] if source else []
    differs = [*experiment.differs, *(f"{row.name}: {row.differs}." for row in experiment.rows if row.differs)]
    return [*lines, "What differs here:", "", *(f"- {each}" for each in differs), ""]


def _command(experiment: Experiment) -> str:
    """The command for the whole table."""
    folder = f"runs/{experiment.name}"
    others = [lm for lm in experiment.lm_names if lm != experiment.main_lm]
    if experiment.name in LM:
        options = [f"--lm {lm}={OTHER_LMS[lm]}" for lm in others if lm in OTHER_LMS]
        first = f"multihop reproduce {experiment.name} --lm {LM[experiment.name]} --data ../shared/data"
        return " \\\n    ".join([*(first, *options), f"--out {folder}"]) if options else f"{first} --out {folder}"
    options = [] if experiment.main_lm is None and others else ["--lm openai/MODEL"]
    options += [f'--lm "{lm}=openai/MODEL"' for lm in others]
    if "judged" in metrics_needed(experiment.measure(row, c) for row in experiment.rows for c in experiment.columns):
        options.append("--judge-lm openai/MODEL")
    if experiment.shots or any(row.shots for row in experiment.rows):
        options += [f"--train {name}=hub:{name}:train" for name in experiment.sets]
    options += [f"--corpus {name}=INDEX" for name in experiment.sets]
    return " \\\n    ".join([f"multihop reproduce {experiment.name} {options[0]}", *options[1:], f"--out {folder}"])


if __name__ == "__main__":
    sys.stdout.write(page())
