"""The judge's lessons of questions of several hops, value by value."""

import pytest
from little_lessons import DIRECTOR, FILM, NOISE, PAGES, QUESTIONS, words

from multihop import BM25, InputError
from multihop.data import Question
from multihop.training.gold_ways import read_ways
from multihop.training.hop_lessons import judge_lessons
from multihop.training.lessons import make_lessons

POOL = [FILM, DIRECTOR, *NOISE]


def made(question="Where was the director of Emma born?", answers=("Midland",), **more):
    asked = Question(id="q", question=question, answers=answers, supporting=("1", "2"), passages=tuple(POOL))
    return list(judge_lessons(read_ways([asked], POOL), BM25.build(POOL), **more))


def test_a_lesson_for_each_beginning_for_each_paragraph_alone_and_for_a_wrong_one():
    lessons = made()
    known = [lesson.candidates[0].pair.known for lesson in lessons]
    assert known[:3] == [(), (str(FILM),), (str(DIRECTOR),)]
    assert len(known) == 4
    assert known[3][0].startswith("Film ")
    said = [
        [(each.pair.passage, each.leads_on, each.enough) for each in lesson.candidates if each.relevant]
        for lesson in lessons
    ]
    both = [(str(FILM), True, False), (str(DIRECTOR), True, False)]
    assert said == [both, [(str(DIRECTOR), False, True)], [(str(FILM), False, True)], both], "the last is enough"
    nothing, film, *_ = lessons
    assert [words(each) for each in nothing.candidates[:2]] == [["Douglas McGrath"], ["Midland"]]
    (answered,) = [each for each in film.candidates if each.answer]
    assert answered.pair.passage[slice(*answered.answer)] == "Midland"
    wrong = [[each for each in lesson.candidates if not each.relevant] for lesson in lessons]
    assert [len({each.pair.passage for each in every}) for every in wrong] == [5, 5, 5, 4]  # beside what led astray
    assert {each.pair.passage for every in wrong for each in every} <= set(map(str, NOISE))
    assert not any(each.answer or each.useful or each.leads_on for every in wrong for each in every)


def test_the_next_query_picks_what_is_left_of_the_question_and_the_new_name():
    nothing, film, director, astray = made()
    assert nothing.queries == astray.queries == ()
    (query,) = film.queries
    assert query.pair.passage == "Douglas McGrath"
    assert [query.pair.question[slice(*span)] for span in query.asked] == ["Where", "was", "the", "of", "born"]
    assert [query.pair.passage[slice(*span)] for span in query.found] == ["Douglas McGrath"]
    assert [each.pair.passage for each in director.queries] == ["Midland"]


def test_the_answer_of_a_yes_or_no_question_has_no_place():
    assert {each.answer for lesson in made("Is it?", ("yes",)) for each in lesson.candidates} == {None, "yes"}


def test_the_seed_draws_the_same_lessons():
    assert made(seed=3) == made(seed=3) != made(seed=4)
    every, some, other = (
        make_lessons("judge", QUESTIONS[:3], PAGES[:50], most=most, seed=seed)
        for most, seed in ((999, 0), (3, 0), (3, 1))
    )
    assert len(some) == 3
    assert all(lesson in every for lesson in some)
    assert some != other


@pytest.mark.parametrize("part", ["judge", "reader", "labeler", "filter"])
def test_there_is_nothing_to_learn_of_nothing(part):
    with pytest.raises(InputError, match="there is nothing to learn from"):
        make_lessons(part, [])
