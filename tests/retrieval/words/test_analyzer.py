from threading import Thread

import bm25s
import pytest
from bm25s.stopwords import STOPWORDS_EN
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import Stemmer

from multihop.retrieval.words import analyzer
from multihop.retrieval.words.analyzer import NO_TERM, STOP_WORDS, TermTable, words


def test_the_stop_words_are_those_of_bm25s():
    assert frozenset(STOPWORDS_EN) == STOP_WORDS


@given(st.text())
def test_words_are_those_of_bm25s(text):
    assert words(text) == bm25s.tokenize(text, stopwords=None, return_ids=False, show_progress=False)[0]


@given(st.text(alphabet="aAbeginRs édİß_5'-\x00\ud800", max_size=40))
def test_terms_are_those_of_bm25s(text):
    stems = {}
    table = TermTable(stems, learn=True)
    names = {number: stem for stem, number in stems.items()}
    terms = [table[word] for word in words(text)]
    names = {number: stem for stem, number in stems.items()}
    expected = bm25s.tokenize(text, stemmer=Stemmer("english"), return_ids=False, show_progress=False)[0]
    assert [names[term] for term in terms if term != NO_TERM] == expected


def test_a_table_that_does_not_learn_leaves_the_stems_alone():
    stems = {"river": 0}
    table = TermTable(stems, learn=False)
    assert [table[word] for word in ("rivers", "lake", "the")] == [0, NO_TERM, NO_TERM]
    assert stems == {"river": 0}


@pytest.mark.parametrize("learn", [True, False])
def test_a_full_table_forgets_words_but_no_stems(monkeypatch, learn):
    monkeypatch.setattr(analyzer, "_REMEMBERED", len(STOP_WORDS) + 2)
    stems = {"river": 0, "meet": 1, "end": 2}
    table = TermTable(stems, learn=learn)
    spoken = ["rivers", "meeting", "ends", "the", "river", "met", "ending", "meets"]
    found = [table[word] for word in spoken]
    assert found[:5] == [0, 1, 2, NO_TERM, 0]
    assert found[6:] == [2, 1]
    assert len(table) <= len(STOP_WORDS) + 2
    assert stems["river"] == 0


def test_threads_share_a_table():
    vocabulary = [f"word{number}ing" for number in range(2000)]
    stems = {Stemmer("english").stemWord(word): number for number, word in enumerate(vocabulary)}
    table = TermTable(stems, learn=False)
    results = []
    threads = [Thread(target=lambda: results.append([table[word] for word in vocabulary])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [list(range(2000))] * 4
