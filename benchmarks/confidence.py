"""The worth of a calibrated confidence on the real dev sets, and of refusing where the gold pages are gone.

python benchmarks/confidence.py                                              # one-step over BM25, the built-in LM
python benchmarks/confidence.py --program ranked-rag --questions 150         # of each set, drawn
python benchmarks/confidence.py --lm server/MODEL@ADDRESS --questions 100 --to runs/confidence-qwen.jsonl
python benchmarks/confidence.py --to FILE --questions 0                      # the tables of what is in the file

Every answer's signals are kept in a file: the same command goes on from it. Of 200 questions of all sets, drawn, the
gold pages are taken out of a second index, which they are asked of as well. A set's confidence is fitted in five folds,
its weights held near those that were fitted on the other sets.
"""

import argparse
import asyncio
import json
import random
from pathlib import Path

import dspy
import numpy as np

from multihop import BM25, create, open_corpus, open_lm, open_questions
from multihop.evaluation.metrics import F1
from multihop.evaluation.report.confidence import RIGHT, confidence_figures
from multihop.optimize.calibrating import FEWEST, fit
from multihop.runtime import parse_settings
from multihop.runtime.grounds.confidence import Calibration

SETS = {"hotpotqa": 67, "2wikimultihopqa": 67, "musique": 66}
"""The sets, each with the questions whose gold is taken away."""
FOLDS, SEEDS = 5, 5
AT_ONCE = 8
NONE = Calibration({}, bias=0.0)
COLUMNS = ("ece", "brier", "auroc", "f1", "f1_at_80", "f1_at_50")


def drawn(given, name):
    """The questions of a set in the order in which they are asked, and those whose gold is gone."""
    questions = list(open_questions(given.shared / f"{name}.dev.jsonl.gz"))
    gone = random.Random(0).sample(sorted(questions, key=lambda each: each.id), SETS[name])
    return random.Random(1).sample(questions, len(questions)), gone


async def answer(program, question, name, *, gone):
    """The numbers of an answer that the file keeps."""
    try:
        said = await program.acall(question=question.question)
    except Exception as error:
        return {"set": name, "id": question.id, "gone": gone, "error": f"{type(error).__name__}: {error}"[:200]}
    found = {passage.id for passage in said.passages[:5]}
    return {
        "set": name,
        "id": question.id,
        "gone": gone,
        "answer": said.answer,
        "f1": F1(rules=name).measure(question, said),
        "found": found >= set(question.supporting),
        "confidence": said.confidence,
        "signals": said.signals,
    }


async def ask(given, kept):
    """Ask what is missing in the file, a part of each set in turn."""
    lm, work, programs = open_lm(given.lm), [], {}
    for name in SETS:
        questions, gone = drawn(given, name)
        out = {page for question in gone for page in question.supporting}
        corpus = list(open_corpus(given.shared / f"{name}.corpus.jsonl.gz"))
        settings = {"grounds": True, **parse_settings(given.set)}
        for removed, pages in ((False, corpus), (True, [page for page in corpus if page.id not in out])):
            asked = gone if removed else questions[: given.questions]
            index = BM25.build(pages, titles=name != "musique")
            programs[name, removed] = create(given.program, index, **settings)
            work += [(place / len(asked), name, question, removed) for place, question in enumerate(asked)]
    work = [each[1:] for each in sorted(work, key=lambda each: each[0])]
    work = [each for each in work if (each[0], each[1].id, each[2]) not in kept]
    given.to.parent.mkdir(parents=True, exist_ok=True)
    with dspy.context(lm=lm), given.to.open("a") as file:
        for start in range(0, len(work), AT_ONCE):
            part = work[start : start + AT_ONCE]
            rows = await asyncio.gather(
                *(answer(programs[name, gone], question, name, gone=gone) for name, question, gone in part)
            )
            file.write("".join(json.dumps(row) + "\n" for row in rows))
            file.flush()
            print(f"\r{start + len(rows)} of {len(work)}", end="", flush=True)
    print()


def is_right(row):
    """True if the answer is right: none is where the gold is gone, lucky or not."""
    return not row["gone"] and row["f1"] >= RIGHT


def folds_of(right, seed):
    """The fold of each answer; all are right as often."""
    order = np.random.default_rng(seed).permutation(len(right))
    folds = np.empty(len(right), int)
    folds[order[np.argsort(np.asarray(right)[order], kind="stable")]] = np.arange(len(right)) % FOLDS
    return folds


def of_folds(rows, gone, usual, seed, times=0):
    """The confidence of each row, and of each whose gold is gone, by fits that have seen neither of the two.

    Those whose gold is gone are fitted on so many `times`: whatever is answered then is wrong.
    """
    folds = folds_of([is_right(row) for row in rows], seed)
    fold_of = {(row["set"], row["id"]): fold for row, fold in zip(rows, folds, strict=True)}
    theirs = [fold_of.get((row["set"], row["id"]), 0) for row in gone]
    placed = [*zip(rows, folds, strict=True), *[*zip(gone, theirs, strict=True)] * times]
    fits = [fitted([row for row, other in placed if other != fold], usual) for fold in range(FOLDS)]
    own = [fits[fold].confidence(row["signals"]) for row, fold in zip(rows, folds, strict=True)]
    return own, [fits[fold].confidence(row["signals"]) for row, fold in zip(gone, theirs, strict=True)]


def fitted(rows, usual):
    """The calibration on rows."""
    return fit([row["signals"] for row in rows], [is_right(row) for row in rows], usual=usual)


def usual_without(rows, name, times=0):
    """The weights as the other sets have them."""
    others = [row for row in rows if row["set"] != name for _ in range(times if row["gone"] else 1)]
    return fitted(others, NONE) if others else NONE


def mean_figures(confidences, rows):
    """The mean of the figures over several draws of the folds, and the error that a true confidence would have."""
    right, f1 = [is_right(row) for row in rows], [row["f1"] for row in rows]
    figures = [confidence_figures(each, right, f1) for each in confidences]
    means = {name: float(np.mean([each[name] for each in figures])) for name in COLUMNS}
    told, chance = np.asarray(confidences[0]), np.random.default_rng(0)
    means["floor"] = float(
        np.mean([confidence_figures(told, chance.random(len(told)) < told, f1)["ece"] for _ in range(50)])
    )
    return means


def line(title, rows, confidences):
    """A line of the table."""
    means, right = mean_figures(confidences, rows), np.mean([is_right(row) for row in rows])
    cells = [f"{means[name]:.3f}" for name in ("ece", "floor", "brier", "auroc")]
    cells += [f"{100 * means[name]:.1f}" for name in ("f1", "f1_at_80", "f1_at_50")]
    print(f"| {title} | {len(rows)} | {right:.0%} | {' | '.join(cells)} | {means['f1_at_50'] / means['f1']:.2f} |")


def report(rows):
    """The tables: of answers that can be given, then of those that cannot, fitted on without the latter and with."""
    print("\n| | questions | right | ECE | of a true one | Brier | AUROC | F1 | at 80 % | at 50 % | x |")
    print(f"| --- {'| ---: ' * 10}|")
    refusals = [table(rows, times) for times in (0, 1, 3)]
    print("\n| | unanswerable | refused at 5 % of all | at 5 % of those with their gold found | at 5 % of the right |")
    print("| --- | ---: | ---: | ---: | ---: |")
    print("\n".join(each for lines in refusals for each in lines))


def table(rows, times):
    """Prints the lines of each set and of all; gives those of the second table."""
    parts, fitted_on = [], {0: "", 1: ", with the unanswerable", 3: ", with those thrice"}[times]
    for name in SETS:
        own, gone = ([row for row in rows if row["set"] == name and row["gone"] == gone] for gone in (False, True))
        if len(own) >= FEWEST:
            usual = usual_without(rows, name, times)
            parts.append((name, own, gone, [of_folds(own, gone, usual, seed, times) for seed in range(SEEDS)]))
            if not times:
                line(f"{name}, as the other sets have it", own, [[usual.confidence(row["signals"]) for row in own]])
            line(f"{name}, calibrated{fitted_on}", own, [sure for sure, _ in parts[-1][3]])
    every, none = ([row for part in parts for row in part[place]] for place in (1, 2))
    found = [[[each for *_, own in parts for each in own[seed][side]] for side in (0, 1)] for seed in range(SEEDS)]
    line(f"all, each by its own{fitted_on}", every, [sure for sure, _ in found])
    kinds = (lambda row: True, lambda row: row["found"], is_right)
    return [
        f"| {name}{fitted_on} | {len(gone)} | {' | '.join(refused(own, kind, confidences) for kind in kinds)} |"
        for name, own, gone, confidences in [*parts, ("all", every, none, found)]
    ]


def refused(rows, kind, confidences):
    """The share of the unanswerable that is refused where 5 % of the answers of a kind are, and how many there are."""
    picked = [number for number, row in enumerate(rows) if kind(row)]
    shares = [np.mean(np.asarray(gone) < np.quantile(np.asarray(sure)[picked], 0.05)) for sure, gone in confidences]
    return f"{np.mean(shares):.0%} ({len(picked)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="one-step")
    parser.add_argument("--lm", default="local")
    parser.add_argument("--set", action="append", default=[], help="a setting of the program, name=value")
    parser.add_argument("--questions", type=int, help="of each set; all unless told")
    parser.add_argument("--to", type=Path, help="the file of answers; runs/confidence-PROGRAM.jsonl by default")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    given.to = given.to or Path(f"runs/confidence-{given.program}.jsonl")
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    if given.questions != 0:
        asyncio.run(ask(given, {(row["set"], row["id"], row["gone"]) for row in kept_rows(given.to)}))
    rows = [row for row in kept_rows(given.to) if "error" not in row]
    print(f"{given.program}, {given.lm}: {len(rows)} answers")
    report(rows)


def kept_rows(path):
    """The rows of a file, which need not be there."""
    return [json.loads(each) for each in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    main()
