"""The site's page of the papers' tables, each with its command, its price and what differs from the paper.

`python docs/make_experiments.py` prints it; docs/make_site.py puts it into the site.
"""

import shlex
import sys

from multihop.evaluation.summary import total
from multihop.experiments import Experiment, experiment_names, open_experiment
from multihop.experiments.figures import head, metrics_needed
from multihop.experiments.plan import plan_runs, price

PLACE = "experiments.md"
HEAD = """# Papers' tables

Every table and figure of the four papers that can be run here, and our own, each with the commands that get its
corpora, index them as the paper does, and run it. How to run one, and what the options mean: [Reproduce a
paper](guide/reproduce.md). `IRCOT` is the folder of [IRCoT's repository](https://github.com/StonyBrookNLP/ircot)
after its downloads, `ATLAS` the one with the December 2021 passages of
[Atlas](https://github.com/facebookresearch/atlas).
"""
PAPERS = {
    "tor": "Tree of Reviews",
    "efficientrag": "EfficientRAG",
    "resp": "ReSP",
    "mzqa": "MZQA",
    "protocol": "Protocols that papers share",
    "zero": "A board to beat",
    "real": "With small real LMs",
    "cloned": "Clones of our own",
}
REAL = ("reading", "methods", "compile", "sizes")
LM = {
    "zero-token": "local",
    **{f"real-{name}": "server/qwen2.5-coder-1.5b@http://localhost:8080/v1" for name in REAL},
    "cloned-planners": "local",
    "cloned-thinkers": "local",
}
ENCODERS = {
    "Contriever": "--retriever dense --encoder facebook/contriever",
    "Contriever-MSMARCO": "--retriever dense --encoder facebook/contriever-msmarco",
    "E5-base-v2": "--retriever dense --encoder intfloat/e5-base-v2 "
    '--query-prefix "query: " --passage-prefix "passage: "',
    "BM25 (Elasticsearch)": "",
}
"""For each published retriever the options of `multihop index` that build it."""
WIKIPEDIA = {"2018": "wiki18", "2021": "wiki21"}
FROM = {"wiki21": " --from ATLAS", "ircot": " --from IRCOT"}
"""For the beginning of a corpus's name the folder that it is made of."""
SMALL = "server/smollm2-135m@http://localhost:8081/v1"
CLONE = "server/CLONE@http://localhost:8000/v1"
OTHER_LMS = {
    "135M": SMALL,
    "0.5B": "server/qwen2.5-coder-0.5b@http://localhost:8082/v1",
    "before": SMALL,
    "planner before": SMALL,
    **{f"planner of {name}": CLONE for name in ("HotpotQA", "2WikiMultiHopQA", "MuSiQue")},
    **{f"cloned {role}": CLONE for role in ("thinker", "agent")},
}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
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
    return f"| {link} | {experiment.place} | {len(experiment.rows)} | {_number(questions)} | {_number(calls)} |"


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


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
        *_build_lines(experiment),
        _command(experiment),
        "```",
        "",
    ]
    source = "; ".join(f"{name} {text}" for name, text in told.items() if text)
    lines += [f"Published with: {source}.", ""] if source else []
    differs = [*experiment.differs, *(f"{row.name}: {row.differs}." for row in experiment.rows if row.differs)]
    return [*lines, "What differs here:", "", *(f"- {each}" for each in differs), ""]


def _build_lines(experiment: Experiment) -> list[str]:
    """The commands that get the corpora of the paper, or what comes nearest, and index each once as the paper does."""
    lines: dict[str, None] = {}
    for each in experiment.sets.values():
        if each.over is not None:
            lines |= dict.fromkeys(
                f"multihop data get {name} --to data/{name}" for name in (each.questions.partition("/")[0], each.over)
            )
    if lines or experiment.retriever is None:
        return [*lines]
    for name in experiment.sets:
        corpus, index = _corpus(experiment, name), _index(experiment, name)
        copied = next((option for begin, option in FROM.items() if corpus.startswith(begin)), "")
        lines[f"multihop data get {corpus}{copied} --to data/{corpus}"] = None
        built = " ".join(filter(None, (f"multihop index data/{corpus}/corpus.jsonl", ENCODERS[experiment.retriever])))
        lines[f"{built} --to {index}" if len(built) < 80 else f"{built} \\\n    --to {index}"] = None
    return [*lines]


def _corpus(experiment: Experiment, name: str) -> str:
    """The name by which `multihop data get` knows the corpus of a set."""
    published = experiment.corpus or ""
    if published.startswith("IRCoT"):
        return f"ircot-{name}"
    if not published.startswith("Wikipedia"):
        return name
    return WIKIPEDIA["2021" if name == "musique" else "2018"]


def _index(experiment: Experiment, name: str) -> str:
    """The folder of the index of a set's corpus."""
    return f"indexes/{_corpus(experiment, name)}/{(experiment.retriever or '').partition(' ')[0].lower()}"


def _command(experiment: Experiment) -> str:
    """The command for the whole table."""
    folder = f"runs/{experiment.name}"
    others = [lm for lm in experiment.lm_names if lm != experiment.main_lm]
    if experiment.name in LM:
        options = [f"--lm {shlex.quote(f'{lm}={OTHER_LMS[lm]}')}" for lm in others if lm in OTHER_LMS]
        first = f"multihop reproduce {experiment.name} --lm {LM[experiment.name]} --data ../shared/data"
        return " \\\n    ".join([*(first, *options), f"--out {folder}"]) if options else f"{first} --out {folder}"
    if any(each.over for each in experiment.sets.values()):
        return f"multihop reproduce {experiment.name} --lm openai/MODEL --data data --out {folder}"
    options = [] if experiment.main_lm is None and others else ["--lm openai/MODEL"]
    options += [f'--lm "{lm}=openai/MODEL"' for lm in others]
    if "judged" in metrics_needed(experiment.measure(row, c) for row in experiment.rows for c in experiment.columns):
        options.append("--judge-lm openai/MODEL")
    if experiment.shots or any(row.shots for row in experiment.rows):
        options += [f"--train {name}=hub:{name}:train" for name in experiment.sets]
    whole = [name for name, each in experiment.sets.items() if not each.asking]  # a part of a set may lack the cases
    asked = [name for name in whole if _corpus(experiment, name).startswith("ircot")]
    options += [f"--questions {name}=data/ircot-{name}/test.jsonl" for name in asked]
    options += [f"--corpus {name}={_index(experiment, name)}" for name in experiment.sets]
    return " \\\n    ".join([f"multihop reproduce {experiment.name} {options[0]}", *options[1:], f"--out {folder}"])


if __name__ == "__main__":
    sys.stdout.write(page())
