import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.retrieval import Passage, corpus_index, index_folder
from multihop.retrieval.corpus_index import IDS, LINES, CorpusCheck, PassageFile, write_passages
from multihop.retrieval.index_folder import HashTable

ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('\x00\ud800\u2028\n"\\/'), max_size=20
).filter(
    # Two lone halves side by side are, in JSON, the one character they make together.
    lambda text: text == json.loads(json.dumps(text))
)


def write(folder, passages):
    write_passages(folder, passages)
    return PassageFile(folder)


@given(st.lists(st.builds(Passage, ANY_TEXT, ANY_TEXT, ANY_TEXT), min_size=1, unique_by=lambda each: each.id))
def test_passages_come_back_as_they_were(tmp_path_factory, passages):
    stored = write(tmp_path_factory.mktemp("passages"), passages)
    assert len(stored) == len(passages)
    assert list(stored) == passages
    assert [stored[position] for position in range(len(passages))] == passages


@pytest.mark.parametrize("broken", [b"\xff", b"{}", b'{"id":"p2","title":1,"text":""}'])
def test_a_damaged_line_is_named(tmp_path, broken):
    write(tmp_path, [Passage("p1", "", "a"), Passage("p2", "", "b")])
    first, second = (tmp_path / LINES).read_bytes().splitlines()
    (tmp_path / LINES).write_bytes(first + b"\n" + broken.ljust(len(second)) + b"\n")
    stored = PassageFile(tmp_path)
    assert stored[0].id == "p1"
    with pytest.raises(InputError, match=r"passages\.jsonl, line 2: damaged; rebuild the index with `multihop ind"):
        stored[1]


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


@pytest.mark.parametrize("wrong", [("p2", "", "plain tuple"), None, Passage("p2", None, "b"), Passage(2, "", "b")])
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
        check.table(passages)


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
