from concurrent.futures import ThreadPoolExecutor

import bm25s
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from Stemmer import Stemmer

from multihop.base import InputError
from multihop.retrieval import BM25, Passage

VOCABULARY = "the red rivers river ran running lake Σοφία x 1789 Zürich naïve o'clock".split()
SENTENCES = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join)
RIVERS = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Po", "The Po is the longest river of Italy."),
    Passage("p3", "Inn", "The Inn, a river, joins the Danube at Passau."),
    Passage("p4", "", "Rivers, rivers, rivers."),
]


def raw_scores(texts, query, k1=1.2, b=0.75):
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


@settings(max_examples=10)
@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=12), SENTENCES, st.integers(1, 40), st.booleans())
def test_scores_and_ranks_are_those_of_bm25s(tmp_path_factory, contents, query, k, titles):
    passages = [Passage(f"p{number}", title, text) for number, (title, text) in enumerate(contents)]
    texts = [f"{title} {text}" if titles else text for title, text in contents]
    folder = tmp_path_factory.mktemp("corpus") / "index"
    in_memory = BM25.build(passages, titles=titles)
    on_disk = BM25.build(iter(passages), titles=titles, folder=folder)
    try:
        scores = raw_scores(texts, query)
    except ValueError:  # bm25s cannot index nothing but stop words
        scores = [0.0] * len(texts)
    for retriever in (in_memory, on_disk):
        (hits,) = retriever.search([query], k)
        assert found(hits) == expected(passages, scores, k)
        assert all(hit.passage == passages[int(hit.passage.id[1:])] for hit in hits)
        assert retriever.search(["river", query, "lake"], k)[1] == hits
        assert list(retriever) == passages


@pytest.mark.parametrize(("k1", "b"), [(0, 0), (0.9, 0.4), (2, 1)])
def test_settings_reach_the_scores(k1, b):
    retriever = BM25.build(RIVERS, k1=k1, b=b, titles=False)
    scores = raw_scores([passage.text for passage in RIVERS], "a river near Danube", k1, b)
    assert found(retriever.search(["a river near Danube"], 4)[0]) == expected(RIVERS, scores, 4)


def test_a_query_without_known_terms_finds_nothing():
    queries = ["", "   ", "the of and", "unheard", "\x00", "\ud800", "?!", "é"]
    assert BM25.build(RIVERS).search(queries, 3) == [[]] * len(queries)


def test_odd_text_is_searched_like_any_other(tmp_path):
    passages = [Passage("\x00", "NUL\x00", "river\x00bank"), Passage("\ud800", "half \udfff", "İstanbul 東京都 😀")]
    for retriever in (BM25.build(passages), BM25.build(passages, folder=tmp_path / "index")):
        assert [[hit.passage for hit in hits] for hits in retriever.search(["bank\x00\ud800", "東京都"], 3)] == [
            [passages[0]],
            [passages[1]],
        ]


def test_a_corpus_of_stop_words_finds_nothing(tmp_path):
    BM25.build([Passage("p1", "The", "and of"), Passage("p2", "", "")], folder=tmp_path / "index")
    assert BM25.load(tmp_path / "index").search(["the river"], 3) == [[]]


def test_equal_scores_keep_the_order_of_the_corpus():
    passages = [Passage(f"p{number}", "", "a red river") for number in range(500)]
    retriever = BM25.build(passages)
    alone = retriever.search(["river"], 7)[0]
    assert [hit.passage.id for hit in alone] == [f"p{number}" for number in range(7)]
    assert retriever.search(["red", "river", "red river"], 7)[1] == alone


def test_threads_search_at_once(tmp_path):
    passages = [Passage(f"p{number}", "", f"river {number % 50} lake {number % 7}") for number in range(500)]
    retriever = BM25.build(passages, folder=tmp_path / "index")
    queries = [f"river {number % 50} lake {number % 11}" for number in range(100)]
    one_by_one = [retriever.search([query], 5)[0] for query in queries]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: retriever.search([query], 5)[0], queries)) == one_by_one


def test_what_is_no_search_is_refused():
    with pytest.raises(InputError, match=r"^k must be at least 1, not 0\.$"):
        BM25.build(RIVERS).search(["river"], 0)
    with pytest.raises(InputError, match=r"list of queries, not one text; write search\(\['river'\], k=5\)"):
        BM25.build(RIVERS).search("river", 5)


@pytest.mark.parametrize(("k1", "b"), [(-1, 0.5), (float("inf"), 0.5), (1, -0.1), (1, 1.1), (1, float("nan"))])
def test_settings_out_of_range_are_refused(k1, b):
    with pytest.raises(InputError, match="BM25 needs k1 of at least 0 and b between 0 and 1"):
        BM25.build(RIVERS, k1=k1, b=b)


def test_the_fingerprint_tells_corpora_and_settings_apart():
    builds = [
        BM25.build(RIVERS),
        BM25.build(RIVERS[::-1]),
        BM25.build(RIVERS, k1=1),
        BM25.build(RIVERS, b=1),
        BM25.build(RIVERS, titles=False),
    ]
    assert len({retriever.fingerprint for retriever in builds}) == len(builds)
    assert BM25.build(iter(RIVERS), k1=1).fingerprint == BM25.build(RIVERS, k1=1.0).fingerprint
    assert builds[0].fingerprint == "bm25-1f703e1cf88e7f0edc673303f34ac708"  # the same in every process


def test_progress_is_told(monkeypatch):
    monkeypatch.setattr("multihop.retrieval.bm25.BLOCK", 3)
    told = []
    assert repr(BM25.build(RIVERS, progress=told.append)) == "BM25(4 passages, 12 terms)"
    assert told == [3, 4]
