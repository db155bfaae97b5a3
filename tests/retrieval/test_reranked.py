import copy
import pickle

import pytest
from small_corpus import ROWS
from tiny_colbert import write_tiny_colbert

from multihop import BM25, OneStep, Passage, Reranked
from multihop.retrieval import Hit, fingerprint

pytestmark = pytest.mark.extra("colbert")

PASSAGES = [Passage(**row) for row in ROWS]


class Everything:
    """Finds all passages, in the order of the corpus, and notes how many it was asked for."""

    fingerprint = "everything"

    def __init__(self):
        self.asked = []

    def search(self, queries, k):
        self.asked.append(k)
        return [[Hit(passage, 1.0) for passage in PASSAGES[:k]] if query else [] for query in queries]


def exact(checkpoint, query):
    """The passages by the sum, over the query's tokens, of the best product with a token of theirs."""
    from multihop.retrieval.colbert_encoder import open_token_encoder

    encoder = open_token_encoder(checkpoint)
    (vectors,) = encoder.encode_queries([query])
    passages = encoder.encode_passages([str(passage) for passage in PASSAGES])
    scores = {
        passage.id: float((tokens @ vectors.T).max(0).values.clamp(min=0).sum())
        for passage, tokens in zip(PASSAGES, passages, strict=True)
    }
    return sorted(scores.items(), key=lambda scored: -scored[1])


def test_hits_are_ordered_by_exact_scores(checkpoint):
    queries = ["Torun on the Vistula", "", "a film directed in 1959"]
    rankings = Reranked(Everything(), checkpoint).search(queries, k=3)
    assert rankings[1] == []
    for query, ranking in zip(queries, rankings, strict=True):
        if query:
            expected = exact(checkpoint, query)
            assert [hit.passage.id for hit in ranking] == [name for name, _ in expected]
            assert [hit.score for hit in ranking] == pytest.approx([score for _, score in expected], rel=1e-5)
    assert [ranking[0].passage.id for ranking in (rankings[0], rankings[2])] == ["p3", "p1"]


@pytest.mark.parametrize(("k", "depth", "asked", "hits"), [(1, 2, 2, 1), (3, 2, 3, 3), (2, 50, 50, 2)])
def test_how_many_are_ordered(checkpoint, k, depth, asked, hits):
    first = Everything()
    ranking = Reranked(first, checkpoint, depth=depth).search(["Torun on the Vistula"], k=k)[0]
    assert (first.asked, len(ranking)) == ([asked], hits)
    assert [hit.passage.id for hit in ranking][:1] == (["p2"] if asked == 2 else ["p3"])


def test_it_has_a_fingerprint_of_its_own(checkpoint, tmp_path):
    other, bm25 = write_tiny_colbert(tmp_path / "other", seed=1), BM25.build(PASSAGES)
    parts = [(bm25, checkpoint, 50), (bm25, checkpoint, 20), (bm25, other, 50), (Everything(), checkpoint, 50)]
    known = [fingerprint(Reranked(retriever, place, depth=depth)) for retriever, place, depth in parts]
    assert len({*known, fingerprint(bm25)}) == 5
    assert fingerprint(Reranked(BM25.build(PASSAGES), checkpoint)) == known[0]
    assert known[0].startswith("reranked-")


def test_a_passage_is_encoded_once(checkpoint, monkeypatch):
    retriever = Reranked(Everything(), checkpoint)
    encode, encoded = retriever._encoder.encode_passages, []
    monkeypatch.setattr(retriever._encoder, "encode_passages", lambda texts: encoded.extend(texts) or encode(texts))
    first = retriever.search(["Torun", "Kowal"], k=3)
    assert retriever.search(["Torun", "Kowal"], k=3) == first
    assert encoded == [str(passage) for passage in PASSAGES]
    monkeypatch.setattr("multihop.retrieval.colbert_encoder._REMEMBERED", 1)
    assert Reranked(Everything(), checkpoint).search(["Torun", "Kowal"], k=3) == first


def test_copies_share_it_and_it_orders_what_is_there_now(checkpoint, tmp_path):
    reranked = Reranked(BM25.build(PASSAGES[:2], folder=tmp_path / "index"), checkpoint, depth=20)
    assert copy.deepcopy(OneStep(reranked, k=1)).retriever is reranked
    assert pickle.loads(pickle.dumps(reranked)).fingerprint == reranked.fingerprint
    assert reranked.latest() is reranked
    BM25.load(tmp_path / "index").add(PASSAGES[2:])
    (before,), (after,) = (each.search(["Torun"], k=5) for each in (reranked, reranked.latest()))
    assert (len(before), len(after)) == (1, 2)
