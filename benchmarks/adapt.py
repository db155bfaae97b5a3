"""Recall@2 and recall@5 before and after `multihop adapt`: of one hybrid search, and of ranked-rag over it.

python benchmarks/adapt.py                                             # chats and news, 100 questions each
python benchmarks/adapt.py --sets hotpotqa,musique --shared ../shared/data --part dev

Every question's row is kept in INDEXES/rows.jsonl, and the same command goes on where it stopped. Nothing is learned
from these questions: they measure.
"""

import argparse
import random
import shutil
import time
from pathlib import Path

import dspy
import ujson
from dev_sets import open_retriever_of
from foreign_sets import REPEATED, mean, recalls

from multihop import RankedRAG, lexical, open_questions
from multihop.retrieval import open_index
from multihop.retrieval.adapted_folder import ADAPTED
from multihop.training.adapting import adapting


def measured(index, question, given):
    """The recall of one search, and of ranked-rag over the same."""
    hits = index.search([question.question], 5)[0]
    yield recalls(question, [hit.passage for hit in hits])
    if given.ranked:
        yield recalls(question, RankedRAG(index)(question=question.question).passages)


def adapted(folder, given):
    """A copy of the index that has learned its corpus, and what that was worth on questions held back."""
    copy = folder.with_name(f"{folder.name}-adapted")
    if not copy.is_dir():
        shutil.copytree(folder, copy)
        began = time.monotonic()
        adapting.JUDGED = given.judged
        learned = adapting.adapt(copy, questions=given.made, watch=lambda doing: print(f"  {doing}", flush=True))
        told = {name: each._asdict() for name, each in learned.parts.items()}
        about = {
            "kept": learned.kept,
            "seconds": round(time.monotonic() - began),
        }
        (copy / "learned.json").write_text(ujson.dumps({**about, **told}, indent=1))
    print(f"{copy.name}: {(copy / 'learned.json').read_text()}", flush=True)
    return open_index(copy), (copy / ADAPTED).is_dir()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="lihuaworld,meqa", help="names, separated by commas")
    parser.add_argument("--part", default="test", help="of the questions")
    parser.add_argument("--questions", type=int, default=100, help="of each set, drawn by lot with a fixed seed")
    parser.add_argument("--made", type=int, default=2000, help="questions to learn by")
    parser.add_argument("--judged", type=int, default=240, help="of these, those whose findings are judged and read")
    parser.add_argument("--ranked", action="store_true", help="of ranked-rag too")
    parser.add_argument("--weights", help="the folder of an encoder; the built-in one unless told")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data/foreign"), help="the folder of the sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/adapt"), help="where indexes and rows are kept")
    given = parser.parse_args()
    given.indexes.mkdir(parents=True, exist_ok=True)
    kept = given.indexes / "rows.jsonl"
    rows = [ujson.loads(line) for line in kept.read_text().splitlines()] if kept.is_file() else []
    for name in given.sets.split(","):
        plain = open_retriever_of("hybrid", name, given)
        after, learned = adapted(plain._folder, given)
        every = open_questions(given.shared / f"{name}.{given.part}.jsonl.gz", skip_bad=REPEATED)
        questions = [each for each in every if each.supporting]
        random.Random(1).shuffle(questions)
        done = {(row["set"], row["ranked"], row["id"]): row for row in rows}
        for question in questions[: given.questions]:
            key = (name, given.ranked, question.id)
            if key not in done:
                with dspy.context(lm=lexical()):
                    before = list(measured(plain, question, given))
                    then = list(measured(after, question, given)) if learned else before
                about = {"set": name, "ranked": given.ranked, "id": question.id}
                done[key] = {**about, "before": before, "after": then}
                with kept.open("a") as file:
                    file.write(ujson.dumps(done[key]) + "\n")
        mine = [row for key, row in done.items() if key[:2] == (name, given.ranked)]
        for way, place in (("hybrid", 0), ("ranked-rag", 1))[: 1 + given.ranked]:
            told = [mean([row[when][place] for row in mine]) for when in ("before", "after")]
            print(f"| {name} | {len(mine)} | {way} | {told[0]} | {told[1]} |", flush=True)


if __name__ == "__main__":
    main()
