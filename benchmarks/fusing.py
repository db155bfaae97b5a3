"""Ranks against scores: two ways to fuse what words and vectors find, on training questions, of which neither learned.

    python benchmarks/fusing.py
    python benchmarks/fusing.py --sets musique

Recall@2, @5 and @18 (what `ranked-rag` may label), with the paired difference from ranks as they are fused and its 95 %
interval. Scores of each ranking are put between 0 and 1 and added, with a share for the words. MuSiQue's hundred
questions are searched among its dev corpus as well.
"""

import argparse
from pathlib import Path

import numpy as np

from multihop import BM25, open_questions
from multihop.data import open_corpus
from multihop.evaluation.report.statistics import bootstrap_means
from multihop.retrieval import Dense, fuse

SETS = ("musique", "2wikimultihopqa", "hotpotqa")
PLACES = (2, 5, 18)
DEPTH = 50
SHARES = (0.3, 0.4, 0.5, 0.6, 0.7)


def between_0_and_1(hits):
    """Each passage's score, the best of the ranking being 1 and the last 0."""
    if not hits:
        return {}
    least, span = hits[-1].score, (hits[0].score - hits[-1].score) or 1
    return {hit.passage.id: (hit.score - least) / span for hit in hits}


def by_scores(words, vectors, share):
    """The passages by the sum of their scores, of which the words' counts as this share."""
    said, meant = between_0_and_1(words), between_0_and_1(vectors)
    ids = dict.fromkeys([*said, *meant])
    return sorted(ids, key=lambda id_: -(share * said.get(id_, 0) + (1 - share) * meant.get(id_, 0)))


def recall(rankings, questions, k):
    """The share of each question's gold among the first passages."""
    gold = [set(question.supporting) for question in questions]
    return np.array([100 * len(set(ids[:k]) & each) / len(each) for ids, each in zip(rankings, gold, strict=True)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of the sets")
    given = parser.parse_args()
    for name in given.sets.split(","):
        questions = list(open_questions(given.shared / f"{name}.train.jsonl.gz"))
        passages = {passage.id: passage for question in questions for passage in question.passages}
        if name == "musique":
            passages |= {passage.id: passage for passage in open_corpus(given.shared / "musique.corpus.jsonl.gz")}
        titles = name != "musique"
        words = BM25.build(passages.values(), titles=titles)
        vectors = Dense.build(words, titles=titles)
        asked = [question.question for question in questions]
        both = list(zip(words.search(asked, DEPTH), vectors.search(asked, DEPTH), strict=True))
        ways = {"ranks": [[hit.passage.id for hit in fuse(*each)] for each in both]}
        ways |= {f"scores, {share} for words": [by_scores(*each, share) for each in both] for share in SHARES}
        print(f"{name}: {len(questions)} questions, {len(passages)} passages")
        for way, rankings in ways.items():
            cells = []
            for k in PLACES:
                found = recall(rankings, questions, k)
                differs = found - recall(ways["ranks"], questions, k)
                gain = bootstrap_means({"gain": differs})["gain"]
                cells.append(f"{found.mean():.1f} ({gain.mean:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}])")
            print(f"| {way} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
