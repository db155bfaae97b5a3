"""Shows demonstrations, and checks that they keep what they must: over the little encyclopedia and real training sets.

For every signature, every count of demonstrations, training sizes from 20 to 500 and ten seeds, the checks of
tests/lesson_checks.py; then three demonstrations of each step of some programs, as they are, with passages cut.

    python benchmarks/demonstrations.py
    python benchmarks/demonstrations.py --show tor --sets hotpotqa --seeds 0
"""

import argparse
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from lesson_checks import COUNTS, REAL, Lessons, available, shares

from multihop import InputError, create
from multihop.optimize.prompts.steps import MAKERS, step_examples
from multihop.programs.shared.chain import Chain

SIZES = (20, 50, 100, 200, 500)
PROGRAMS = ("tor", "resp", "mzqa")
CUT = 110
"""Characters of a passage that are printed."""


def check(lessons, seeds):
    """Every set of demonstrations of a set of questions: how many there are, and what is wrong with how many."""
    wrong, refused, made, largest = Counter(), Counter(), 0, Counter()
    for seed in range(seeds):
        for size in SIZES:
            if size > len(lessons.questions) and size != SIZES[-1]:
                continue
            drawn = random.Random(seed).sample(lessons.questions, min(size, len(lessons.questions)))
            for name in MAKERS:
                pool = lessons.pool(name, drawn)
                for count in COUNTS:
                    try:
                        demos = pool.choose(count, seed=seed, step=name)
                    except InputError:
                        refused[f"{name} ({count} of {size})"] += 1
                        continue
                    made += 1
                    found = lessons.problems(name, pool, demos)
                    wrong.update({each.partition(":")[0] for each in found})
                    for each in found[:1]:
                        print(f"  {name}, {count} of {size}, seed {seed}: {each}", flush=True)
                    if count == COUNTS[-1]:
                        for field, share in shares(name, demos).items():
                            largest[f"{name}.{field}"] = max(largest[f"{name}.{field}"], share)
    return made, wrong, refused, largest


def show(lessons, programs, seed):
    """Three demonstrations of each step of the programs."""
    for name in programs:
        program = create(name, lambda query, k: [])
        chain = isinstance(program, Chain)
        pools = step_examples(program, [replace(scene, chain=chain) for scene in lessons.scenes.values()])
        for step, pool in pools.items():
            signature = dict(program.named_predictors())[step].signature
            print(f"\n`{name}`, step `{step.partition('.')[0]}`:\n\n```text")
            for number, demo in enumerate(pool.choose(3, seed=seed, step=step), 1):
                for place, field in enumerate(signature.fields):
                    value = demo[field]
                    several = isinstance(value, list)
                    texts = "".join(f"\n      - {cut(each)}" for each in value) if several else f" {cut(value)}"
                    arrow = "=>" if field in signature.output_fields else "  "
                    print(f"{'' if place else number!s:2}{arrow} {field}:{texts or ' (none)'}".rstrip())
            print("```")


def cut(text):
    """The text on one line, cut where it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= CUT else f"{line[:CUT].rsplit(' ', 1)[0]} ..."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(("little", *REAL)))
    parser.add_argument("--seeds", type=int, default=10, help="how many; 0 leaves the checks out")
    parser.add_argument("--show", default=",".join(PROGRAMS), help="programs, or nothing")
    parser.add_argument("--seed", type=int, default=0, help="of what is shown")
    given = parser.parse_args()
    for name in given.sets.split(","):
        if not available(name):
            print(f"{name}: its training file is not here")
            continue
        lessons = Lessons(name)
        if given.seeds:
            made, wrong, refused, largest = check(lessons, given.seeds)
            print(
                f"\n{name}: {len(lessons.scenes)} of {len(lessons.questions)} training questions; {made} sets checked"
            )
            for kind in ("question", "balance", "leak", "history", "copy", "name", "type", "fields"):
                print(f"  {kind:9} {wrong[kind]} broken")
            print(
                f"  largest share of one class among 15: {max(largest.values()):.0%} ({max(largest, key=largest.get)})"
            )
            print(f"  refused, too few questions: {sum(refused.values())} ({', '.join(refused)})")
        if given.show:
            show(lessons, given.show.split(","), given.seed)


if __name__ == "__main__":
    main()
