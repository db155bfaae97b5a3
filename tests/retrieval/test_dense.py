import shutil
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import FAR_APART
from tiny_sentences import mean_vector, write_tiny_sentences

from multihop.base import InputError, MismatchError, MissingExtraError
from multihop.encoder import Encoder, SentenceEncoder
from multihop.retrieval import Dense, Hit, Hybrid, Passage, fuse, open_index
from multihop.retrieval import dense as module
from multihop.retrieval.dense import FIRSTS, VECTORS, Vectors, VectorSearch
from multihop.retrieval.hybrid import add_up
from multihop.retrieval.index_folder import find_home, read_manifest, seal

QUERIES = ["mountains that erupt", "food", "a river in Austria"]


def ids(rankings):
    return [[hit.passage.id for hit in hits] for hits in rankings]


def test_it_finds_by_meaning_and_nothing_for_a_blank():
    found = ids(Dense.build(FAR_APART).search([*QUERIES[:2], " "], 1))
    assert found == [["p2"], ["p4"], []]


def test_a_passage_is_found_by_the_sentence_that_is_nearest():
    text = "It has a cathedral. Its bakers sell a hundred kinds of bread. The football club plays in red."
    passages = [Passage("p1", "Passau", text), Passage("p2", "Ulm", "It is a town of carpenters.")]
    encoder = Encoder.load()
    (sentences,) = encoder.embed_passages([f"Passau. {text}"], [8])
    (query,) = encoder.embed(["Which team wears red?"])
    (hits,) = Dense.build(passages).search(["Which team wears red?"], 1)
    assert int((sentences @ query).argmax()) == 2
    assert (hits[0].passage.id, hits[0].score) == ("p1", pytest.approx(float((sentences @ query).max()), abs=2e-3))
    assert hits[0].score > Dense.build(passages, one_vector=True).search(["Which team wears red?"], 1)[0][0].score


@pytest.mark.parametrize("one_vector", [True, False])
def test_scores_are_cosines_of_all_passages(tmp_path, one_vector):
    encoder = Encoder.load()
    texts = [f"{page.title}. {page.text}" if page.title else page.text for page in FAR_APART]
    heads = [len(page.title) + 2 if page.title else 0 for page in FAR_APART]
    meant = encoder.embed(texts) if one_vector else np.concatenate(encoder.embed_passages(texts, heads))
    cosines = encoder.embed(QUERIES) @ meant.astype(np.float16).astype(np.float32).T
    here = Dense.build(FAR_APART, one_vector=one_vector)
    for retriever in (here, Dense.build(iter(FAR_APART), folder=tmp_path / "index", one_vector=one_vector)):
        assert retriever.fingerprint == here.fingerprint
        for row, hits in zip(cosines, retriever.search(QUERIES, 9), strict=True):
            assert [hit.passage for hit in hits] == [FAR_APART[place] for place in np.argsort(-row, kind="stable")]
            assert [hit.score for hit in hits] == pytest.approx(sorted(row, reverse=True), abs=2e-3)
    for other in ({"one_vector": not one_vector}, {"one_vector": one_vector, "titles": False}):
        assert Dense.build(FAR_APART, **other).fingerprint != here.fingerprint


def test_words_and_vectors_of_two_corpora_are_damage(tmp_path):
    Hybrid.build(FAR_APART, folder=tmp_path / "both")
    Dense.build(FAR_APART[1:], folder=tmp_path / "few")
    both, few = find_home(tmp_path / "both"), find_home(tmp_path / "few")
    for name in (VECTORS, FIRSTS):
        shutil.copy(few / name, both / name)
    seal(both, read_manifest(both).model_dump(exclude={"files"}))  # the checksums fit
    with pytest.raises(InputError, match=r"vectors\.firsts is not as it was written"):
        open_index(tmp_path / "both")


def test_an_index_of_another_encoder_is_refused(tmp_path, monkeypatch):
    Dense.build(FAR_APART, folder=tmp_path / "index")
    monkeypatch.setattr(Encoder, "embedding", "other-1")
    with pytest.raises(InputError, match="and this one is other-1"):
        open_index(tmp_path / "index")


@pytest.mark.extra("encoders")
@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_any_sentence_encoder_makes_the_vectors(kind, tmp_path):
    folder = write_tiny_sentences(tmp_path / "e5", prompts={"query": "query: "})
    encoder = SentenceEncoder(folder, passage_prefix="passage: ")
    pages = [Passage("p1", "", "a river in italy"), Passage("p2", "", "a volcano"), Passage("p3", "", "bread")]
    made = kind.build(pages, folder=tmp_path / "index", encoder=encoder)
    opened = open_index(tmp_path / "index")
    assert opened.fingerprint == made.fingerprint != kind.build(pages).fingerprint
    assert kind.build(pages, encoder=SentenceEncoder(folder)).fingerprint != made.fingerprint
    meanings = opened if kind is Dense else opened._both[1]
    assert meanings.encoder.place == encoder.place
    one, other = map(mean_vector, ("query: italy", "passage: a river in italy"))
    score = next(hit.score for hit in meanings.search(["italy"], 3)[0] if hit.passage.id == "p1")
    assert score == pytest.approx(float(one @ other), abs=2e-3)
    assert ids(kind.load(tmp_path / "index").search(["bread"], 1)) == [["p3"]]


@pytest.mark.extra("encoders")
def test_an_index_of_a_sentence_encoder_that_has_changed_is_refused(tmp_path):
    folder = write_tiny_sentences(tmp_path / "e5")
    Dense.build([Passage("p1", "", "bread")], folder=tmp_path / "index", encoder=SentenceEncoder(folder))
    write_tiny_sentences(folder, seed=1)
    with pytest.raises(MismatchError, match=r"was made by the encoder e5-.*, and this one is e5-.*; rebuild it with"):
        open_index(tmp_path / "index")
    shutil.rmtree(folder)
    with pytest.raises(InputError, match="e5 holds no encoder: it is neither a folder nor a name on the hub"):
        open_index(tmp_path / "index")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(MissingExtraError, match=r"e5 needs the extra \[encoders\]"):
            open_index(tmp_path / "index")


@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_progress_counts_passages_up_to_the_last(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.retrieval.dense.BLOCK", 2)
    for where in ({}, {"folder": tmp_path / "index"}):
        told = []
        kind.build(FAR_APART, progress=told.append, **where)
        assert told == sorted(told)
        assert {2, 4} <= set(told) <= {0, 1, 2, 3, 4}
        assert told[-1] == 4


def made(seed, count, width, kind=np.float16):
    dice = np.random.default_rng(seed)
    rows = dice.normal(size=(count, width)) * dice.choice([0.1, 1, 30])
    rows[dice.integers(0, count, count // 3)] = rows[0]  # some are equal
    return rows.astype(kind)


def by_every_product(stored, query, k):
    """The ranking by all products, one by one."""
    products = (stored.rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32)
    highest = np.maximum.reduceat(products, stored.firsts[:-1]).tolist()
    return sorted(enumerate(highest), key=lambda placed: (-placed[1], placed[0]))[:k]


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=60) | st.integers(1, 60).map(lambda count: [1] * count)


@pytest.mark.parametrize("small", [0, 1 << 24])  # by FAISS, where it is installed, and by NumPy
@given(
    seed=st.integers(0, 10_000),
    sizes=SIZES,
    width=st.sampled_from([1, 3, 16, 65]),
    k=st.integers(1, 25),
    compared=st.sampled_from([1, 7, 1 << 16]),
)
def test_they_are_those_with_the_highest_products_and_equal_ones_in_their_order(small, seed, sizes, width, k, compared):
    stored = Vectors(made(seed, sum(sizes), width), np.cumsum([0, *sizes]))
    queries = made(seed + 1, 9, width, np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SMALL", small)
        patch.setattr(module, "_COMPARED", compared)
        patch.setattr(module, "_MANY", 4)
        search = VectorSearch(stored)
        whole = search.find_best(queries, k)
        assert whole == [by_every_product(stored, query, k) for query in queries]
        assert [search.find_best(queries[place : place + 1], k)[0] for place in range(9)] == whole


class Listed:
    """Ranks the passages as its list does, by scores that fall by one, and remembers how many it was asked for."""

    def __init__(self, passages):
        self._passages, self.asked = passages, []

    def search(self, queries, k):
        self.asked.append(k)
        return [[Hit(passage, -float(place)) for place, passage in enumerate(self._passages[:k])] for _ in queries]


def test_the_first_fifty_places_of_each_ranking_count():
    pages = [Passage(f"p{number}", "", "") for number in range(1, 102)]
    others = [Passage(f"o{number}", "", "") for number in range(1, 102)]
    for place, score in ((0, 1.0), (25, (1 + 24 / 49) / 2), (49, 0.5), (50, 0.5)):
        words, meanings = Listed(pages), Listed([*others[:place], pages[0], *others[place:]])
        ranked = {k: Hybrid(words, meanings).search(["?"], k)[0] for k in (3, 80)}
        assert words.asked == meanings.asked == [50, 80]
        assert ranked[3] == ranked[80][:3]
        assert Hit(pages[0], pytest.approx(score)) in ranked[3]


def test_fused_are_rankings_of_any_scores():
    po, inn, etna = FAR_APART[:3]
    assert add_up() == add_up([], []) == fuse() == fuse([], []) == []
    assert add_up([Hit(po, -3.0)], [Hit(inn, 7.0), Hit(etna, 7.0)]) == [Hit(po, 0.5), Hit(inn, 0.5), Hit(etna, 0.5)]
    assert add_up([Hit(po, 2.0), Hit(inn, 1.0)], []) == [Hit(po, 0.5), Hit(inn, 0.0)]
    small, large = [Hit(po, 2.0), Hit(inn, 1.0)], [Hit(etna, 30.0), Hit(inn, 25.0), Hit(po, 10.0)]
    assert add_up(small, large) == [Hit(po, 0.5), Hit(etna, 0.5), Hit(inn, 0.375)]
