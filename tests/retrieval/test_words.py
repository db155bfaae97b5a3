from pathlib import Path

import bm25s
import numpy
import pytest
from bm25s.stopwords import STOPWORDS_EN
from hypothesis import given, settings
from hypothesis import strategies as st
from Stemmer import Stemmer

from multihop.retrieval import inverted_index, word_search
from multihop.retrieval.inverted_index import (
    NO_TERM,
    STOP_WORDS,
    TermCounts,
    TermTable,
    read_postings,
    score_terms,
    words,
    write_scored_terms,
)
from multihop.retrieval.word_search import WordSearch, accumulate, best

TEXTS = st.lists(
    st.lists(st.sampled_from("the red rivers river ran running lake Σοφία x 1789".split())).map(" ".join), min_size=1
)
WORDS = [f"word{number}" for number in range(12)]
FREQUENT_AND_RARE = st.integers(0, 2**12 - 1).map(lambda drawn: WORDS[12 - drawn.bit_length() if drawn else 0])
UNEVEN = st.lists(st.lists(FREQUENT_AND_RARE, max_size=12).map(" ".join), min_size=1, max_size=60)


def count(texts, block=10**6, file=None):
    counts = TermCounts(file)
    for start in range(0, len(texts), block):
        counts.add(texts[start : start + block])
    return counts


def build(texts, k1=1.2, b=0.75, block=10**6):
    counts = count(texts, block)
    return counts.stems, score_terms(counts, k1=k1, b=b)


def raw_index(texts, k1=1.2, b=0.75):
    """What bm25s itself makes of the texts; None if they have no terms, which it cannot index."""
    tokens = bm25s.tokenize(texts, stemmer=Stemmer("english"), show_progress=False)
    raw = bm25s.BM25(k1=k1, b=b, method="lucene")
    if not tokens.vocab:
        return None
    raw.index(tokens, show_progress=False)
    return raw


def look_at_all(postings, terms, k, passages):
    scores = numpy.zeros(passages, numpy.float32)
    accumulate(postings, terms, scores)
    return slow_best(scores, k)


def slow_best(scores, k):
    ranking = sorted((-score, place) for place, score in enumerate(scores.tolist()) if score > 0)[:k]
    return [place for _, place in ranking], [-score for score, _ in ranking]


ANY = st.characters(exclude_categories=()) | st.sampled_from("aAbeginRs édİß_5'-\x00\ud800")


@given(st.text(ANY, max_size=40))
def test_words_and_terms_are_those_of_bm25s(text):
    assert words(text) == bm25s.tokenize(text, stopwords=None, return_ids=False, show_progress=False)[0]
    stems = {}
    table = TermTable(lambda stem: stems.setdefault(stem, len(stems)))
    terms = [table[word] for word in words(text)]
    names = {number: stem for stem, number in stems.items()}
    expected = bm25s.tokenize(text, stemmer=Stemmer("english"), return_ids=False, show_progress=False)[0]
    assert [names[term] for term in terms if term != NO_TERM] == expected
    assert frozenset(STOPWORDS_EN) == STOP_WORDS


def test_a_full_table_forgets_words_but_no_stems(monkeypatch):
    monkeypatch.setattr(inverted_index, "_REMEMBERED", len(STOP_WORDS) + 2)
    table = TermTable({"river": 0, "meet": 1, "end": 2}.__getitem__)
    assert [table[word] for word in ("rivers", "meeting", "ends", "the", "river")] == [0, 1, 2, NO_TERM, 0]
    assert len(table) <= len(STOP_WORDS) + 2


@given(
    texts=TEXTS,
    block=st.integers(1, 4),
    at_once=st.integers(1, 6),
    k1=st.sampled_from([0.0, 0.9, 1.2]),
    b=st.sampled_from([0.0, 0.4, 0.75, 1.0]),
)
def test_every_column_is_that_of_bm25s_to_the_last_bit(tmp_path_factory, texts, block, at_once, k1, b):
    folder = tmp_path_factory.mktemp("postings")
    with pytest.MonkeyPatch.context() as patch, (folder / "waiting").open("w+b") as file:
        patch.setattr(inverted_index, "_AT_ONCE", at_once)
        stems, in_memory = build(texts, k1, b, block)
        write_scored_terms(count(texts, block, file), folder, k1=k1, b=b)
    raw = raw_index(texts, k1, b)
    if raw is None:
        assert (stems, len(in_memory.data), in_memory.indptr.tolist()) == ({}, 0, [0])
        return
    assert stems.keys() == raw.vocab_dict.keys() - {""}
    for ours in (in_memory, read_postings(folder, len(stems))):
        assert [array.dtype for array in ours] == [numpy.float32, numpy.int32, numpy.int64, numpy.float32]
        for stem, term in stems.items():
            scores, places = ours.column(term)
            theirs = slice(*raw.scores["indptr"][raw.vocab_dict[stem] :][:2])
            assert places.tolist() == raw.scores["indices"][theirs].tolist()
            assert scores.tobytes() == raw.scores["data"][theirs].tobytes()
            assert ours.highest[term] == scores.max()


def test_counts_too_large_for_narrow_integers():
    texts = ["lake " * 70_000, "lake " * 256, *["river"] * 300]
    assert sorted(build(texts)[1].data.tolist()) == sorted(raw_index(texts).scores["data"].tolist())


@pytest.mark.parametrize(("k", "positive", "distinct"), [(1, 0.001, 3), (10, 0.2, 3), (100, 1.0, 10**6)])
def test_best_among_many(k, positive, distinct):
    random = numpy.random.default_rng(k)
    scores = random.integers(1, distinct + 1, 20_011).astype(numpy.float32)
    scores[random.random(len(scores)) >= positive] = 0
    assert best(scores, k) == slow_best(scores, k)


@settings(max_examples=100)
@given(
    texts=UNEVEN,
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    k=st.integers(1, 70),
    k1=st.sampled_from([0.0, 0.9, 1.2, 1e60]),  # with the last, scores are too small for their precision
    b=st.sampled_from([0.0, 0.75, 1.0]),
    cheaper=st.sampled_from([1, 4, 8]),
)
def test_it_finds_what_looking_at_all_finds(texts, query, k, k1, b, cheaper):
    stems, made = build(texts, k1, b)
    terms = [stems[word] for word in query if word in stems]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_search, "FEW", 0)
        patch.setattr(word_search, "_CHEAPER", cheaper)
        search = WordSearch(made, len(texts))
        assert search.find_best(terms, k) == look_at_all(made, terms, k, len(texts))
    assert not any(scores.any() for scores in search._spare_scores)  # which the next search begins with


@pytest.fixture
def skip_always(monkeypatch):
    monkeypatch.setattr(word_search, "FEW", 0)


def test_frequent_terms_are_not_gone_through_where_rare_ones_decide(skip_always, monkeypatch):
    stems, made = build(["river name"] * 5 + ["river"] * 5000 + ["river lake"] * 5000)
    added, add = [], word_search._Narrowing._add

    def noting(self, column):
        added.append(len(column.places))
        add(self, column)

    monkeypatch.setattr(word_search._Narrowing, "_add", noting)
    terms = [stems["river"], stems["name"]]
    assert WordSearch(made, 10_005).find_best(terms, 3)[0] == [0, 1, 2]
    assert added == [5]


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells what of a file is in memory")
def test_the_memory_of_mapped_files_is_given_back_and_read_again(tmp_path, skip_always, monkeypatch):
    monkeypatch.setattr(word_search, "_SEARCHED", 30_000)
    counts = count(["river name"] * 5 + ["river"] * 5000 + ["river lake"] * 5000)
    stems, made = counts.stems, score_terms(counts, k1=1.2, b=0.75)
    write_scored_terms(counts, tmp_path, k1=1.2, b=0.75)
    search = WordSearch(read_postings(tmp_path, len(stems)), 10_005)
    terms = [stems["river"], stems["lake"]]
    found = []
    for held in (True, False, True):  # 15,005 scores at each search
        found.append(search.find_best(terms, 20))
        assert (in_memory(tmp_path) > 0) is held
    assert found == [look_at_all(made, terms, 20, 10_005)] * 3


def in_memory(folder):
    """KiB of the scores in a folder that this process has in memory."""
    held, ours = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split()[0]:
            ours = str(folder) in line
        elif ours and line.startswith("Rss:"):
            held += int(line.split()[1])
    return held
