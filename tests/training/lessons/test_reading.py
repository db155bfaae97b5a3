"""Lessons of one hop: which paragraphs are in them, what is right about each, and where the answer is."""

import random

from little_lessons import PAGES, QUESTIONS

from multihop import BM25
from multihop.retrieval import Passage
from multihop.training.lessons.reading import draw_items, excerpt, reading_lessons, reading_pool
from multihop.training.lessons.rows import ReadingItem, ReadParagraph
from multihop.training.mix import Material, make_lessons

RIVERS = [
    ReadParagraph("Po", "The Po is a long river. It flows through Italy, through Turin.", True, ((41, 46),)),
    ReadParagraph("Ebro", "The Ebro is a long river of Spain and full of fish.", True, ((28, 33),)),
    ReadParagraph("Tiber", "The Tiber is a river of Italy, and it flows through Rome.", True, ((24, 29),)),
    ReadParagraph("", "A river without a title flows through the Fens of England.", True, ((42, 46),)),
]
ASKED = "Through which country flows the long river Po?"


def item(page, question=ASKED, answers=("Italy",), kind="span", name="1", **more):
    return ReadingItem(name, question, answers, kind, (page,), **more)


EVERY = [item(page, name=str(place)) for place, page in enumerate(RIVERS)]
SEARCH = BM25.build(reading_pool(EVERY))


def lesson_of(made_of, seed=0):
    (lesson,) = reading_lessons([made_of], SEARCH, seed=seed)
    return lesson


def shown(lesson):
    return [(each.pair.passage, each.relevant, each.leads_on, each.enough) for each in lesson.candidates]


def answer_of(labelled):
    return labelled.pair.passage[slice(*labelled.answer)]


def test_a_paragraph_that_holds_the_answer_too_is_not_among_the_wrong_ones():
    """Seed 0 shows titles, so that the page without one is not there either; the Tiber's names Italy."""
    lesson = lesson_of(EVERY[0])
    assert shown(lesson) == [
        ("Po | The Po is a long river. It flows through Italy, through Turin.", True, False, True),
        ("Ebro | The Ebro is a long river of Spain and full of fish.", False, False, False),
    ]
    right, wrong = lesson.candidates
    assert (answer_of(right), right.useful, wrong.answer, wrong.useful) == ("Italy", (right.answer,), None, ())


def test_where_the_right_paragraph_shows_no_title_no_other_does():
    lesson = lesson_of(item(RIVERS[3], "Through what flows a long river?", ("Fens",)))
    assert [text for text, *_ in shown(lesson)] == [
        "A river without a title flows through the Fens of England.",
        "The Po is a long river. It flows through Italy, through Turin.",
        "The Tiber is a river of Italy, and it flows through Rome.",
        "The Ebro is a long river of Spain and full of fish.",
    ]
    assert answer_of(lesson.candidates[0]) == "Fens"


def test_the_items_own_wrong_paragraphs_come_first_and_each_once():
    own = RIVERS[1]._replace(supporting=False, answers=())
    made = ReadingItem("1", ASKED, ("Italy",), "span", (RIVERS[0], own))
    (lesson,) = reading_lessons([made], BM25.build(reading_pool([made, *EVERY])), seed=3)
    texts = [each.pair.passage.split(" | ")[-1] for each in lesson.candidates]
    assert texts[:2] == [RIVERS[0].text, RIVERS[1].text]
    assert len(set(texts)) == len(texts)


def test_some_lessons_show_no_titles():
    titled = [" | " in lesson_of(EVERY[0], seed).candidates[0].pair.passage for seed in range(200)]
    assert 50 < titled.count(False) < 70


def test_yes_and_no_are_learned_from_the_whole_paragraph():
    yes, no = (
        lesson_of(item(RIVERS[0], "is the Po a long river", (kind,), kind)).candidates[0] for kind in ("yes", "no")
    )
    assert (yes.answer, no.answer) == ("yes", "no")
    assert (yes.relevant, yes.enough, yes.useful) == (True, True, ())


def test_a_paragraph_that_does_not_answer_is_not_relevant_although_it_is_the_questions_own():
    page = RIVERS[0]._replace(supporting=False, answers=())
    lesson = lesson_of(item(page, "Through which country does the Po not flow?", (), "none"))
    assert [(each.relevant, each.answer) for each in lesson.candidates] == [(False, None), (False, None)]
    assert "The Po is a long river" in lesson.candidates[0].pair.passage


def test_of_several_wordings_the_shortest_in_the_closest_sentence_is_learned():
    text = "Rome has Italy's parliament. The river Po flows through northern Italy."
    spans = ((9, 14), (56, 70), (65, 70))
    page = ReadParagraph("", text, True, spans)
    right = lesson_of(item(page)).candidates[0]
    assert right.answer == (65, 70)


def test_an_excerpt_holds_the_focus_and_no_more_words_than_told():
    text = " ".join(f"Sentence number {number} is here." for number in range(40))
    focus = (text.index("20"), text.index("20") + 2)
    for seed in range(20):
        start, end = excerpt(text, focus, 25, random.Random(seed))
        assert "number 20 is" in text[start:end]
        assert len(text[start:end].split()) == 25
        assert text[start:end].startswith("Sentence")


def test_so_many_items_of_a_paragraph_are_drawn_and_none_that_is_held_back():
    many = [item(RIVERS[0], name=str(number)) for number in range(5)]
    held = next(
        each
        for number in range(1000)
        if (each := item(ReadParagraph("", f"Page {number}.", True, ((0, 4),)))).held_back
    )
    assert len(draw_items([*many, held], 2, random.Random(0))) == 2
    assert not RIVERS[0].text.startswith("Page")


def test_the_pool_holds_each_paragraph_once():
    pool = reading_pool([*EVERY, *EVERY])
    assert pool[0] == Passage("0", "Po", RIVERS[0].text)
    assert len(pool) == 4


def test_a_hop_that_a_set_tells_is_a_lesson_of_one_page():
    """Beside the lessons of the whole way: each hop of each question under its own."""
    made = make_lessons("judge", Material(QUESTIONS[:1], EVERY, PAGES))
    asked = [lesson.candidates[0].pair.question for lesson in made]
    assert asked.count(ASKED) == 4
    assert asked.count("Who discovered penicillin?") == asked.count("In which country was Alexander Fleming born?") == 1
    assert asked.count(QUESTIONS[0].question) == len(asked) - 6 == 4
    (hop,) = (lesson for lesson in made if lesson.candidates[0].pair.question == "Who discovered penicillin?")
    assert answer_of(hop.candidates[0]) == "Alexander Fleming"
    assert {len(lesson.candidates) for lesson in make_lessons("reader", Material(QUESTIONS[:1], EVERY, PAGES))} == {1}
