"""Measures how well an encoder finds the page of a single hop, given the right question for it (MuSiQue dev).

python benchmarks/oracle_hops.py                      # the built-in encoder, 80 questions
python benchmarks/oracle_hops.py --weights encoder --questions 354

Each hop's question has the answers of the hops before it filled in. BM25 over the texts finds ten pages, which the
judge puts in its own order, and RankedRAG in one round: the judge's, the rank under BM25, and the reader's, which
sees the pages side by side. To measure with, never to choose by.
"""

import argparse
import random
from pathlib import Path

import dspy
from dev_sets import open_retriever_of

from multihop import open_questions, scripted
from multihop.encoder import Pair
from multihop.programs import RankedRAG

PLACES = (1, 2, 5)


def hop_questions(question):
    """The question of each hop with the id of its page."""
    return [(hop.question.replace(" >> ", " "), hop.passage) for hop in question.decomposition]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", help="the folder of an encoder; the built-in one unless told")
    parser.add_argument("--questions", type=int, default=80, help="drawn by lot, with a fixed seed")
    parser.add_argument("--k", type=int, default=10, help="pages that BM25 finds")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/dev"), help="where indexes are kept")
    given = parser.parse_args()
    given.indexes.mkdir(parents=True, exist_ok=True)
    retriever = open_retriever_of("bm25", "musique", given)
    questions = list(open_questions(given.shared / "musique.dev.jsonl.gz"))
    random.Random(1).shuffle(questions)
    hops = [hop for question in questions[: given.questions] for hop in hop_questions(question)]
    found = {name: dict.fromkeys(PLACES, 0) for name in ("bm25", "judge", "ranked-rag")}
    lm = scripted(lambda prompt: {"answer": ""})
    one_round = RankedRAG(retriever, k=given.k, hops=1, side_by_side=given.k, weights=given.weights)
    for text, gold in hops:
        pages = [hit.passage for hit in retriever.search([text], given.k)[0]]
        verdicts = one_round.encoder.judge([Pair(text, str(page)) for page in pages])
        order = sorted(range(len(pages)), key=lambda place: -verdicts[place].relevant)
        with dspy.context(lm=lm):
            ranked = one_round(question=text).passages
        rankings = {
            "bm25": [page.id for page in pages],
            "judge": [pages[place].id for place in order],
            "ranked-rag": [page.id for page in ranked],
        }
        for name, ranking in rankings.items():
            for place in PLACES:
                found[name][place] += gold in ranking[:place]
    print(f"| {len(hops)} hops | {' | '.join(f'hit@{place}' for place in PLACES)} |\n| --- {'| ---: ' * len(PLACES)}|")
    for name, counts in found.items():
        print(f"| {name} | {' | '.join(f'{100 * counts[place] / len(hops):.1f}' for place in PLACES)} |")


if __name__ == "__main__":
    main()
