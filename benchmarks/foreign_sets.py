"""Compares RankedRAG with one hybrid search where nobody trained: chats and news, recall@2 and recall@5.

python benchmarks/foreign_sets.py                                # 40 questions of each set, the built-in encoder
python benchmarks/foreign_sets.py --weights encoder --questions 500

Questions that nothing answers are left out. To measure with, never to choose weights by.
"""

import argparse
import random
from pathlib import Path

import dspy
from dev_sets import open_retriever_of

from multihop import RankedRAG, open_questions, scripted
from multihop.evaluation.metrics import Recall

SETS = ("lihuaworld", "meqa")
PLACES = (2, 5)
REPEATED = 50
"""Questions that a set may repeat under the same id; they are left out."""


def recalls(question, passages):
    """The share of the gold among the first passages, for each number of places."""
    return [Recall(k).measure(question, dspy.Prediction(passages=passages)) for k in PLACES]


def mean(rows):
    """Each column's mean, as a share of 100."""
    return " / ".join(f"{100 * sum(column) / len(column):.1f}" for column in zip(*rows, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--weights", help="the folder of an encoder; the built-in one unless told")
    parser.add_argument("--questions", type=int, default=40, help="of each set, drawn by lot with a fixed seed")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data/foreign"), help="the folder of the sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/foreign"), help="where indexes are kept")
    given = parser.parse_args()
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    given.indexes.mkdir(parents=True, exist_ok=True)
    print(f"| recall@{' / '.join(map(str, PLACES))} | questions | hybrid | ranked-rag |")
    print("| --- | ---: | ---: | ---: |")
    for name in given.sets.split(","):
        retriever = open_retriever_of("hybrid", name, given)
        every = open_questions(given.shared / f"{name}.test.jsonl.gz", skip_bad=REPEATED)
        questions = [each for each in every if each.supporting]
        random.Random(1).shuffle(questions)
        program = RankedRAG(retriever, weights=given.weights)
        plain, found = [], []
        with dspy.context(lm=scripted(lambda prompt: {"answer": ""})):
            for question in questions[: given.questions]:
                hits = retriever.search([question.question], max(PLACES))[0]
                plain.append(recalls(question, [hit.passage for hit in hits]))
                found.append(recalls(question, program(question=question.question).passages))
        print(f"| {name} | {len(found)} | {mean(plain)} | {mean(found)} |", flush=True)


if __name__ == "__main__":
    main()
