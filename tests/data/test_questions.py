import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.data import Question, SubQuestion, as_questions
from multihop.data.formats import read_hotpotqa
from multihop.data.question import question_id
from multihop.data.record import Record
from multihop.retrieval import Passage

from .layouts import HOTPOTQA

EMMA = Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",))
FULL = Question(
    id="q2",
    question="Where was the author of Emma born?",
    answers=("Steventon",),
    supporting=("Emma",),
    passages=(Passage("Emma", "Emma", "A novel."),),
    sentences=(("A novel.",),),
    decomposition=(SubQuestion("Who wrote Emma?", "Jane Austen", "Emma"),),
    hops=2,
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
    assert as_question(Question(id="q", question="Who?", answers=()).to_example()).answers == ()


def test_known_layouts_are_known_here_too():
    assert as_question(HOTPOTQA) == read_hotpotqa(Record(HOTPOTQA, ""))


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


def test_questions_of_every_kind_can_be_gone_through_twice():
    asked = as_questions([EMMA, {"question": "Who?", "answer": "Ada"}, FULL.to_example()])
    first = list(asked)
    assert [question.id for question in first] == ["q1", question_id("Who?"), "q2"]
    assert list(asked) == first


def test_an_iterator_can_be_gone_through_twice_too():
    asked = as_questions({"question": f"Who is {number}?", "answer": "Ada"} for number in range(3))
    assert [question.question for question in asked] == [question.question for question in asked]
    assert len(list(asked)) == 3


def test_they_are_read_when_they_are_asked_for():
    asked = iter(as_questions([EMMA, "no question"]))
    assert next(asked) is EMMA
    with pytest.raises(InputError, match="question 2 must be a Question"):
        next(asked)


def test_made_ids_are_stable_and_unique():
    rows = [{"question": name, "answer": "Ada"} for name in ("Who?", "When?", "Who?", "Who?")]
    ids = [question.id for question in as_questions(rows)]
    assert ids == [question_id("Who?"), question_id("When?"), f"{question_id('Who?')}-2", f"{question_id('Who?')}-3"]
    assert [question.id for question in as_questions(rows[1:2])] == ids[1:2]


def test_an_id_that_is_given_twice():
    with pytest.raises(InputError, match="question 2: the question id 'q1' is already used at question 1"):
        list(as_questions([EMMA, {"id": "q1", "question": "Who?", "answer": "Ada"}]))


@pytest.mark.parametrize("values", ["little", {"question": "Who?", "answer": "Ada"}, EMMA, 5])
def test_what_are_no_questions(values):
    with pytest.raises(InputError, match=r"must be an iterable, .*; open a file with open_questions"):
        as_questions(values)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(str.strip)


@settings(deadline=None)
@given(TEXT, TEXT, st.lists(TEXT, unique=True))
def test_fields_come_back_as_they_were(identifier, question, answers):
    made = Question(id=identifier, question=question, answers=tuple(answers), answerable=bool(answers))
    assert as_question({"id": identifier, "query": question, "target": answers}) == made
    assert as_question(made.to_example()) == made


def test_questions_alone_have_no_known_answer():
    (question,) = as_questions([dspy.Example(question="Who?").with_inputs("question")])
    assert (question.answers, question.answerable) == ((), True)


@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
def test_one_without_an_answer_among_others_is_named(places):
    rows = [[{"id": "a", "question": "Who?"}, {"id": "b", "question": "When?", "answer": "1815"}][at] for at in places]
    with pytest.raises(InputError, match=f"question {places.index(0) + 2}: this question has no answer, and others"):
        list(as_questions([EMMA, *rows]))


def test_one_that_cannot_be_answered_stays_so_as_an_example():
    question = as_question({"id": "a", "question": "Who?", "answers": []})
    assert not question.answerable
    assert as_question(question.to_example()) == question
