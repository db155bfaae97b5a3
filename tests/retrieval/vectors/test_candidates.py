import pickle
import sys

import numpy as np
import pytest
from full_disk import no_room_for

from multihop.base import DamagedFileError, InputError, MissingExtraError
from multihop.retrieval import Dense, Hybrid, Passage, open_index
from multihop.retrieval.vectors.candidates import FEWEST, FILE, Candidates, check_approximation

WIDTH = 16


def cloud(count):
    """Directions around a hundred centres, as the meanings of texts lie."""
    dice = np.random.default_rng(7)
    centres = dice.normal(size=(100, WIDTH))
    vectors = centres[dice.integers(0, 100, count)] + 0.5 * dice.normal(size=(count, WIDTH))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Numbered:
    """An encoder that knows a vector for every number; a text is one."""

    embedding, place = "numbered-1", {}

    def __init__(self, count):
        self.vectors = cloud(count)

    def embed(self, texts, *, progress=None):
        if progress:
            progress(len(texts))
        return self.vectors[[int(text.strip() or 0) for text in texts]]

    embed_queries = embed


def pages(count):
    return [Passage(f"p{number}", "", str(number)) for number in range(count)]


def ids(rankings):
    return [[hit.passage.id for hit in hits] for hits in rankings]


def near(rankings):
    """The same hits, with scores that may differ in their last digits: products are added up in another order."""
    return [[(hit.passage, pytest.approx(hit.score, abs=1e-5)) for hit in hits] for hits in rankings]


@pytest.mark.parametrize(("kind", "least"), [("hnsw", 0.99), ("ivf-pq", 0.9)])
def test_nearly_all_of_what_is_nearest_is_found_with_its_score(kind, least, tmp_path, monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setitem(FEWEST, "ivf-pq", 3000)
    count, encoder = 3000, Numbered(3000)
    monkeypatch.setattr("multihop.retrieval.dense.open_encoder", lambda *_, **__: encoder)
    exact = Dense.build(pages(count))
    made = Dense.build(iter(pages(count)), approximate=kind, folder=tmp_path / "index")
    opened = open_index(tmp_path / "index")
    queries = [str(number) for number in range(0, count, count // 100)]
    whole, found = exact.search(queries, 10), opened.search(queries, 10)
    held = [len({*one} & {*other}) for one, other in zip(ids(whole), ids(found), strict=True)]
    assert sum(held) / (10 * len(queries)) >= least
    assert [hits[0].passage.text for hits in found] == queries
    assert made.search(queries[:3], 10) == near(found[:3])
    scores = {hit.passage: hit.score for hits in whole[:1] for hit in hits}
    assert all(hit.score == pytest.approx(scores.get(hit.passage, hit.score), abs=1e-5) for hit in found[0])
    for hits in found:
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert opened.fingerprint == made.fingerprint != exact.fingerprint
    assert opened.search([" "], 3) == [[]]


def test_in_memory_in_a_hybrid_and_pickled(tmp_path, monkeypatch, tiny_encoder):
    pytest.importorskip("faiss")
    encoder = Numbered(50)
    for module in ("dense", "hybrid"):
        monkeypatch.setattr(f"multihop.retrieval.{module}.open_encoder", lambda *_, **__: encoder)
    exact, graph = Dense.build(pages(50)), Dense.build(pages(50), approximate="hnsw")
    assert graph.search(["3", "4"], 50) == near(exact.search(["3", "4"], 50))
    assert graph.search(["3"], 60) == near(exact.search(["3"], 60))
    candidates = graph._search.candidates
    again = pickle.loads(pickle.dumps(candidates))
    assert again.find(encoder.vectors[:1], 3).tolist() == candidates.find(encoder.vectors[:1], 3).tolist()
    both = Hybrid.build(pages(50), approximate="hnsw", folder=tmp_path / "both")
    assert both._both[1].fingerprint == graph.fingerprint


def test_equal_scores_keep_the_order_of_the_corpus(monkeypatch):
    pytest.importorskip("faiss")

    class Same(Numbered):
        def embed(self, texts, *, progress=None):
            return np.ones((len(texts), 8), np.float32)

        embed_queries = embed

    found = Dense.build(pages(30), encoder=Same(1), approximate="hnsw").search(["1"], 30)
    assert [hit.passage.id for hit in found[0]] == [page.id for page in pages(30)]


def test_damage_is_noticed(tmp_path, monkeypatch):
    pytest.importorskip("faiss")
    Candidates.build(cloud(40).astype(np.float16), "hnsw").write(tmp_path)
    assert Candidates.read(tmp_path, "hnsw", 40).find(cloud(40)[:1], 1)[0][0] == 0
    with pytest.raises(DamagedFileError, match="is of other vectors"):
        Candidates.read(tmp_path, "hnsw", 41)
    (tmp_path / FILE).write_bytes(b"cut")
    with pytest.raises(DamagedFileError, match="cannot be read; rebuild it with"):
        Candidates.read(tmp_path, "hnsw", 40)


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    pytest.importorskip("faiss")
    encoder = Numbered(50)
    monkeypatch.setattr("multihop.retrieval.dense.open_encoder", lambda *_, **__: encoder)
    Dense.build(pages(50), approximate="hnsw", folder=tmp_path / "index")
    with no_room_for(10_000), pytest.raises(InputError) as caught:
        Dense.build(pages(40), approximate="hnsw", folder=tmp_path / "index")
    assert str(caught.value) == f"cannot write {tmp_path / 'index'}: File too large."
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert len(open_index(tmp_path / "index")) == 50


def test_lists_need_many_vectors():
    pytest.importorskip("faiss")
    with pytest.raises(InputError, match="ivf-pq needs 10,000 passages or more, not 40; take hnsw, or none"):
        Candidates.build(cloud(40).astype(np.float16), "ivf-pq")


def test_what_is_missing_or_unknown_is_said_before_anything_is_encoded(monkeypatch):
    with pytest.raises(InputError, match=r"unknown approximation 'hsnw'; did you mean 'hnsw'\? Valid: hnsw, ivf-pq"):
        check_approximation("hsnw")
    monkeypatch.setitem(sys.modules, "faiss", None)

    def nothing():
        raise AssertionError("read")
        yield

    with pytest.raises(MissingExtraError, match=r"an approximate index needs the extra \[faiss\]"):
        Dense.build(nothing(), encoder=Numbered(1), approximate="hnsw")
