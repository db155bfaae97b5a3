from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.retrieval.words import word_search
from multihop.retrieval.words.postings import read_postings, score_terms, write_scored_terms
from multihop.retrieval.words.ranking import accumulate
from multihop.retrieval.words.term_counts import TermCounts
from multihop.retrieval.words.word_search import WordSearch, look_up

WORDS = [f"word{number}" for number in range(12)]
FREQUENT_AND_RARE = st.integers(0, 2**12 - 1).map(lambda drawn: WORDS[12 - drawn.bit_length() if drawn else 0])
TEXTS = st.lists(st.lists(FREQUENT_AND_RARE, max_size=12).map(" ".join), min_size=1, max_size=60)
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)


def index(texts, k1=1.2, b=0.75):
    counts = TermCounts()
    counts.add(texts)
    return counts.stems, score_terms(counts, k1=k1, b=b)


def look_at_all(postings, terms, k, passages):
    scores = numpy.zeros(passages, numpy.float32)
    accumulate(postings, terms, scores)
    ranking = sorted((-score, place) for place, score in enumerate(scores.tolist()) if score > 0)[:k]
    return [place for _, place in ranking], [-score for score, _ in ranking]


@pytest.fixture(autouse=True)
def skip_always(monkeypatch):
    monkeypatch.setattr(word_search, "FEW", 0)


@settings(max_examples=300)
@given(TEXTS, QUERIES, st.integers(1, 70), st.sampled_from([0.0, 0.9, 1.2]), st.sampled_from([0.0, 0.75, 1.0]))
def test_it_finds_what_looking_at_all_finds(texts, query, k, k1, b):
    stems, postings = index(texts, k1, b)
    search = WordSearch(postings, len(texts))
    terms = [stems[word] for word in query if word in stems]
    for _ in range(2):  # nothing is left of the first search
        assert search.find_best(terms, k) == look_at_all(postings, terms, k, len(texts))


@pytest.mark.parametrize("cheaper", [1, 8])
@pytest.mark.parametrize("k", [1, 10, 100, 3000])
def test_among_thousands_to_the_last_bit(k, cheaper, monkeypatch):
    monkeypatch.setattr(word_search, "_CHEAPER", cheaper)
    dice = numpy.random.default_rng(k)
    vocabulary = numpy.array([f"w{number}" for number in range(500)])
    drawn = numpy.minimum(dice.zipf(1.3, (3000, 20)), 500) - 1
    stems, postings = index([" ".join(vocabulary[row]) for row in drawn])
    search = WordSearch(postings, 3000)
    for _ in range(40):
        query = vocabulary[numpy.minimum(dice.zipf(1.3, 8), 500) - 1]
        terms = [stems[word] for word in query.tolist() if word in stems]
        assert search.find_best(terms, k) == look_at_all(postings, terms, k, 3000)


def test_frequent_terms_are_not_gone_through_where_rare_ones_decide(monkeypatch):
    stems, postings = index(["river name"] * 5 + ["river"] * 5000 + ["river lake"] * 5000)
    added, add = [], word_search._Narrowing._add
    monkeypatch.setattr(
        word_search._Narrowing, "_add", lambda self, column: (added.append(len(column.places)), add(self, column))
    )
    terms = [stems["river"], stems["name"]]
    assert WordSearch(postings, 10_005).find_best(terms, 3)[0] == [0, 1, 2]
    assert added == [5]


def test_equal_scores_keep_the_order_of_the_corpus():
    stems, postings = index(["lake"] * 10 + ["river lake"] * 200 + ["river"] * 10)
    search = WordSearch(postings, 220)
    assert search.find_best([stems["river"], stems["lake"]], 5)[0] == [10, 11, 12, 13, 14]
    assert search.find_best([stems["lake"]], 12)[0] == [*range(12)]


def test_scores_too_small_for_their_precision_are_no_hits():
    stems, postings = index(["river"] * 5 + ["lake river"], k1=1e60)
    assert WordSearch(postings, 6).find_best([stems["river"], stems["lake"]], 3) == ([], [])


def test_no_terms():
    _, postings = index(["river"])
    assert WordSearch(postings, 1).find_best([], 3) == ([], [])


def test_looking_up():
    stems, postings = index(["river", "lake", "river lake", "sea"])
    column = WordSearch(postings, 4).column(stems["river"])
    held = look_up(*column, numpy.array([0, 1, 2, 3], numpy.int32))
    assert held.tolist() == [column[0][0], 0, column[0][1], 0]


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells what of a file is in memory")
def test_the_memory_of_mapped_files_is_given_back_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(word_search, "_SEARCHED", 30_000)
    counts = TermCounts()
    counts.add(["river name"] * 5 + ["river"] * 5000 + ["river lake"] * 5000)
    stems, made = counts.stems, score_terms(counts, k1=1.2, b=0.75)
    write_scored_terms(counts, tmp_path, k1=1.2, b=0.75)
    postings, highest = read_postings(tmp_path, len(stems))
    search = WordSearch(postings, 10_005, highest)
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
            ours = line.endswith(".csc.index.npy") and str(folder) in line
        elif ours and line.startswith("Rss:"):
            held += int(line.split()[1])
    return held
