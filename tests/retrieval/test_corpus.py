import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.retrieval import Passage, corpus_index, index_folder
from multihop.retrieval.corpus_index import IDS, CorpusCheck, PassageFile, write_passages
from multihop.retrieval.index_folder import HashTable

ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('\x00\ud800\u2028\n"\\/'), max_size=20
).filter(
    # Two lone halves side by side are, in JSON, the one character they make together.
    lambda text: text == json.loads(json.dumps(text))
)


@given(st.lists(st.builds(Passage, ANY_TEXT, ANY_TEXT, ANY_TEXT), min_size=1, unique_by=lambda each: each.id))
def test_passages_come_back_as_they_were(tmp_path_factory, passages):
    folder = tmp_path_factory.mktemp("passages")
    write_passages(folder, passages)
    stored = PassageFile(folder)
    assert len(stored) == len(passages)
    assert list(stored) == passages
    assert [stored[position] for position in range(len(passages))] == passages


def test_passages_are_found_by_their_ids(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_index, "BLOCK", 4)
    passages, seen = [Passage(f"p{number}", "", "x") for number in range(10)], []
    written = write_passages(tmp_path, iter(passages), seen.append)
    assert written == {"passages": 10, "corpus": fingerprint(*passages)}
    assert [len(block) for block in seen] == [4, 4, 2]
    stored, ids = PassageFile(tmp_path), HashTable.read(tmp_path, IDS)
    assert ids.find_passages(["p3", "p11", "p9"], stored) == {"p3": 3, "p9": 9}


@given(st.lists(ANY_TEXT, unique=True), st.lists(ANY_TEXT))
def test_a_table_is_the_dictionary_of_its_texts(tmp_path_factory, texts, others):
    folder = tmp_path_factory.mktemp("table")
    HashTable.of(texts).write(folder, "names")
    table, places = HashTable.read(folder, "names"), {text: [place] for place, text in enumerate(texts)}
    assert len(table) == len(texts)
    assert [table.find(text) for text in (*texts, *others)] == [places.get(text, []) for text in (*texts, *others)]


def fingerprint(*passages, block=100):
    check = CorpusCheck()
    for start in range(0, len(passages), block):
        check.add(passages[start : start + block])
    return check.fingerprint


def test_the_fingerprint_does_not_depend_on_how_passages_arrive():
    passages = [Passage(str(number), "", f"text {number}") for number in range(10)]
    assert fingerprint(*passages) == fingerprint(*passages, block=3)
    assert fingerprint(Passage("p1", "Po", "A river.")) == "cd2e8853fdcfc6e3ff54977aa4dda791"  # in every process


@pytest.mark.parametrize(
    "other",
    [
        [("p1", "Po", "A river"), ("p2", "", "")],
        [("p2", "", ""), ("p1", "Po", "A river.")],
        [("p1", "PoA", " river."), ("p2", "", "")],
        [("p1P", "o", "A river."), ("p2", "", "")],
        [("p1", "Po", "A river.")],
        [("p1", "Po", "A river."), ("p2", "", ""), ("", "", "")],
    ],
)
def test_the_fingerprint_changes_with_anything(other):
    one = [Passage("p1", "Po", "A river."), Passage("p2", "", "")]
    assert fingerprint(*one) != fingerprint(*(Passage(*each) for each in other))


def test_equal_hashes_of_different_ids_are_no_duplicates(monkeypatch):
    for module in (corpus_index, index_folder):
        monkeypatch.setattr(module, "hash_texts", lambda ids: numpy.array([len(id_) for id_ in ids]))
    passages = [Passage("aa", "", ""), Passage("b", "", ""), Passage("cc", "", ""), Passage("dd", "", "")]
    check = CorpusCheck()
    check.add(passages)
    assert check.table(passages).find_passages(["dd", "b", "x"], passages) == {"dd": 3, "b": 1}
    passages.append(Passage("cc", "", ""))
    check.add(passages[4:])
    with pytest.raises(InputError, match="'cc' is given twice, as passages 3 and 5"):
        check.table(passages)
