"""Files to read with: what of them is read, what is refused, what is held back."""

import json

import pytest

from multihop.base import InputError
from multihop.data import Question
from multihop.retrieval import Passage
from multihop.training.mix import Material, make_lessons, open_material
from multihop.training.reading_lessons import is_held_back, is_reading_file, open_reading

PO = {"title": "Po", "text": "The Po is in Italy.", "supporting": True}
EBRO = {"title": "", "text": "The Ebro is in Spain."}
ROW = {"id": "1", "question": "Where is the Po?", "answers": ["Italy"], "type": "span"}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_row_is_a_question_with_its_paragraphs_and_hops(tmp_path):
    told = [["Emma", "author", "Jane Austen"], ["Jane Austen", "place of birth", "Steventon"]]
    row = ROW | {"paragraphs": [PO, EBRO], "evidences": told, "qtype": "compositional"}
    (question,) = open_reading(write(tmp_path / "reading.jsonl", row))
    assert question.passages == (Passage("1 0", "Po", PO["text"]), Passage("1 1", "", EBRO["text"]))
    assert (question.answers, question.supporting, question.type) == (("Italy",), ("1 0",), "compositional")
    assert [(hop.triple, hop.answer) for hop in question.decomposition] == [
        (("Emma", "author", "Jane Austen"), "Jane Austen"),
        (("Jane Austen", "place of birth", "Steventon"), "Steventon"),
    ]


@pytest.mark.parametrize(("kind", "answers"), [("yes", ("yes",)), ("no", ("no",)), ("none", ())])
def test_what_is_no_span_is_told_by_its_kind(tmp_path, kind, answers):
    (question,) = open_reading(write(tmp_path / "reading.jsonl", ROW | {"type": kind, "paragraphs": [PO]}))
    assert (question.answers, question.answerable, bool(question.supporting)) == (answers, bool(answers), bool(answers))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "essay"}, "line 2: 'type' must be one of span, yes, no, none, but is 'essay'"),
        ({"paragraphs": []}, "line 2: 'paragraphs' is empty"),
        ({"question": " "}, "line 2: 'question'"),
    ],
)
def test_what_is_no_row_is_refused_with_its_place(tmp_path, change, message):
    good = ROW | {"paragraphs": [PO]}
    path = write(tmp_path / "reading.jsonl", good, good | change)
    with pytest.raises(InputError, match=message):
        list(open_reading(path))


def test_files_to_read_with_are_told_from_other_questions(tmp_path):
    reading = write(tmp_path / "reading.jsonl", ROW | {"paragraphs": [PO]})
    other = write(tmp_path / "other.jsonl", ROW | {"type": "bridge", "paragraphs": [PO]})
    assert (is_reading_file(reading), is_reading_file(other)) == (True, False)
    material = open_material([str(reading), "little", str(other)])
    assert ([row.id for row in material.rows], len(material.questions)) == (["1"], 41)


def about(text, name="1", asked="?"):
    page = Passage(f"{name} 0", "", text)
    return Question(id=name, question=asked, answers=("many",), supporting=(page.id,), passages=(page,))


def test_three_in_a_hundred_paragraphs_are_held_back_with_all_their_questions():
    held = [is_held_back(about(f"Page {number} of many.")) for number in range(3000)]
    assert sum(held) == 84
    place = held.index(True)
    assert is_held_back(about(f"page {place}, of MANY!", asked="Another question?"))
    rows = [about(f"Page {number} of many.", name=str(number), asked=f"{number}?") for number in range(place + 1)]
    made = make_lessons("judge", Material([], rows))
    assert {lesson.candidates[0].pair.question for lesson in made} == {f"{number}?" for number in range(place)}


def test_a_share_of_the_questions_is_split_off_to_measure_with():
    every = [about(f"Page {number}.", name=str(number)) for number in range(20)]
    learned, measured = Material(every, every[:10]).split(0.1, seed=3)
    assert [len(each) for each in (learned.questions, learned.rows, measured.questions, measured.rows)] == [18, 9, 2, 1]
    assert {each.id for each in (*learned.questions, *measured.questions)} == {each.id for each in every}
    assert Material(every).split(0.1, seed=3)[1].questions == measured.questions
    assert Material(every).split(0.0)[0] == Material(every)
    assert [len(each.questions) for each in Material(every).split(0.001)] == [19, 1]
