"""Writes docs/experiments.md: every experiment with its command, its price and what differs, from the files themselves.

python docs/make_experiments.py
"""

from pathlib import Path

from multihop.evaluation.totals import total
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
}
LM = {"ours-retrieval": "lexical", "ours-answers": "local"}

LEAD = """\
# Experiments

Every table and figure of four papers that a program of this library can make, as a file with the published figures
cell by cell, and one command that runs it and prints ours beside them. This page is made from those files by `python
docs/make_experiments.py`, and a test checks that it is up to date.

```bash
multihop experiments                                     # all of them, and what each takes
multihop experiments tor-table-2                         # one: its rows as programs, its published figures
multihop reproduce tor-table-2 --lm openai/gpt-4o-mini --dry-run       # what would be asked, and nothing asked
multihop reproduce tor-table-2 --lm openai/gpt-4o-mini --limit 50 --rows ToR IRCoT --max-calls 5000 --out runs/tor-2
```

The last command can be given again: it does only what is missing, wherever it was killed, and with a higher `--limit`
it goes on. `runs/tor-2` then holds `experiment.toml`, a run folder for each row and question set, and the table as
`table.md` and `table.json` ([records.md](records.md#tablejson)): published, ours with its 95 % interval, the
difference, LM calls and tokens a question, and what was paid. A row that lies there and was made with other settings,
another LM, retriever or data is refused, never joined.

**Without a key**: `--lm local` or `--lm lexical`, and `--questions world` for the generated world. The first line of
such a table, on the screen and in the file, says that it is no reproduction: which LM answered, what was asked in the
place of which set, how many questions, what searched, over which passages. `--lm simulated` says SIMULATED before all
else.

**Questions and corpus.** The files name the sets on the hub (`hub:hotpotqa`), whose questions bring paragraphs of
their own. A paper's corpus is given as an index: `--corpus hotpotqa=indexes/wiki18 --corpus musique=indexes/wiki21`,
made with `multihop index`. `--questions SET=FILE` asks another file, such as the 500 questions of IRCoT. `--train
FILE` is where demonstrations are made from, as many a step as the paper shows; without it none are shown, and the
first line says so.

**LMs.** `--lm` answers everywhere; an LM that a file names for single steps, such as ReSP's larger one, is given as
`--other-lm Llama3-70B-Instruct=openai/...`. Judged accuracy ("Acc") takes `--judge-lm`. LMs decode as the paper says,
unless `--temperature` or `--lm-set` says otherwise. An LM on a server of your own is `NAME@ADDRESS`, such as
`openai/llama3-70b@http://host:8000/v1`; `--api-base` is the server of all that name none, and `--lms lms.toml`
describes several LMs with their servers and parameters ([cost-and-cache.md](cost-and-cache.md#several-lms)).

**Which questions.** Where a paper draws questions at random, the file says `offset`, `sample` and `sample_seed` for the
set: the questions are drawn by their ids, so that they are the same on every machine. `--offset`, `--sample` and
`--sample-seed` draw otherwise, `--limit` asks only the first so many of them. A file with the drawn questions alone is
given with `--questions SET=FILE --offset 0`.

**Several runs.** Where a paper gives means over several runs (MZQA's are over three), every row is asked as often, each
time with another seed, and the table shows the mean with the lowest and the highest run, as 40.1 [38.9, 41.2];
`--repeats 1` asks once. A file says so with `runs` for all rows, or with `repeats` for one.

**A table of one's own** is the same kind of file: `multihop reproduce my-table.toml`. Copy one of
[experiments/tables/](../multihop/experiments/tables): `columns` name a question set and a figure (any metric of
`evaluate`, "judged", "calls", "tokens", "seconds", "chain", "retrievals", "calls:STEP", "count:NAME" for a method's
own counter, or two of these as "A/B"), `[[rows]]` a program with its settings and the published figures, one a
column, "–" for none. A row's `search` names what searches in it alone: a retriever, "gold" for the gold passages and
nothing else, or "mixed" for all of them among what is retrieved.

**The price** below is the most that can be asked: the programs' own bounds (`Program.most_calls`), times all
questions of all sets, as often as they are asked. A search stays far below its bound: the papers count 16.9 reviews
for ToR, which may make 65, and 139 to 172 calls for MZQA, which may make 821.
"""


def page() -> str:
    """The whole page."""
    parts = [LEAD]
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
    lines = [
        f"### {experiment.name}",
        "",
        f"{experiment.title}: {', '.join(shown)}.",
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
    """What to type for the whole table."""
    folder = f"runs/{experiment.name}"
    if experiment.name in LM:
        return f"multihop reproduce {experiment.name} --lm {LM[experiment.name]} --data ../shared/data --out {folder}"
    options = ["--lm openai/MODEL"]
    options += [f'--other-lm "{lm}=openai/MODEL"' for lm in dict.fromkeys(
        lm for row in experiment.rows for lm in row.step_lms.values()
    )]  # fmt: skip
    if "judged" in metrics_needed(experiment.measure(row, c) for row in experiment.rows for c in experiment.columns):
        options.append("--judge-lm openai/MODEL")
    if experiment.shots or any(row.shots for row in experiment.rows):
        options += [f"--train {name}=hub:{name}:train" for name in experiment.sets]
    options += [f"--corpus {name}=INDEX" for name in experiment.sets]
    return " \\\n    ".join([f"multihop reproduce {experiment.name} {options[0]}", *options[1:], f"--out {folder}"])


if __name__ == "__main__":
    PAGE.write_text(page())
