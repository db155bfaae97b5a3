"""The control flow of the papers' methods under a simulated LM: calls, pruning, savings, and how long a question waits.

The LM knows the gold and errs at a given rate, so these numbers tell nothing of a model's quality. Each name prints
one table of a page, and the same one each time:

    python benchmarks/searches.py tor                    # Tree of Reviews: tables 5 and 6
    python benchmarks/searches.py errors                 # its tree against a chain, as errors grow
    python benchmarks/searches.py resp                   # ReSP against IRCoT: over-planning, repetition
    python benchmarks/searches.py passages               # the same as more passages are retrieved
    python benchmarks/searches.py mzqa                   # MZQA: savings, and other searches with the same prompts
    python benchmarks/searches.py rules                  # rules that end a search early, with `local`
    python benchmarks/searches.py clock                  # seconds a question, against its longest chain of calls
    python benchmarks/searches.py tor --questions 30     # a quick look

The sets are in --shared; `clock` asks the little encyclopedia. Its clock passes at once what is waited for, and counts
the processor's work for this process, so that it shows nearly the same on a machine with other work to do.
"""

import argparse
import asyncio
import selectors
import statistics
import sys
import time
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import dspy
import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated import simulated

from multihop import BM25, PROGRAMS, Little, create, evaluate, local, open_corpus, open_questions
from multihop.evaluation.statistics import mean_of
from multihop.runtime import settings_of

SETS = {"hotpotqa": "HotpotQA", "2wikimultihopqa": "2WikiMultiHopQA", "musique": "MuSiQue"}
LATENCY = 0.2

TREE: dict[str, dict[str, Any]] = {
    "ToR": {},
    "without repetition pruning": {"pruning": ["relevance"]},
    "without relevance pruning": {"pruning": ["repetition"]},
    "without both": {"pruning": []},
    "depth 2": {"depth": 2, "widths": [5, 3]},
    "depth 4": {"depth": 4, "widths": [5, 3, 3, 3]},
    "widths 10, 5, 3": {"widths": [10, 5, 3]},
    "depth-first": {"order": "depth-first"},
}
SAVINGS: dict[str, dict[str, Any]] = {
    'mzqa, every call made (`reuse="none"`)': {"reuse": "none"},
    'mzqa, same call after same history (`"transitions"`)': {},
    'mzqa, self-contained answers shared (`"self-contained"`)': {"reuse": "self-contained"},
    "mzqa, exploration 0.2": {"exploration": 0.2},
}
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("tot-bfs", {}),
    ("tot-bfs", {"breadth": 5}),
    ("tot-dfs", {}),
    ("tot-dfs", {"threshold": 0.7}),
    ("mzqa-bc", {}),
    ("tot-bfs", {"thought": "sentence"}),
    ("tot-dfs", {"thought": "sentence"}),
    ("rap", {"retrieval": True}),
    ("lats-mzqa", {}),
    ("lats", {}),
]
CHAINS = ("iter-retgen", "self-ask", "react", "ircot", "decomp", "cor", "resp")
CLOCKED: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ("one-step", "recomp", "replug", "sure", "decompose", *CHAINS)),
    *(("tor", {"order": order}) for order in ("by-level", "depth-first")),
    *(("mzqa", settings) for settings in ({"concurrency": 1}, {"parallel": 1}, {"parallel": 4}, {"parallel": 8})),
]

RULED: list[tuple[str, dict[str, Any], int, int]] = [
    *((name, {}, 32, 3) for name in ("ircot", "resp", "tor")),
    *((name, {}, 8, 2) for name in ("cor", "iter-retgen", "self-ask", "react", "decomp")),
    ("mzqa", {"iterations": 6, "depth": 3, "candidates": 3}, 8, 2),
]
"""Each with its settings, and of how many questions of how many sets."""


def tor(sets):
    """Reviews (the paper's #API), calls, paragraphs, evidence, recall and F1 of the settings of its tables 5 and 6."""
    yield "setting", "#API", "calls", "#Doc", "#Evidence", "recall@15", "F1"
    for name, retriever, questions in sets:
        lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
        for label, settings in TREE.items():
            summary = run("tor", retriever, questions, lm, **settings)
            reviews, *counts = (summary["counts"].get(count, 0) for count in ("reviews", "documents", "evidence"))
            named = label if len(sets) == 1 else f"{label}, {name}"
            yield named, reviews, calls(summary), *counts, score(summary, "recall@15"), score(summary)


def errors(sets):
    """F1 of `tor` and `cor` as errors grow, and their recall at one of the rates."""
    found = {}
    yield "error rate", *(name for name, *_ in sets)
    for rate in (0.0, 0.05, 0.1, 0.2, 0.3):
        for name, retriever, questions in sets:
            lm = simulated(questions, iter(retriever), error_rate=rate, distraction=0.5, known=0.0)
            found[rate, name] = [run(program, retriever, questions, lm) for program in ("tor", "cor")]
        yield f"{rate:.2f}", *(beside(map(score, found[rate, name])) for name, *_ in sets)
    yield "0.10, recall@15", *(beside(score(each, "recall@15") for each in found[0.1, name]) for name, *_ in sets)


def resp(sets):
    """Retrievals made after all gold was found, and queries asked again, of `ircot` and `resp`."""
    yield "set", "error rate", "over-planning", "repeated retrievals", "refused by the no-repeat rule", "calls", "F1"
    for name, retriever, questions in sets:
        for rate in (0.1, 0.2, 0.3):
            lm = simulated(questions, iter(retriever), error_rate=rate, distraction=0.1, known=0.0)
            both = [run(program, retriever, questions, lm) for program in ("ircot", "resp")]
            planned, repeated, (_, refused) = (
                [each["counts"].get(count, 0) for each in both] for count in ("over_planning", "repeated", "refused")
            )
            cells = [beside(planned, 2), beside(repeated, 2), f"{refused:.2f}", beside(map(calls, both), 2)]
            yield name, f"{rate:.1f}", *cells, beside(map(score, both))


def passages(sets):
    """F1 as more passages are retrieved."""
    numbers = (3, 5, 10, 15)
    yield "set", "program", *(f"k={k}" for k in numbers)
    for name, retriever, questions in sets:
        lm = simulated(questions, iter(retriever), error_rate=0.1, distraction=0.1, known=0.0)
        for program in ("one-step", "ircot", "resp"):
            yield name, program, *(score(run(program, retriever, questions, lm, k=k)) for k in numbers)


def mzqa(sets):
    """The calls and F1 of a question with each saving, and of other searches with the same prompts."""
    yield "search", *(name for name, *_ in sets)
    lms = [simulated(questions, iter(retriever), error_rate=0.1, known=0.0) for _, retriever, questions in sets]
    rows = [(label, "mzqa", settings) for label, settings in SAVINGS.items()]
    rows += [(f"{program} {written(settings)}", program, settings) for program, settings in SEARCHES]
    for label, program, settings in rows:
        summaries = [run(program, *asked, lm, **settings) for (_, *asked), lm in zip(sets, lms, strict=True)]
        yield label, *(beside([calls(summary), score(summary)]) for summary in summaries)


def rules(sets):
    """F1 and calls without and with the rules that end a search early, paired by question; `local` answers."""
    yield "program", "questions", "F1", "with rules", "difference", "calls", "with rules", "saved"
    lm = local()
    for name, settings, count, how_many in RULED:
        sides = []
        for stops in ({"stops": ()}, {}):
            with dspy.context(lm=lm):
                runs = [
                    evaluate(create(name, retriever, **stops, **settings), questions[:count], concurrency=16)
                    for _, retriever, questions in sets[:how_many]
                ]
            rows = sorted((set_, row["id"], row) for set_, each in enumerate(runs) for row in each.rows())
            sides.append([(row["metrics"]["f1"], row["cost"]["calls"]) for *_, row in rows])
        (f1, without), (ruled, with_rules) = (np.array(side).T for side in sides)
        change, few = mean_of("change", ruled - f1), with_rules.mean() / without.mean()
        ends = f" [{100 * change.low:+.1f}, {100 * change.high:+.1f}]" if change.low is not None else ""
        means = [f"{side.mean():.2f}" for side in (without, with_rules)]
        difference = f"{100 * change.mean:+.1f}{ends if (ruled != f1).any() else ''}"
        label = ", ".join([name, *(f"{value} {key}" for key, value in settings.items())])
        yield label, len(f1), 100 * f1.mean(), 100 * ruled.mean(), difference, *means, f"{100 * (1 - few):.0f} %"


def clock(questions):
    """Seconds of the first eight questions one by one, and of the first 32 at once; of MZQA of three one by one."""
    little = Little()
    retriever, asked = BM25.build(little.passages()), list(islice(little.questions(), questions))
    lm = simulated(asked, iter(retriever), error_rate=0.1, known=0.0, latency=LATENCY)
    yield "program", "calls", "longest chain", "seconds a question", "x its chain", "seconds of 32", "x their longest"
    for name, settings in CLOCKED:
        program = as_published(name, retriever, **{"concurrency": 256, **settings})
        alone, crowd = (3, 0) if name == "mzqa" else (8, 32)
        with asyncio.Runner(loop_factory=FairLoop) as runner:
            figures = runner.run(waits(program, asked[:alone], asked[:crowd], lm))
        yield f"{name} {written(settings)}", *figures


async def waits(program, alone, crowd, lm):
    """The cells of a row of `clock`."""
    now, spent = asyncio.get_running_loop().time, []
    with dspy.context(lm=lm, trace=None, disable_history=True):
        for question in alone:
            started = now()
            cost = (await program.acall(question=question.question)).cost
            spent.append((cost["calls"], cost["chain"], now() - started, (now() - started) / cost["chain"] / LATENCY))
        cells = [f"{statistics.mean(column):.2f}" for column in zip(*spent, strict=True)]
        if not crowd:
            return *cells, "", ""
        started = now()
        answers = await asyncio.gather(*(program.acall(question=question.question) for question in crowd))
        seconds = now() - started
    return *cells, f"{seconds:.2f}", f"{seconds / LATENCY / max(each.cost['chain'] for each in answers):.2f}"


class FairSelector(selectors.SelectSelector):
    """Waits for nothing but threads."""

    waited, threads = 0.0, 0

    def select(self, timeout=None):
        if self.threads:
            return super().select(0.0005)
        events = super().select(0)
        if not events and timeout:
            self.waited += timeout
        return events


class FairLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is what was waited and what the processor worked for this process."""

    def __init__(self):
        self.fair = FairSelector()
        super().__init__(self.fair)

    def time(self):
        return self.fair.waited + time.process_time()

    def run_in_executor(self, executor, work, *arguments):
        future = super().run_in_executor(executor, work, *arguments)
        self.fair.threads += 1
        future.add_done_callback(self._thread_is_done)
        return future

    def _thread_is_done(self, _):
        self.fair.threads -= 1


def as_published(program, retriever, **settings):
    """The program without our rules that end a search early: the control flow of its paper."""
    rules = {"stops": ()} if "stops" in settings_of(PROGRAMS[program]) else {}
    return create(program, retriever, **rules, **settings)


def run(program, retriever, questions, lm, **settings):
    """The summary of one program on the questions."""
    with dspy.context(lm=lm):
        return evaluate(as_published(program, retriever, **settings), questions, concurrency=16).summary


def calls(summary):
    return summary["cost"]["calls"]["mean"]


def score(summary, metric="f1"):
    return 100 * summary["metrics"][metric]["mean"]


def written(settings):
    return ", ".join(f"{key}={value}" for key, value in settings.items())


def beside(numbers, digits=1):
    """Numbers of one cell."""
    return " / ".join(f"{each:.{digits}f}" for each in numbers)


def line(cells):
    """A line of a table."""
    return f"| {' | '.join(f'{each:.1f}' if isinstance(each, float) else f'{each}'.strip() for each in cells)} |"


@cache
def index(name, shared):
    """The corpus of a set over BM25."""
    return BM25.build(open_corpus(shared / f"{name}.corpus.jsonl.gz"), titles=name != "musique")


def opened(names, shared, count):
    """Of each set its title, its index, and its first questions."""
    if not shared.is_dir():
        raise SystemExit(f"there are no question sets in {shared}; give their folder with --shared")
    asked = {name: list(open_questions(shared / f"{name}.dev.jsonl.gz", limit=count)) for name in names}
    return [(SETS[name], index(name, shared), questions) for name, questions in asked.items()]


def main(arguments=None):
    tables = {each.__name__: each for each in (tor, errors, resp, passages, mzqa, rules, clock)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=tables)
    parser.add_argument("--sets", help="names, separated by commas; all, but 2wikimultihopqa alone of tor")
    parser.add_argument("--questions", type=int, help="of each set; 40 of mzqa and clock, 100 of the others")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args(arguments)
    count = given.questions or (40 if given.table in ("mzqa", "clock") else 100)
    names = given.sets.split(",") if given.sets else ["2wikimultihopqa"] if given.table == "tor" else SETS
    rows = clock(count) if given.table == "clock" else tables[given.table](opened(names, given.shared, count))
    for number, row in enumerate(rows):
        print(line(row), flush=True)
        if number == 0:
            print(f"| --- {'| ---: ' * (len(row) - 1)}|")


if __name__ == "__main__":
    main()
