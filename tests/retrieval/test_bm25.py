from concurrent.futures import ThreadPoolExecutor

import bm25s
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import RIVERS
from Stemmer import Stemmer

from multihop.base import InputError
from multihop.retrieval import BM25, Passage

PASSAGES = [*RIVERS, Passage("p4", "", "Rivers, rivers, rivers.")]
VOCABULARY = "the red rivers river ran running lake Σοφία x 1789 Zürich naïve o'clock".split()
SENTENCES = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join)


def raw_scores(texts, query, k1, b):
    """The score that bm25s itself gives each text."""
    raw = bm25s.BM25(k1=k1, b=b, method="lucene")
    raw.index(bm25s.tokenize(texts, stemmer=Stemmer("english"), show_progress=False), show_progress=False)
    tokens = bm25s.tokenize(query, stemmer=Stemmer("english"), return_ids=False, show_progress=False)[0]
    terms = raw.get_tokens_ids(tokens)
    return raw.get_scores_from_ids(terms).tolist() if terms else [0.0] * len(texts)


def expected(passages, scores, k):
    ranking = sorted((-score, position) for position, score in enumerate(scores) if score > 0)[:k]
    return [(passages[position].id, -score) for score, position in ranking]


def found(hits):
    return [(hit.passage.id, hit.score) for hit in hits]


@settings(max_examples=20)
@given(
    contents=st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=12),
    query=SENTENCES,
    k=st.integers(1, 40),
    weights=st.sampled_from([(1.2, 0.75), (0, 0), (0.9, 0.4), (2, 1)]),
    titles=st.booleans(),
)
def test_scores_and_ranks_are_those_of_bm25s(tmp_path_factory, contents, query, k, weights, titles):
    passages = [Passage(f"p{number}", title, text) for number, (title, text) in enumerate(contents)]
    texts = [f"{title} {text}" if titles else text for title, text in contents]
    options = dict(zip(("k1", "b"), weights, strict=True), titles=titles)
    on_disk = BM25.build(iter(passages), **options, folder=tmp_path_factory.mktemp("corpus") / "index")
    try:
        scores = raw_scores(texts, query, *weights)
    except ValueError:  # bm25s cannot index nothing but stop words
        scores = [0.0] * len(texts)
    for retriever in (BM25.build(passages, **options), on_disk):
        (hits,) = retriever.search([query], k)
        assert found(hits) == expected(passages, scores, k)
        assert all(hit.passage == passages[int(hit.passage.id[1:])] for hit in hits)
        assert retriever.search(["river", query, "lake"], k)[1] == hits
        assert list(retriever) == passages


def test_a_query_without_known_terms_finds_nothing():
    queries = ["", "   ", "the of and", "unheard", "\x00", "\ud800", "?!", "é"]
    assert BM25.build(PASSAGES).search(queries, 3) == [[]] * len(queries)


def test_odd_text_is_searched_like_any_other(tmp_path):
    passages = [Passage("\x00", "NUL\x00", "river\x00bank"), Passage("\ud800", "half \udfff", "İstanbul 東京都 😀")]
    for retriever in (BM25.build(passages), BM25.build(passages, folder=tmp_path / "index")):
        assert [[hit.passage for hit in hits] for hits in retriever.search(["bank\x00\ud800", "東京都"], 3)] == [
            [passages[0]],
            [passages[1]],
        ]


def test_threads_search_at_once(tmp_path):
    passages = [Passage(f"p{number}", "", f"river {number % 50} lake {number % 7}") for number in range(500)]
    retriever = BM25.build(passages, folder=tmp_path / "index")
    queries = [f"river {number % 50} lake {number % 11}" for number in range(100)]
    one_by_one = [retriever.search([query], 5)[0] for query in queries]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: retriever.search([query], 5)[0], queries)) == one_by_one


@pytest.mark.parametrize(("k1", "b"), [(-1, 0.5), (float("inf"), 0.5), (1, -0.1), (1, float("nan"))])
def test_settings_out_of_range_are_refused(k1, b):
    with pytest.raises(InputError, match="BM25 needs k1 of at least 0 and b between 0 and 1"):
        BM25.build(PASSAGES, k1=k1, b=b)


def test_the_fingerprint_tells_corpora_and_settings_apart():
    changed = [{"k1": 1}, {"b": 1}, {"titles": False}]
    builds = [BM25.build(PASSAGES), BM25.build(PASSAGES[::-1]), *(BM25.build(PASSAGES, **each) for each in changed)]
    assert len({retriever.fingerprint for retriever in builds}) == len(builds)
    assert BM25.build(iter(PASSAGES), k1=1).fingerprint == BM25.build(PASSAGES, k1=1.0).fingerprint
    assert builds[0].fingerprint == "bm25-1f703e1cf88e7f0edc673303f34ac708"  # the same in every process


def test_progress_is_told(monkeypatch):
    monkeypatch.setattr("multihop.retrieval.bm25.BLOCK", 3)
    told = []
    assert repr(BM25.build(PASSAGES, progress=told.append)) == "BM25(4 passages, 12 terms)"
    assert told == [3, 4]
