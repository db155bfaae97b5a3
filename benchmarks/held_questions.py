"""The tokens, findings and answers of `ranked-rag` on questions of no dev set.

python benchmarks/held_questions.py                                  # as shipped, 70, 60, 50 and 150 questions
python benchmarks/held_questions.py --set k=6 --set k_after=2 --set widen=3

Over hybrid search among the paragraphs of `hotpotqa_more`, `2wikimultihopqa_more`, MuSiQue's `train`, which the judge
has learned from, and of StrategyQA, facts of one sentence without titles. Settings are chosen by these.
"""

import argparse
import gzip
import json
from pathlib import Path

import dspy
from encoder_speed import Counted

from multihop import Hybrid, RankedRAG, local, open_index, open_questions
from multihop.evaluation.metrics import F1
from multihop.retrieval import is_index
from multihop.runtime import parse_settings

FILES = {
    "hotpotqa": ("reading/hotpotqa_more", 300, 70),
    "2wikimultihopqa": ("reading/2wikimultihopqa_more", 300, 60),
    "musique": ("musique", 300, 50),
    "strategyqa": ("reading/strategyqa", 700, 150),
}
"""For each set its file, the questions whose paragraphs are searched, and how many of these are asked, the last."""


def supporting(path):
    """The texts of each question's gold paragraphs, by its id."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {
        row["id"]: {page["text"] for page in row["paragraphs"] if page.get("supporting") or page.get("is_supporting")}
        for row in rows
    }


def open_set(name, given):
    """An index of the paragraphs, and the questions with the ids of their gold."""
    file, searched, count = FILES[name]
    path = given.shared / f"{file}.train.jsonl.gz"
    questions, gold = list(open_questions(path))[:searched], supporting(path)
    folder = given.indexes / name
    if not is_index(folder):
        pages = {page.id: page for question in questions for page in question.passages}
        Hybrid.build(list(pages.values()), titles=name != "musique", folder=folder)
    asked = [(each, {page.id for page in each.passages if page.text in gold[each.id]}) for each in questions]
    return open_index(folder), [(question, ids) for question, ids in asked if len(ids) > 1][-count:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", default=[], help="a setting, name=value, of ranked-rag")
    parser.add_argument("--sets", default=",".join(FILES), help="names, separated by commas")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/held"), help="where indexes are kept")
    given = parser.parse_args()
    f1 = F1()
    given.indexes.mkdir(parents=True, exist_ok=True)
    print("| set | recall@2 | recall@5 | F1 | inputs | tokens | core ms |\n| --- |" + " ---: |" * 6)
    for name in given.sets.split(","):
        retriever, asked = open_set(name, given)
        program = RankedRAG(retriever, **parse_settings(given.set))
        networks = [Counted(network) for network in (program.encoder._judge, program.encoder._reader)]
        for each in networks:
            each.network._ask = each._ask
        found = []
        with dspy.context(lm=local()):
            for question, gold in asked:
                prediction = program(question=question.question)
                ids = [passage.id for passage in prediction.passages]
                places = [len(gold.intersection(ids[:most])) / len(gold) for most in (2, 5)]
                found.append((*places, f1.measure(question, prediction)))
        means = [f"{100 * sum(column) / len(found):.1f}" for column in zip(*found, strict=True)]
        seen = [each for network in networks for each in network.seen]
        tokens, seconds = (sum(column) / len(found) for column in zip(*seen, strict=True))
        costs = [f"{len(seen) / len(found):.1f}", f"{tokens:,.0f}", f"{1000 * seconds:.0f}"]
        print(f"| {name} | {' | '.join([*means, *costs])} |", flush=True)


if __name__ == "__main__":
    main()
