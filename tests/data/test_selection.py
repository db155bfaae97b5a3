"""Which questions of a source are asked: after the first few, and drawn."""

import random
from collections import Counter

import pytest

from multihop import InputError, Question
from multihop.data import Selection, as_questions

QUESTIONS = [Question(id=f"q{i}", question=f"What is {i}?", answers=(str(i),)) for i in range(40)]


def chosen(questions=QUESTIONS, **choice):
    return [question.id for question in Selection(**choice).choose(as_questions(questions))]


def test_a_sample_is_the_same_everywhere_and_a_larger_one_holds_it():
    assert chosen(offset=37) == ["q37", "q38", "q39"]
    assert chosen(sample=5) == ["q12", "q14", "q27", "q28", "q39"]
    assert chosen(offset=20, sample=3, seed=1) == ["q21", "q29", "q37"]
    assert chosen(offset=30, sample=10) == chosen(offset=30)
    assert set(chosen(sample=5)) < set(chosen(sample=15))


def test_a_sample_goes_by_ids_and_not_by_places():
    shuffled = random.Random(0).sample(QUESTIONS, len(QUESTIONS))
    assert sorted(chosen(shuffled, sample=9)) == sorted(chosen(sample=9))
    assert chosen(shuffled, sample=9) != chosen(sample=9)  # asked in the order of the source


def test_every_question_is_drawn_about_as_often():
    counts = Counter(name for seed in range(100) for name in chosen(sample=10, seed=seed))
    assert len(counts) == 40
    assert 8 < min(counts.values()) <= max(counts.values()) < 45  # 25 on average


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"offset": 40}, "no question of questions is left after the first 40."),
        ({"offset": 35, "sample": 6}, "6 questions cannot be drawn: the source has 5 after the first 35."),
        ({"sample": 41}, "41 questions cannot be drawn: the source has 40."),
        ({"offset": -1}, "an offset is a whole number from 0 on, and a sample one from 1 on."),
        ({"sample": 0}, "an offset is a whole number from 0 on, and a sample one from 1 on."),
        ({"seed": 3}, "a seed for the sample goes with a sample; say how many questions are drawn."),
    ],
)
def test_what_cannot_be_chosen_is_refused(choice, said):
    with pytest.raises(InputError) as raised:
        chosen(**choice)
    assert str(raised.value) == said


def test_it_says_itself_in_words():
    assert not Selection()
    assert str(Selection()) == ""
    assert str(Selection(offset=1500)) == "those after the first 1,500"
    assert str(Selection(sample=200)) == "200 drawn with seed 0 of all"
