"""Reading files: what of them is read, what is refused, what is held back."""

import json

import pytest

from multihop.base import InputError
from multihop.retrieval import Passage
from multihop.training.lessons.rows import ReadingItem, ReadParagraph, is_reading_file, open_reading, row_of
from multihop.training.mix import open_material

PO = {"title": "Po", "text": "The Po is in Italy.", "supporting": True, "answer_spans": [[13, 18], [13, 18]]}
EBRO = {"title": "", "text": "The Ebro is in Spain."}
ROW = {"id": "1", "question": "Where is the Po?", "answers": ["Italy"], "type": "span", "source": "rivers"}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_item_is_read_with_the_places_of_its_answers(tmp_path):
    path = write(tmp_path / "reading.jsonl", ROW | {"paragraphs": [PO, EBRO]})
    right = ReadParagraph("Po", "The Po is in Italy.", True, ((13, 18),))
    wrong = ReadParagraph("", "The Ebro is in Spain.", False, ())
    assert list(open_reading(path)) == [
        ReadingItem("1", "Where is the Po?", ("Italy",), "span", (right, wrong), "rivers")
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "essay"}, "line 2: 'type' must be one of span, yes, no, none, but is 'essay'"),
        ({"paragraphs": []}, "line 2: 'paragraphs' is empty"),
        (
            {"paragraphs": [PO | {"answer_spans": [[13, 99]]}]},
            r"paragraphs\[0\]: 'answer_spans' has \[13, 99\], but the text has 19 characters",
        ),
    ],
)
def test_what_is_no_item_is_refused_with_its_place(tmp_path, change, message):
    good = ROW | {"paragraphs": [PO]}
    path = write(tmp_path / "reading.jsonl", good, good | change)
    with pytest.raises(InputError, match=message):
        list(open_reading(path))


def test_reading_files_are_told_from_other_questions(tmp_path):
    reading = write(tmp_path / "reading.jsonl", ROW | {"paragraphs": [PO]})
    other = write(tmp_path / "other.jsonl", ROW | {"type": "bridge", "paragraphs": [PO]})
    assert (is_reading_file(reading), is_reading_file(other)) == (True, False)
    material = open_material([str(reading), "little", str(other)])
    assert ([item.id for item in material.items], len(material.questions)) == (["1"], 41)


def item_about(text, question="?"):
    return ReadingItem("1", question, (), "none", (ReadParagraph("", text, False, ()),))


def test_three_in_a_hundred_paragraphs_are_held_back_with_all_their_questions():
    held = [item_about(f"Page {number} of many.").held_back for number in range(3000)]
    assert sum(held) == 84
    place = held.index(True)
    assert item_about(f"page {place}, of MANY!", "Another question?").held_back


def test_an_item_of_several_hops_becomes_a_question():
    gold, other = (ReadParagraph(name, name, right, ()) for name, right in (("a", True), ("b", False)))
    hops = ReadingItem("7", "Who?", ("Ada",), "span", (gold, other, gold))
    assert hops.has_hops
    assert not ReadingItem("7", "Who?", ("Ada",), "span", (gold, gold)).has_hops
    question = hops.as_question()
    assert (question.supporting, question.answers) == (("7 0", "7 2"), ("Ada",))
    assert [(page.id, page.text) for page in question.passages] == [("7 0", "a"), ("7 1", "b"), ("7 2", "a")]


def test_the_triples_of_a_file_become_the_hops_of_its_questions(tmp_path):
    told = [["Emma", "author", "Jane Austen"], ["Jane Austen", "place of birth", "Steventon"]]
    row = ROW | {"paragraphs": [PO, EBRO], "evidences": told, "qtype": "compositional"}
    (item,) = open_reading(write(tmp_path / "reading.jsonl", row))
    question = item.as_question()
    assert [(hop.triple, hop.answer) for hop in question.decomposition] == [
        (("Emma", "author", "Jane Austen"), "Jane Austen"),
        (("Jane Austen", "place of birth", "Steventon"), "Steventon"),
    ]
    assert question.type == "compositional"


def test_a_plain_row_points_at_every_place_of_its_answer():
    item = row_of("1", "Where?", "Bath", Passage("p", "Bath", "In Bath. Near Bath."))
    assert (item.kind, item.supporting[0].answers) == ("span", ((3, 7), (14, 18)))
