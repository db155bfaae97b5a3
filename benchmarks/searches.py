"""The control flow of the papers' methods under a simulated LM: calls, pruning, savings, and how long a question waits.

The LM knows the gold and errs at a given rate, so these numbers tell nothing of a model's quality.

    python benchmarks/searches.py tor                    # Tree of Reviews: tables 5 and 6, and against a chain
    python benchmarks/searches.py resp                   # ReSP against IRCoT: over-planning, repetition, more passages
    python benchmarks/searches.py mzqa                   # MZQA: savings, and other searches with the same prompts
    python benchmarks/searches.py clock                  # seconds a question, against its longest chain of calls
    python benchmarks/searches.py tor --questions 30     # a quick look

The sets are in --shared; `clock` asks the little encyclopedia. Its clock passes at once what is waited for, and counts
the processor's work for this process, so that it shows the same on a machine with other work to do.
"""

import argparse
import asyncio
import selectors
import statistics
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import dspy

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated import simulated

from multihop import BM25, PROGRAMS, Little, create, evaluate, open_corpus, open_questions
from multihop.runtime import settings_of

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
LATENCY = 0.2

TREE: dict[str, dict[str, Any]] = {
    "as in the paper": {},
    "without repetition pruning": {"pruning": ["relevance"]},
    "without relevance pruning": {"pruning": ["repetition"]},
    "without both": {"pruning": []},
    "depth 2": {"depth": 2, "widths": [5, 3]},
    "depth 4": {"depth": 4, "widths": [5, 3, 3, 3]},
    "widths 10, 5, 3": {"widths": [10, 5, 3]},
    "depth-first": {"order": "depth-first"},
}
SAVINGS: dict[str, dict[str, Any]] = {
    "every call made": {"reuse": "none"},
    "same call after same history": {},
    "self-contained answers shared": {"reuse": "self-contained"},
    "exploration 0.2, every call": {"exploration": 0.2, "reuse": "none"},
    "exploration 0.2": {"exploration": 0.2},
}
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("mzqa", {}),
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


def tor(sets):
    """Reviews (the paper's #API), calls, paragraphs, evidence, F1 of its tables' settings; then F1 as errors grow."""
    for name, retriever, questions in sets:
        lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
        print(f"\n{name}, {len(questions)} questions\n\n| setting | #API | calls | #Doc | #Evidence | recall@15 | F1 |")
        print(f"| --- {'| ---: ' * 6}|")
        for label, settings in TREE.items():
            summary = run("tor", retriever, questions, lm, **settings)
            reviews, *counts = (summary["counts"].get(count, 0) for count in ("reviews", "documents", "evidence"))
            figures = (score(summary, "recall@15"), score(summary))
            print(row(label, reviews, calls(summary), *counts, *figures), flush=True)
        print("\n| error rate | F1 of tor | of cor | recall@15 of tor | of cor |\n| --- | ---: | ---: | ---: | ---: |")
        for rate in (0.0, 0.05, 0.1, 0.2, 0.3):
            lm = simulated(questions, iter(retriever), error_rate=rate, distraction=0.5, known=0.0)
            both = [run(program, retriever, questions, lm) for program in ("tor", "cor")]
            scores = [score(summary, metric) for metric in ("f1", "recall@15") for summary in both]
            print(row(f"{rate:.2f}", *scores), flush=True)


def resp(sets):
    """Rounds made after all gold was found, and queries asked again; then F1 as more passages are retrieved."""
    for name, retriever, questions in sets:
        print(f"\n{name}, {len(questions)} questions\n")
        print("| error rate | program | over-planning | repeated | refused | calls | F1 |")
        print(f"| --- | --- {'| ---: ' * 5}|")
        for rate in (0.1, 0.2, 0.3):
            lm = simulated(questions, iter(retriever), error_rate=rate, distraction=0.1, known=0.0)
            for program in ("ircot", "resp"):
                summary = run(program, retriever, questions, lm)
                told = [summary["counts"].get(count, 0) for count in ("over_planning", "repeated", "refused")]
                cells = [f"{count:.2f}" for count in (*told, calls(summary))]
                print(row(f"{rate:.1f}", program, *cells, score(summary)), flush=True)
        lm = simulated(questions, iter(retriever), error_rate=0.1, distraction=0.1, known=0.0)
        print("\n| F1 | k=3 | k=5 | k=10 | k=15 |\n| --- | ---: | ---: | ---: | ---: |")
        for program in ("one-step", "ircot", "resp"):
            scores = [score(run(program, retriever, questions, lm, k=k)) for k in (3, 5, 10, 15)]
            print(row(program, *scores), flush=True)


def mzqa(sets):
    """What a question costs with each saving, and other searches with the same prompts."""
    for name, retriever, questions in sets:
        lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
        print(f"\n{name}, {len(questions)} questions\n\n| search | calls | F1 | 95 % interval |")
        print("| --- | ---: | ---: | ---: |")
        rows = [(label, "mzqa", settings) for label, settings in SAVINGS.items()]
        rows += [(f"{program} {written(settings)}", program, settings) for program, settings in SEARCHES]
        for label, program, settings in rows:
            summary = run(program, retriever, questions, lm, **settings)
            low, high = (100 * summary["metrics"]["f1"][end] for end in ("low", "high"))
            print(row(label, calls(summary), score(summary), f"[{low:.1f}, {high:.1f}]"), flush=True)


def clock(questions):
    """Seconds of the first eight questions one by one, and of the first 32 at once; of MZQA of three one by one."""
    little = Little()
    retriever, asked = BM25.build(little.passages()), list(islice(little.questions(), questions))
    lm = simulated(asked, iter(retriever), error_rate=0.1, known=0.0, latency=LATENCY)
    print("| program | calls | longest chain | seconds one by one | x its chain | seconds of 32 | x their longest |")
    print(f"| --- {'| ---: ' * 6}|", flush=True)
    for name, settings in CLOCKED:
        program = as_published(name, retriever, **{"concurrency": 256, **settings})
        alone, crowd = (3, 0) if name == "mzqa" else (8, 32)
        with asyncio.Runner(loop_factory=FairLoop) as runner:
            figures = runner.run(waits(program, asked[:alone], asked[:crowd], lm))
        print(row(f"{name} {written(settings)}", *figures), flush=True)


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


def row(*cells):
    """A line of a table."""
    return f"| {' | '.join(f'{each:.1f}' if isinstance(each, float) else f'{each}' for each in cells)} |"


def opened(names, shared, count):
    """Of each set its name, its corpus over BM25, and its first questions."""
    if not shared.is_dir():
        raise SystemExit(f"there are no question sets in {shared}; give their folder with --shared")
    for name in names:
        retriever = BM25.build(open_corpus(shared / f"{name}.corpus.jsonl.gz"), titles=name != "musique")
        yield name, retriever, list(open_questions(shared / f"{name}.dev.jsonl.gz", limit=count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("tor", "resp", "mzqa", "clock"))
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--questions", type=int, help="of each set; 40 of mzqa and clock, 100 of the others")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    count = given.questions or (40 if given.table in ("mzqa", "clock") else 100)
    if given.table == "clock":
        clock(count)
    else:
        {"tor": tor, "resp": resp, "mzqa": mzqa}[given.table](opened(given.sets.split(","), given.shared, count))


if __name__ == "__main__":
    main()
