"""Measures verdicts and scores by what is true: those that an LM writes, and those read from its probabilities.

    python benchmarks/verdicts.py gguf:MODEL.gguf                        # reviews of 120 paths
    python benchmarks/verdicts.py gguf:MODEL.gguf --step evaluate        # scores of 120 histories
    python benchmarks/verdicts.py gguf:MODEL.gguf --count 60 --to runs/verdicts.jsonl

Of training questions with two gold paragraphs, half of HotpotQA and half of 2WikiMultiHopQA, each in turn gives a path
of both (relevant and enough), of one (relevant), or of another paragraph from its own pool (neither); or a history of
both sub-questions with their answers, of the first, or of one that belongs to another question. A threshold is chosen
on one half and judged on the other, both ways. What was asked is kept in the file: the same command goes on from it.
"""

import argparse
import json
import random
from itertools import pairwise
from pathlib import Path

import dspy

from multihop import open_lm, open_questions
from multihop.data.gold import read_gold
from multihop.programs.shared.path import PathStep, path_texts
from multihop.runtime.lm_call.call import adapter_of
from multihop.runtime.lm_call.weighing import ASKING, weigh
from multihop.signatures import EvaluateHistory, ReviewPath

SETS = ("hotpotqa", "2wikimultihopqa")
MOST_TOKENS = 96
"""The most that is written: the verdicts come first, and what follows them changes nothing."""
KINDS = ("both", "one", "none")
TRUE = {"relevant": ("both", "one"), "enough": ("both",), "score": ("both",)}
"""The kinds of path of which a verdict is true; a score should be higher there than elsewhere."""


def paths(shared, name, count):
    """The paths of a set: a key, the kind, the question, the paragraphs, and the history in their place."""
    questions = list(open_questions(shared / f"{name}.train.jsonl.gz"))
    pages = {page.id: page for question in questions for page in question.passages}
    gold = [path for path in read_gold(questions, pages).paths if len(path.hops) == len(path.question.supporting) == 2]
    random.Random(0).shuffle(gold)
    for number, (path, other) in enumerate(zip(gold[:count], [*gold[1:], gold[0]], strict=False)):
        kind, question, chance = KINDS[number % 3], path.question, random.Random(number)
        golden = [str(pages[each]) for each in question.supporting]
        rest = [str(page) for page in question.passages if page.id not in question.supporting]
        steps = path_texts(PathStep(hop.sub_question, result=hop.answer) for hop in path.hops)
        foreign = path_texts(PathStep(hop.sub_question, result=hop.answer) for hop in other.hops[:1])
        shown = {"both": golden, "one": [chance.choice(golden)], "none": [chance.choice(rest)]}[kind]
        history = {"both": steps, "one": steps[:1], "none": foreign}[kind]
        yield f"{name} {question.id}", kind, question.question, shown, list(history)


def auc(rows, value):
    """The share of pairs, a true one and a false one, that are in the right order; ties count half."""
    true, false = ([value(row) for row in rows if row["truth"] == side] for side in (True, False))
    return sum((a > b) + (a == b) / 2 for a in true for b in false) / (len(true) * len(false))


def accuracy(rows, value, at):
    """The share of rows that a threshold decides rightly."""
    return sum((value(row) >= at) == row["truth"] for row in rows) / len(rows)


def best_threshold(rows, value):
    """The middle of the thresholds that decide most rows rightly."""
    values = sorted({0.0, 1.0, *map(value, rows)})
    between = [(low + high) / 2 for low, high in pairwise(values)]
    most = max(accuracy(rows, value, at) for at in between)
    best = [at for at in between if accuracy(rows, value, at) == most]
    return best[len(best) // 2]


def report(rows, field):
    """The line of a field: words beside probabilities."""
    share = 10 if field == "score" else 1
    rows = [{**row, "truth": row["kind"] in TRUE[field]} for row in rows]
    halves, cells = (rows[: len(rows) // 2], rows[len(rows) // 2 :]), []
    for source in ("words", "expected"):
        value = lambda row, source=source: row[source][field] / share  # noqa: E731
        found = [best_threshold(half, value) for half in halves]
        judged = [accuracy(half, value, at) for half, at in zip(reversed(halves), found, strict=True)]
        cells += [f"{accuracy(rows, value, 0.5):.2f}", f"{auc(rows, value):.2f}"]
        cells += (
            ["", ""]
            if source == "words" and share == 1
            else [f"{found[0]:.2f}, {found[1]:.2f}", f"{sum(judged) / 2:.2f}"]
        )
    print(f"| {field} | {len(rows)} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lm", help="such as gguf:MODEL.gguf, or server/MODEL@http://localhost:8000/v1")
    parser.add_argument("--step", choices=("review", "evaluate"), default="review")
    parser.add_argument("--count", type=int, default=120, help="paths, half of each set")
    parser.add_argument("--to", type=Path, default=Path("runs/verdicts.jsonl"), help="where answers are kept")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    if not given.shared.exists():
        raise SystemExit(f"there are no real sets in {given.shared}; give their folder with --shared")
    lm = open_lm(given.lm)
    review = given.step == "review"
    step = dspy.Predict(ReviewPath) if review else dspy.ChainOfThought(EvaluateHistory)
    fields = ("relevant", "enough") if review else ("score",)
    given.to.parent.mkdir(parents=True, exist_ok=True)
    lines = given.to.read_text().splitlines() if given.to.exists() else []
    kept = {row["key"]: row for row in map(json.loads, lines)}
    rows, unreadable = [], 0
    each_set = [list(paths(given.shared, name, given.count // 2)) for name in SETS]
    for name, kind, question, shown, history in (path for both in zip(*each_set, strict=True) for path in both):
        key = f"{lm.model} {given.step} {name}"
        if key not in kept:
            inputs = {"path": shown} if review else {"history": history}
            with dspy.context(lm=lm, adapter=adapter_of(0, lm)):
                try:
                    said = step(question=question, **inputs, config={**ASKING, "max_tokens": MOST_TOKENS})
                except dspy.utils.exceptions.AdapterParseError:
                    unreadable += 1
                    continue
            told = weigh(said, step.predictors()[0].signature, lm.model)
            words = {field: float(told[field]) for field in fields}
            kept[key] = {"key": key, "kind": kind, "words": words, "expected": told.expected}
            with given.to.open("a") as file:
                file.write(json.dumps(kept[key]) + "\n")
        rows.append(kept[key])
        print(f"\r{len(rows)} of {given.count}", end="", flush=True)
    print(f"\r{lm.model}, {given.step}: {len(rows)} paths, {unreadable} unreadable\n")
    print("| | paths | words | AUC | threshold | held out | probabilities at 0.5 | AUC | thresholds | held out |")
    print(f"| --- {'| ---: ' * 9}|")
    for field in fields:
        report(rows, field)


if __name__ == "__main__":
    main()
