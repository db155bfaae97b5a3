"""Measures what demonstrations do for `local`, whose decisions they calibrate: so many against none, on dev questions.

Demonstrations are made from the training files, the score is that of the first dev questions; stopped, the same command
goes on where it was.

    python benchmarks/calibration.py                              # tor, 100 questions of each set and of the world
    python benchmarks/calibration.py --programs resp --questions 30 --sets hotpotqa
"""

import argparse
import logging
from pathlib import Path

import dspy
from dev_sets import SETS, open_retriever_of

from multihop import BM25, World, compare, compile_variants, create, local, open_questions
from multihop.evaluation.journal.journal import read_rows

VARIANTS = ("zero-shot", "labeled-3", "labeled-5", "labeled-15")
WORLD = "world"
LEARNT = 200
"""Training questions at most, from the start of the file."""


def material(name, given):
    """The retriever, the training questions and the dev questions; of the world, which has no files, two halves."""
    if name == WORLD:
        world = World(questions=2 * given.questions)
        asked = list(world.questions())
        return BM25.build(world.passages()), asked[: given.questions], asked[given.questions :]
    train, dev = (given.shared / f"{name}.{part}.jsonl.gz" for part in ("train", "dev"))
    learnt, judged = open_questions(train, limit=LEARNT), open_questions(dev, limit=given.questions)
    return open_retriever_of("bm25", name, given), list(learnt), list(judged)


def accepted(folder):
    """The share of reviewed paths that were enough, in percent; nothing for programs that review none."""
    counts = [row["counts"] for row in read_rows(folder)]
    reviews = sum(each.get("reviews", 0) for each in counts)
    return f"{100 * sum(each['evidence'] for each in counts) / reviews:.1f}" if reviews else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default="tor", help="names, separated by commas")
    parser.add_argument("--sets", default=",".join([*SETS, WORLD]), help="names, separated by commas")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="names, separated by commas; zero-shot is first")
    parser.add_argument("--questions", type=int, default=100, help="dev questions of each set, from its start")
    parser.add_argument("--seed", type=int, default=0, help="draws the demonstrations")
    parser.add_argument("--out", type=Path, default=Path("runs/calibration"), help="where the work is kept")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/dev"), help="where indexes are kept")
    given = parser.parse_args()
    variants = ["zero-shot", *(each for each in given.variants.split(",") if each != "zero-shot")]
    logging.getLogger("dspy").setLevel(logging.ERROR)
    given.indexes.mkdir(parents=True, exist_ok=True)
    lm = local()
    print("| program | set | variant | EM | F1 | difference to zero-shot | enough, of 100 |")
    print("| --- | --- | --- | ---: | ---: | --- | ---: |")
    for name in given.sets.split(","):
        retriever, train, dev = material(name, given)
        for program in given.programs.split(","):
            to = given.out / f"{program}-{name}-{given.questions}-{given.seed}.json"
            with dspy.context(lm=lm):
                study = compile_variants(
                    create(program, retriever), variants, train=train, dev=dev, to=to, seed=given.seed
                )
            folders = [Path(f"{to}.work") / "dev" / variant for variant in variants]
            for outcome, folder in zip(study.outcomes, folders, strict=True):
                change = compare(folders[0], folder).metrics["f1"].change
                difference = f"{100 * change.mean:+.1f} [{100 * change.low:+.1f}, {100 * change.high:+.1f}]"
                print(
                    f"| {program} | {name} ({len(dev)}) | {outcome.variant} | {100 * outcome.em['mean']:.1f} "
                    f"| {100 * outcome.f1['mean']:.1f} | {difference if folder != folders[0] else ''} "
                    f"| {accepted(folder)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
