"""An LM's reading of a question's hops is used only where it is right."""

import dspy
import pytest

from multihop import BM25, create
from multihop.data import Question
from multihop.data.gold import read_gold
from multihop.data.question import SubQuestion
from multihop.lms import scripted
from multihop.optimize import compile_variants
from multihop.optimize.gold_teacher import GoldTeacher
from multihop.retrieval import Passage

EMMA = Passage("1", "Emma", "Emma is a novel. It was written by Jane Austen.")
AUSTEN = Passage("2", "Jane Austen", "Jane Austen was born in the village of Steventon.")
ASKED = "Where was the author of Emma born?"
QUESTION = Question(id="q", question=ASKED, answers=("Steventon",), supporting=("1", "2"))
READING = read_gold([QUESTION], [EMMA, AUSTEN])
RIGHT = ["Who wrote Emma?", "In which village was #1 born?"], ["jane austen", "Steventon"]


def teach(sub_questions, sub_answers, reading=READING):
    lm = scripted([{"sub_questions": sub_questions, "sub_answers": sub_answers}])
    with dspy.context(lm=lm):
        return GoldTeacher().teach(reading)


def test_what_is_right_takes_the_place_of_the_rule():
    first, second = teach(*RIGHT).paths[0].hops
    assert (first.sub_question, first.answer, first.needs, first.by_rule) == (
        "Who wrote Emma?", "Jane Austen", (), False,
    )  # fmt: skip
    assert first.sentence == "It was written by Jane Austen."
    assert (second.sub_question, second.answer, second.needs, second.by_rule) == (
        "In which village was Jane Austen born?", "Steventon", (0,), False,
    )  # fmt: skip
    assert second.passage == AUSTEN


@pytest.mark.parametrize(
    ("sub_questions", "sub_answers"),
    [
        (RIGHT[0][:1], RIGHT[1][:1]),  # not one for each paragraph
        (RIGHT[0], ["Ann Other", "Steventon"]),  # an answer that its paragraph does not hold
        (RIGHT[0], ["Jane Austen", "village"]),  # not the answer of the question
        (["Who wrote #2?", "Where was she born?"], RIGHT[1]),  # a later answer
        (["Which book is by #1?", RIGHT[0][1]], RIGHT[1]),  # its own answer
        (["Was it Jane Austen?", RIGHT[0][1]], RIGHT[1]),  # the answer in the question
        (["", RIGHT[0][1]], RIGHT[1]),  # nothing
    ],
)
def test_what_is_not_right_leaves_the_rule(sub_questions, sub_answers):
    assert teach(sub_questions, sub_answers) == READING


def test_what_cannot_be_understood_leaves_the_rule():
    with dspy.context(lm=scripted(lambda prompt: "no fields at all")):
        assert GoldTeacher().teach(READING) == READING


def test_what_a_set_tells_costs_no_call():
    first = SubQuestion("Who wrote Emma?", "Jane Austen", "1")
    hops = (first, SubQuestion("Where was Jane Austen born?", "Steventon", "2"))
    told = Question(id="q", question=ASKED, answers=("Steventon",), supporting=("1", "2"), decomposition=hops)
    reading = read_gold([told], [EMMA, AUSTEN])
    assert (GoldTeacher.calls(reading), GoldTeacher.calls(READING)) == (0, 1)
    with dspy.context(lm=scripted([])):
        assert GoldTeacher().teach(reading) == reading


def test_a_compile_says_where_its_teacher_has_nothing_to_take_apart(tmp_path):
    hop = SubQuestion("Who wrote Emma?", "Jane Austen", "1")
    told = Question(id="q", question=ASKED, answers=("Jane Austen",), supporting=("1",), decomposition=(hop,))
    dev = Question(id="d", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("1",))
    teacher, lines = scripted([]), []
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Jane Austen"})):
        compile_variants(
            create("one-step", BM25.build([EMMA, AUSTEN])),
            ["labeled-1"],
            train=[told],
            dev=[dev],
            to=tmp_path / "p.json",
            teacher=teacher,
            tell=lines.append,
        )
    assert f"{teacher.model} takes no question apart: the training set says how, of all that can be read" in lines


def test_a_compile_counts_the_calls_of_its_teacher_and_shows_what_it_says(tmp_path):
    unread = Question(id="bad", question="What?", answers=("x",), supporting=("9",))
    dev = Question(id="d", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("1",))
    teacher = scripted([{"sub_questions": RIGHT[0], "sub_answers": RIGHT[1]}])
    lines = []
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Jane Austen"})):
        done = compile_variants(
            create("one-step", BM25.build([EMMA, AUSTEN])),
            ["labeled-1"],
            train=[QUESTION, unread],
            dev=[dev],
            to=tmp_path / "p.json",
            teacher=teacher,
            tell=lines.append,
        )
    assert len(teacher.engine.prompts) == 1
    assert (
        lines[1]
        == "the gold of 1 of 2 questions cannot be read (bad: its supporting paragraph '9' is not in the corpus)"
    )
    assert lines[2] == f"{teacher.model} takes 1 question apart"
    assert done.calls == 1 + 2 + 1  # the teacher, the estimate, the dev question
