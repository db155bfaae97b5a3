"""All programs on the real dev sets with an LM that needs no key: quality, retrieval, and what each method costs.

python benchmarks/dev_sets.py                                                # every program, the built-in LM
python benchmarks/dev_sets.py --programs one-step,resp --questions 100       # some of both
python benchmarks/dev_sets.py --retriever hybrid --programs ranked-rag       # over another index
python benchmarks/dev_sets.py --sets musique --weights encoder               # an encoder of one's own
python benchmarks/dev_sets.py --sets lihuaworld,meqa --programs one-step,ranked-rag --questions 80   # chats and news

Chats and news are to measure with, never to choose weights by; their questions are drawn by lot with a fixed seed, and
those without gold are left out.
"""

import argparse
import random
import time
from collections import defaultdict
from pathlib import Path

import dspy

from multihop import (
    BM25,
    PROGRAMS,
    Dense,
    Encoder,
    Hybrid,
    create,
    evaluate,
    local,
    open_corpus,
    open_index,
    open_questions,
)
from multihop.evaluation import default_metrics
from multihop.evaluation.metrics import AllRecall, Recall
from multihop.retrieval import is_index
from multihop.runtime import parse_settings

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
FOREIGN = ("lihuaworld", "meqa")
REPEATED = 50
"""Questions that a foreign set may repeat under the same id; they are left out."""
KINDS = {"bm25": BM25, "dense": Dense, "hybrid": Hybrid}
COLUMNS = ("em", "f1", "recall@2", "recall@5", "all-recall@5", "recall@15", "recall@K")


def open_retriever_of(kind, name, given):
    """The index of a set, built once a kind and encoder."""
    encoder = {} if kind == "bm25" else {"encoder": Encoder.load(given.weights)}
    folder = given.indexes / "-".join([name, kind, *(each.embedding for each in encoder.values())])
    if not is_index(folder):
        corpus = open_corpus(place_of(name, given) / f"{name}.corpus.jsonl.gz")
        KINDS[kind].build(corpus, titles=name != "musique", folder=folder, **encoder)
    return open_index(folder)


def place_of(name, given):
    """The folder of a set."""
    return given.shared / "foreign" if name in FOREIGN else given.shared


def questions_of(name, given):
    """The questions that are asked of a set."""
    if name not in FOREIGN:
        return list(open_questions(given.shared / f"{name}.dev.jsonl.gz", limit=given.questions))
    every = open_questions(place_of(name, given) / f"{name}.test.jsonl.gz", skip_bad=REPEATED)
    questions = [each for each in every if each.supporting]
    random.Random(1).shuffle(questions)
    return questions[: given.questions]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="names, separated by commas")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--retriever", choices=KINDS, default="bm25")
    parser.add_argument("--set", action="append", default=[], help="a setting, name=value, of every program named")
    parser.add_argument("--weights", help="the folder of an encoder")
    parser.add_argument("--questions", type=int, help="of each set; all unless told")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--chunks", action="store_true", help="one table: how many chunks the recall takes")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/dev"), help="where indexes are kept")
    given = parser.parse_args(arguments)
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    given.indexes.mkdir(parents=True, exist_ok=True)
    lm = local(weights=given.weights)
    taken = defaultdict(list)
    for name in given.sets.split(","):
        retriever = open_retriever_of(given.retriever, name, given)
        questions = questions_of(name, given)
        if not given.chunks:
            print(f"\n{name} ({len(questions)}), {given.retriever}, LM {lm.model}\n")
            print(f"| program | {' | '.join(COLUMNS)} | K | K with repeats | labelled | hops | calls | seconds |")
            print(f"| --- {'| ---: ' * (len(COLUMNS) + 6)}|")
        for program in given.programs.split(","):
            settings = parse_settings(given.set)
            if program in ("efficientrag", "ranked-rag") and given.weights:
                settings["weights"] = given.weights
            made = create(program, retriever if PROGRAMS[program].retrieves else None, **settings)
            metrics = {
                each.name: each
                for each in [*default_metrics(rules=name if name in SETS else "hotpotqa"), Recall(2), AllRecall(5)]
            }
            started = time.perf_counter()
            with dspy.context(lm=lm):
                run = evaluate(made, questions, metrics=metrics.values())
            summary = run.summary
            seconds = time.perf_counter() - started
            means = [summary["metrics"].get(metric, {}).get("mean") for metric in COLUMNS]
            cells = ["–" if mean is None else f"{100 * mean:.1f}" for mean in means]
            pool = summary["metrics"].get("K", {}).get("mean")
            cells.append("–" if pool is None else f"{pool:.1f}")
            counts = [summary["counts"].get(count) for count in ("kept", "labelled", "hops")]
            cells += ["" if count is None else f"{count:.1f}" for count in counts]
            calls = summary["cost"]["calls"]["mean"]
            if given.chunks:
                label = f"`{program}` {', '.join(given.set)}".strip()
                taken[label].append(f"{cells[6]} ({cells[7]}; {cells[8]}), {float(cells[9]):.0f} labelled")
                continue
            print(f"| {program} | {' | '.join(cells)} | {calls:.1f} | {seconds:.1f} |", flush=True)
    if taken:
        print(f"| | {' | '.join(given.sets.split(','))} |\n| --- {'| ---: ' * len(given.sets.split(','))}|")
    for label, cells in taken.items():
        print(f"| {label} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
