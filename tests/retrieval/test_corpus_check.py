import numpy
import pytest

from multihop.base import InputError
from multihop.retrieval import Passage, corpus_check
from multihop.retrieval.corpus_check import CorpusCheck


def fingerprint(*passages, block=100):
    check = CorpusCheck()
    for start in range(0, len(passages), block):
        check.add(passages[start : start + block])
    return check.fingerprint


def test_the_fingerprint_does_not_depend_on_how_passages_arrive():
    passages = [Passage(str(number), "", f"text {number}") for number in range(10)]
    assert fingerprint(*passages) == fingerprint(*passages, block=3)


def test_the_fingerprint_is_the_same_in_every_process():
    assert fingerprint(Passage("p1", "Po", "A river.")) == "cd2e8853fdcfc6e3ff54977aa4dda791"


@pytest.mark.parametrize(
    "other",
    [
        [Passage("p1", "Po", "A river"), Passage("p2", "", "")],
        [Passage("p2", "", ""), Passage("p1", "Po", "A river.")],
        [Passage("p1", "PoA", " river."), Passage("p2", "", "")],
        [Passage("p1P", "o", "A river."), Passage("p2", "", "")],
        [Passage("p1", "Po", "A river.")],
        [Passage("p1", "Po", "A river."), Passage("p2", "", ""), Passage("", "", "")],
    ],
)
def test_the_fingerprint_changes_with_anything(other):
    assert fingerprint(Passage("p1", "Po", "A river."), Passage("p2", "", "")) != fingerprint(*other)


@pytest.mark.parametrize(
    "wrong", [("p2", "", "plain tuple"), "text", None, Passage("p2", None, "b"), Passage(2, "", "b")]
)
def test_what_is_no_passage_is_named_by_its_place(wrong):
    check = CorpusCheck()
    check.add([Passage("p1", "", "a")])
    with pytest.raises(InputError, match=r"^passage 2 is .*, not a Passage with an id, a title and a text\.$"):
        check.add([wrong])


def test_ids_that_stand_twice_across_blocks():
    passages = [Passage(f"p{number % 7}", "", "") for number in range(8)]
    check = CorpusCheck()
    check.add(passages[:4])
    check.add(passages[4:])
    with pytest.raises(
        InputError, match=r"^passage id 'p0' is given twice, as passages 1 and 8; ids must be unique\.$"
    ):
        check.refuse_duplicates(passages)


def test_equal_hashes_of_different_ids_are_no_duplicates(monkeypatch):
    monkeypatch.setattr(corpus_check, "hash_ids", lambda ids: numpy.array([len(id_) for id_ in ids]))
    passages = [Passage("aa", "", ""), Passage("b", "", ""), Passage("cc", "", ""), Passage("dd", "", "")]
    check = CorpusCheck()
    check.add(passages)
    check.refuse_duplicates(passages)
    passages.append(Passage("cc", "", ""))
    check.add(passages[4:])
    with pytest.raises(InputError, match="'cc' is given twice, as passages 3 and 5"):
        check.refuse_duplicates(passages)
