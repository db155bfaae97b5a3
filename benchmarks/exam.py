"""Ranks programs on an exam and on the real questions about the same corpus: Kendall's tau of their mean F1.

python benchmarks/exam.py                                   # eight programs, 200 dev questions, 150 made ones
python benchmarks/exam.py --questions 416 --made 300        # an hour more
python benchmarks/exam.py --set 2wikimultihopqa --seed 1

Runs are kept in a folder and go on where they were stopped. The exam has no questions without an answer: `local`
refuses none, and so they would tell no program from another.
"""

import argparse
from itertools import combinations
from pathlib import Path

import dspy

from multihop import BM25, PROGRAMS, create, evaluate, local, open_corpus, open_questions
from multihop.data import Selection
from multihop.exam import make_exam

PROGRAMS_ASKED = ("direct", "one-step", "iter-retgen", "self-ask", "ircot", "resp", "efficientrag", "ranked-rag")


def kendall_tau(one, other):
    """Kendall's tau-b of two rankings of the same things, 1 where they agree in every pair."""
    signs = [((a > b) - (a < b), (c > d) - (c < d)) for (a, c), (b, d) in combinations(zip(one, other, strict=True), 2)]
    untied = [sum(sign[place] != 0 for sign in signs) for place in (0, 1)]
    return sum(first * last for first, last in signs) / (untied[0] * untied[1]) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="hotpotqa", help="the set whose corpus and dev questions are taken")
    parser.add_argument("--programs", default=",".join(PROGRAMS_ASKED), help="names, separated by commas")
    parser.add_argument("--questions", type=int, default=200, help="real questions, drawn by their ids")
    parser.add_argument("--made", type=int, default=150, help="questions of the exam")
    parser.add_argument("--seed", type=int, default=0, help="of the exam")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--runs", type=Path, default=Path("runs/exam"), help="where runs and the exam are kept")
    given = parser.parse_args()
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    corpus = list(open_corpus(given.shared / f"{given.set}.corpus.jsonl.gz"))
    folder = given.runs / f"{given.set}-{given.made}-{given.seed}"
    path = folder / "questions.jsonl"
    if not path.is_file():
        make_exam(corpus, questions=given.made, unanswerable=0, seed=given.seed).write(folder)
    dev = open_questions(given.shared / f"{given.set}.dev.jsonl.gz")
    asked = {
        "real": list(Selection(sample=given.questions).choose(dev)),
        "made": list(open_questions(path)),
    }
    retriever = BM25.build(corpus)
    means = {name: [] for name in asked}
    print(f"| F1 with local over BM25 | real, n = {len(asked['real'])} | exam, n = {len(asked['made'])} |")
    print("| --- | ---: | ---: |")
    for program in given.programs.split(","):
        made = create(program, retriever if PROGRAMS[program].retrieves else None)
        for name, questions in asked.items():
            out = (folder if name == "made" else given.runs / f"{given.set}-real-{given.questions}") / program
            with dspy.context(lm=local()):
                run = evaluate(made, questions, out=out)
            means[name].append(run.summary["metrics"]["f1"]["mean"])
        print(f"| {program} | {100 * means['real'][-1]:.1f} | {100 * means['made'][-1]:.1f} |", flush=True)
    print(f"\nKendall's tau: {kendall_tau(*means.values()):.2f}")


if __name__ == "__main__":
    main()
