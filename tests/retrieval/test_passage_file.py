import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import DamagedFileError, InputError
from multihop.retrieval import Passage
from multihop.retrieval.passage_file import LINES, PassageFile, PassageWriter

ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('\x00\ud800\u2028\n"\\/'), max_size=20
).filter(
    # Two lone halves side by side are, in JSON, the one character they make together.
    lambda text: text == json.loads(json.dumps(text))
)


def write(folder, passages):
    with PassageWriter(folder) as writer:
        writer.extend(passages)
    return PassageFile(folder)


@given(st.lists(st.builds(Passage, ANY_TEXT, ANY_TEXT, ANY_TEXT), min_size=1))
def test_passages_come_back_as_they_were(tmp_path_factory, passages):
    stored = write(tmp_path_factory.mktemp("passages"), passages)
    assert len(stored) == len(passages)
    assert list(stored) == passages
    assert [stored[position] for position in range(len(passages))] == passages


def test_writing_in_several_goes(tmp_path):
    with PassageWriter(tmp_path) as writer:
        writer.extend([Passage("p1", "", "a"), Passage("p2", "", "b")])
        writer.extend(iter([Passage("p3", "é", "c")]))
    stored = PassageFile(tmp_path)
    assert [passage.id for passage in stored] == ["p1", "p2", "p3"]
    assert stored[2] == Passage("p3", "é", "c")


def test_the_lines_are_plain_json(tmp_path):
    write(tmp_path, [Passage("p1", "Zürich", "On/off.")])
    line = '{"id":"p1","title":"Zürich","text":"On/off."}\n'
    assert (tmp_path / LINES).read_text("utf-8") == line
    assert json.loads(line) == {"id": "p1", "title": "Zürich", "text": "On/off."}


@pytest.mark.parametrize("broken", [b"\xff", b"[1]", b"{}"])
def test_a_damaged_line_is_named(tmp_path, broken):
    write(tmp_path, [Passage("p1", "", "a"), Passage("p2", "", "b")])
    first, second = (tmp_path / LINES).read_bytes().splitlines()
    (tmp_path / LINES).write_bytes(first + b"\n" + broken.ljust(len(second)) + b"\n")
    stored = PassageFile(tmp_path)
    assert stored[0].id == "p1"
    with pytest.raises(
        InputError, match=r"passages\.jsonl, line 2: damaged; rebuild the index with `multihop index`\.$"
    ):
        stored[1]


def test_offsets_of_another_file_are_refused(tmp_path):
    write(tmp_path, [Passage("p1", "", "a")])
    with (tmp_path / LINES).open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(DamagedFileError, match=r"is damaged, passages\.offsets\.npy is not as it was written"):
        PassageFile(tmp_path)
