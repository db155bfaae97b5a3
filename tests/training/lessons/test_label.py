from dataclasses import replace

import dspy
import pytest
from in_turn import AtOnce, InTurn
from little_lessons import PAGES, QUESTIONS

from multihop import BM25, InputError, scripted
from multihop.data import Question, SubQuestion
from multihop.data.gold import read_gold
from multihop.retrieval import Passage
from multihop.training.lessons.findings import Finding, findings_of
from multihop.training.lessons.label import lessons
from multihop.training.lessons.next_query import marked_words, queries_after
from multihop.training.lessons.teacher import Teacher
from multihop.training.mix import mixed_lessons

FILM = Passage("1", "Emma", "Emma was directed by Douglas McGrath.")
DIRECTOR = Passage("2", "Douglas McGrath", "He was born in Midland.")
NOISE = [Passage(f"n{number}", f"Film {number}", f"Film {number} was directed by Somebody.") for number in range(9)]
ASKED = "Where was the director of Emma born?"
QUESTION = Question(
    id="q", question=ASKED, answers=("Midland",), supporting=("1", "2"), passages=(FILM, DIRECTOR, *NOISE)
)


def draw_lessons(**more):
    pool = [FILM, DIRECTOR, *NOISE]
    return list(lessons([QUESTION], pool, BM25.build(pool), **more))


def test_a_lesson_for_each_beginning_for_each_paragraph_alone_and_for_a_wrong_one():
    known = [lesson.candidates[0].pair.known for lesson in draw_lessons()]
    assert known[:3] == [(), (str(FILM),), (str(DIRECTOR),)]
    assert len(known) == 4
    assert known[3][0].startswith("Film ")


def test_what_is_relevant_enough_and_answered():
    nothing, film, director, astray = draw_lessons()
    said = lambda lesson: [(each.pair.passage, each.enough) for each in lesson.candidates if each.relevant]  # noqa: E731
    assert said(nothing) == [(str(FILM), False), (str(DIRECTOR), False)]
    assert said(film) == [(str(DIRECTOR), True)]
    assert said(director) == [(str(FILM), True)]
    assert said(astray) == [(str(FILM), False), (str(DIRECTOR), False)]
    (answered,) = [each for each in film.candidates if each.answer]
    assert answered.pair.passage[slice(*answered.answer)] == "Midland"
    others = [each for lesson in draw_lessons() for each in lesson.candidates if not each.relevant]
    assert not any(each.answer or each.useful for each in others)


def test_five_passages_of_a_lesson_do_not_help():
    wrong = [[each.pair.passage for each in lesson.candidates if not each.relevant] for lesson in draw_lessons()]
    assert [len(set(passages)) for passages in wrong] == [5, 5, 5, 4]  # beside the one that led astray
    assert all(set(passages) <= set(map(str, NOISE)) for passages in wrong)


def test_useful_is_the_name_that_leads_on():
    first = draw_lessons()[0].candidates[0]
    assert [first.pair.passage[start:end] for start, end in first.useful] == ["Douglas McGrath"]


def test_the_next_query_picks_what_is_left_of_the_question_and_the_new_name():
    (query,) = draw_lessons()[1].queries
    assert query.pair.passage == "Douglas McGrath"
    asked = [query.pair.question[start:end] for start, end in query.asked]
    assert asked == ["Where", "was", "the", "of", "born"]
    assert [query.pair.passage[start:end] for start, end in query.found] == ["Douglas McGrath"]


def test_the_same_seed_gives_the_same_lessons():
    assert draw_lessons(seed=3) == draw_lessons(seed=3) != draw_lessons(seed=4)


def test_the_answer_of_a_yes_or_no_question_has_no_place():
    asked = Question(
        id="q", question="Is it?", answers=("yes",), supporting=("1", "2"), passages=(FILM, DIRECTOR, *NOISE)
    )
    pool = [FILM, DIRECTOR, *NOISE]
    answers = {each.answer for lesson in lessons([asked], pool, BM25.build(pool)) for each in lesson.candidates}
    assert answers == {None, "yes"}


def test_a_set_that_tells_its_hops_makes_lessons_of_every_hop():
    assert len(list(lessons(QUESTIONS[:10], PAGES, BM25.build(PAGES)))) > 60


def test_an_lm_may_be_the_teacher():
    lm = scripted(
        [
            {
                "sub_questions": ["Who directed Emma?", "Where was #1 born?"],
                "sub_answers": ["Douglas McGrath", "Midland"],
            },
            {"marked": ["directed", "Douglas McGrath", "never there"]},
            {"marked": ["Midland"]},
            {"query": "Where born Douglas McGrath"},
            {"query": "nonsense"},
        ]
    )
    with dspy.context(lm=lm):
        nothing, film, *_ = draw_lessons(teacher=Teacher())
    first = nothing.candidates[0]
    assert [first.pair.passage[start:end] for start, end in first.useful] == ["directed", "Douglas McGrath"]
    (query,) = film.queries
    assert query.pair.passage == "directed Douglas McGrath"
    assert [query.pair.question[start:end] for start, end in query.asked] == ["Where", "born?"]
    assert [query.pair.passage[start:end] for start, end in query.found] == ["Douglas", "McGrath"]
    assert len(lm.engine.prompts) == 5


def test_a_teacher_that_cannot_be_understood_changes_nothing():
    with dspy.context(lm=scripted(lambda prompt: "no fields at all")):
        assert draw_lessons(teacher=Teacher()) == draw_lessons()


TOLD = replace(
    QUESTION,
    decomposition=(
        SubQuestion("Who directed Emma?", "Douglas McGrath", "1"),
        SubQuestion("Where was Douglas McGrath born?", "Midland", "2"),
    ),
)


def draw_told(**more):
    pool = [FILM, DIRECTOR, *NOISE]
    return list(lessons([TOLD], pool, BM25.build(pool), **more))


def marked(labelled):
    return [labelled.pair.passage[start:end] for start, end in labelled.useful]


def picked(query):
    return query.pair.passage, *(
        [text[start:end] for start, end in spans]
        for text, spans in ((query.pair.question, query.asked), (query.pair.passage, query.found))
    )


def test_a_teacher_marks_and_picks_also_where_a_set_tells_the_sub_questions():
    """Its sub-questions are kept; the words and the queries that no set tells are asked for."""
    lm = scripted(
        [
            {"marked": ["directed", "Douglas McGrath", "never there"]},
            {"marked": ["born in", "Midland"]},
            {"query": "Where born Douglas McGrath"},
            {"query": "nonsense"},
        ]
    )
    with dspy.context(lm=lm):
        nothing, film, director, _, *alone = draw_told(teacher=Teacher())
    asked = [prompt.inputs for prompt in lm.engine.prompts]
    assert asked[:2] == InTurn(
        AtOnce(
            {"paragraph": str(FILM), "sub_question": "Who directed Emma?", "sub_answer": "Douglas McGrath"},
            {"paragraph": str(DIRECTOR), "sub_question": "Where was Douglas McGrath born?", "sub_answer": "Midland"},
        )
    )
    assert asked[2:] == [
        {"question": ASKED, "known": "directed Douglas McGrath"},
        {"question": ASKED, "known": "born in Midland"},
    ]
    assert [marked(each) for each in nothing.candidates[:2]] == [
        ["directed", "Douglas McGrath"],
        ["born in", "Midland"],
    ]
    assert [picked(query) for query in film.queries] == [
        ("directed Douglas McGrath", ["Where", "born?"], ["Douglas", "McGrath"])
    ]
    assert [query.pair.passage for query in director.queries] == ["born in Midland"]
    singles = [lesson.candidates[0] for lesson in alone]
    assert [(each.pair.question, marked(each)) for each in singles] == [
        ("Who directed Emma?", ["directed", "Douglas McGrath"]),
        ("Where was Douglas McGrath born?", ["born in", "Midland"]),
    ]


def test_without_a_teacher_nobody_is_asked_what_a_set_tells():
    with dspy.context(lm=scripted([])):
        nothing, film, *_ = draw_told()
    assert [marked(each) for each in nothing.candidates[:2]] == [["Douglas McGrath"], ["Midland"]]
    assert [picked(query) for query in film.queries] == [
        ("Douglas McGrath", ["Where", "was", "the", "of", "born"], ["Douglas McGrath"])
    ]


def test_a_teacher_with_nothing_to_ask_it_is_refused():
    with pytest.raises(InputError, match="a teacher labels questions of several hops, and there are none"):
        mixed_lessons([], [], teacher=Teacher())


def tags(made):
    """For each lesson, which of the two gold passages, and how many of the others, are tagged "continue"."""
    gold = {str(FILM): "film", str(DIRECTOR): "director"}
    return [
        (
            {gold[each.pair.passage]: each.leads_on for each in lesson.candidates if each.relevant},
            sum(each.leads_on for each in lesson.candidates if not each.relevant),
        )
        for lesson in made
    ]


def test_what_is_tagged_continue_is_what_leads_on():
    """The lessons: nothing known, the film known, the director known, a wrong page known, and each hop alone."""
    both = {"film": True, "director": True}
    assert tags(draw_told()) == [
        (both, 0),
        ({"director": False}, 0),
        ({"film": False}, 0),
        (both, 0),
        ({"film": False}, 0),
        ({"director": False}, 0),
    ]


def test_the_lessons_of_longer_chains_are_tagged_likewise():
    made = [each for lesson in mixed_lessons([], QUESTIONS[:4], PAGES) for each in lesson.candidates]
    assert {(each.relevant, each.enough, each.leads_on) for each in made} == {
        (True, False, True),
        (True, True, False),
        (False, False, False),
    }


def test_a_finding_without_marks_has_no_query():
    path = findings_of(read_gold([QUESTION], []).paths[0])
    assert list(queries_after(QUESTION, [Finding("Nothing.", ())], path)) == []
    assert list(queries_after(QUESTION, [], path)) == []
    assert marked_words("a b c", [(2, 3)]) == "b"


def test_some_lessons_are_drawn_by_lot():
    told = [], QUESTIONS[:8], PAGES
    every, some = mixed_lessons(*told), mixed_lessons(*told, most=3)
    assert len(some) == 3
    assert all(lesson in every for lesson in some)
    assert some == mixed_lessons(*told, most=3) != mixed_lessons(*told, most=3, seed=1)
    assert mixed_lessons(*told, most=10_000) == every
