from dataclasses import replace

import dspy
import pytest

from multihop.base import InputError
from multihop.data import Question, SubQuestion, as_questions, open_questions
from multihop.data.question import question_id
from multihop.retrieval import Passage

EMMA = Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",))


FULL = replace(
    EMMA,
    id="q2",
    supporting=("Emma",),
    passages=(Passage("Emma", "Emma", "A novel."),),
    sentences=(("A novel.",),),
    decomposition=(SubQuestion("Who wrote Emma?", "Jane Austen", "Emma"),),
)


def as_question(value):
    (question,) = as_questions([value])
    return question


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "q1", "question": "Who wrote Emma?", "answer": "Jane Austen"},
        {"_id": "q1", "query": "Who wrote Emma?", "answers": ["Jane Austen"]},
        {"qid": "q1", "input": "Who wrote Emma?", "output": [{"answer": "Jane Austen"}, {"provenance": []}]},
        {"question_id": "q1", "problem": "Who wrote Emma?", "gold": ("Jane Austen",)},
        {"id": "q1", "question": "Who wrote Emma?", "golden_answers": ["Jane Austen"]},
    ],
)
def test_dicts_and_examples_by_the_usual_names(fields):
    assert as_question(fields) == EMMA
    assert as_question(dspy.Example(**fields).with_inputs("question")) == EMMA


def test_a_question_stays_what_it_is():
    assert as_question(FULL) is FULL
    assert as_question(FULL.to_example()) == FULL
    unanswerable = as_question({"id": "a", "question": "Who?", "answers": []})
    assert not unanswerable.answerable
    assert as_question(unanswerable.to_example()) == unanswerable


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("Who?", "question 1 must be a Question, a dict or a dspy.Example .* but is str"),
        (None, "but is NoneType"),
        ({"question": "Who?", "x": 1}, "question 1: not a question in a known layout. Its fields are question, x"),
        ({"question": " ", "answer": "Ada"}, "question 1: 'question' is empty"),
        ({"question": "Who?", "answer": object()}, "'answer' must be text or a list of texts, but is object"),
        (dspy.Example(), "Its fields are none"),
    ],
)
def test_what_is_no_question(value, problem):
    with pytest.raises(InputError, match=problem):
        as_question(value)


def test_what_are_no_questions():
    for values in ("little", {"question": "Who?", "answer": "Ada"}, EMMA, 5):
        with pytest.raises(InputError, match=r"must be an iterable, .*; open a file with open_questions"):
            as_questions(values)


def test_a_reading_is_a_training_set():
    assert [example.answer for example in open_questions("little", limit=2).examples()] == [
        question.answer for question in open_questions("little", limit=2)
    ]


def test_they_are_read_when_they_are_asked_for_and_as_often():
    asked = as_questions([EMMA, {"question": "Who?", "answer": "Ada"}, FULL.to_example(), "no question"])
    for _ in range(2):
        reading = iter(asked)
        assert [next(reading).id for _ in range(3)] == ["q1", question_id("Who?"), "q2"]
        with pytest.raises(InputError, match="question 4 must be a Question"):
            next(reading)
    once = as_questions({"question": f"Who is {number}?", "answer": "Ada"} for number in range(3))
    assert list(once) == list(once)


def test_made_ids_are_stable_and_given_ones_unique():
    rows = [{"question": name, "answer": "Ada"} for name in ("Who?", "When?", "Who?", "Who?")]
    ids = [question.id for question in as_questions(rows)]
    assert ids == [question_id("Who?"), question_id("When?"), f"{question_id('Who?')}-2", f"{question_id('Who?')}-3"]
    assert as_question(rows[1]).id == ids[1]
    with pytest.raises(InputError, match="question 2: the question id 'q1' is already used at question 1"):
        list(as_questions([EMMA, {"id": "q1", "question": "Who?", "answer": "Ada"}]))
