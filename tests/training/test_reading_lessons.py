"""Lessons of one hop: which paragraphs are in them, what is right about each, and where the answer is."""

import json
from dataclasses import replace

from little_lessons import PAGES, QUESTIONS

from multihop import BM25
from multihop.data import Question, open_questions
from multihop.retrieval import Passage
from multihop.training.gold_ways import is_of_one_page
from multihop.training.lessons import make_lessons, reading_lessons

PO = Passage("1", "Po", "The Po is a long river. It flows through Italy, through Turin.")
EBRO = Passage("2", "Ebro", "The Ebro is a long river of Spain and full of fish.")
TIBER = Passage("3", "Tiber", "The Tiber is a river of Italy, and it flows through Rome.")
FENS = Passage("4", "", "A river without a title flows through the Fens of England.")
RIVERS = [PO, EBRO, TIBER, FENS]
ASKED = "Through which country flows the long river Po?"
SEARCH = BM25.build(RIVERS)
ABOUT_PO = Question(id="0", question=ASKED, answers=("Italy",), supporting=("1",), passages=(PO,))


def lesson_of(question, seed=0):
    (lesson,) = reading_lessons([question], SEARCH, seed=seed)
    return lesson


def titled(lesson):
    return " | " in lesson.candidates[0].pair.passage


def texts(lesson):
    return [each.pair.passage.split(" | ")[-1] for each in lesson.candidates]


def answer_of(labelled):
    return labelled.pair.passage[slice(*labelled.answer)]


def test_a_paragraph_that_holds_the_answer_too_is_not_among_the_wrong_ones():
    lesson = next(filter(titled, (lesson_of(ABOUT_PO, seed) for seed in range(9))))
    right, wrong = lesson.candidates
    assert (right.pair.passage, wrong.pair.passage) == (f"Po | {PO.text}", f"Ebro | {EBRO.text}")
    assert (right.relevant, right.leads_on, right.enough, right.useful) == (True, False, True, (right.answer,))
    assert answer_of(right) == "Italy"
    assert (wrong.relevant, wrong.enough, wrong.answer, wrong.useful) == (False, False, None, ())


def test_where_the_right_paragraph_shows_no_title_no_other_does():
    asked = Question(
        id="0", question="Through what flows a long river?", answers=("Fens",), supporting=("4",), passages=(FENS,)
    )
    lesson = lesson_of(asked)
    assert texts(lesson) == [each.pair.passage for each in lesson.candidates]
    assert (texts(lesson)[0], set(texts(lesson)[1:])) == (FENS.text, {PO.text, EBRO.text, TIBER.text})
    assert answer_of(lesson.candidates[0]) == "Fens"


def test_the_question_s_own_wrong_paragraphs_come_first_and_each_once_and_some_lessons_show_no_titles():
    lessons = [lesson_of(replace(ABOUT_PO, passages=(PO, EBRO)), seed) for seed in range(200)]
    assert all(texts(lesson)[:2] == [PO.text, EBRO.text] for lesson in lessons)
    assert all(len(set(texts(lesson))) == len(texts(lesson)) for lesson in lessons)
    assert 50 < list(map(titled, lessons)).count(False) < 70


def test_yes_and_no_are_learned_from_the_whole_paragraph_beside_two_of_other_pages():
    more = PO._replace(id="9", text="Sturgeons live there, boats sail.")  # of the same page, which may say so too
    for verdict in ("yes", "no"):
        others = [Passage(name, name, f"A page about {name}.") for name in ("Turin", "Milan", "Genoa")]
        asked = replace(ABOUT_PO, answers=(verdict,), passages=(PO, more, *others))
        lessons = [lesson_of(asked, seed) for seed in range(9)]
        for right, *wrong in (lesson.candidates for lesson in lessons):
            assert (right.answer, right.relevant, right.enough, right.useful) == (verdict, True, True, ())
            assert len(wrong) == 2
            assert not any(more.text in each.pair.passage for each in wrong)


def test_a_paragraph_that_does_not_answer_is_not_relevant_although_it_is_the_question_s_own():
    lesson = lesson_of(replace(ABOUT_PO, answers=(), supporting=(), answerable=False))
    assert [(each.relevant, each.answer) for each in lesson.candidates] == [(False, None), (False, None)]
    assert texts(lesson)[0] == PO.text


def test_of_several_wordings_the_shortest_in_the_closest_sentence_is_learned():
    page = Passage("1", "", "Rome has Italy's parliament. The river Po flows through northern Italy.")
    right = lesson_of(replace(ABOUT_PO, answers=("northern Italy", "Italy"), passages=(page,))).candidates[0]
    assert right.answer == (65, 70)


def test_what_the_paragraph_does_not_say_in_these_words_is_no_lesson():
    assert list(reading_lessons([replace(ABOUT_PO, answers=("France",))], SEARCH)) == []


def test_of_a_file_questions_of_one_page_are_learned_from_and_each_hop_beside_the_whole_way(tmp_path):
    pages = [page._asdict() for page in (PO, EBRO)]
    pages[0]["supporting"] = True
    row = {"question": ASKED, "answers": ["Italy"], "paragraphs": pages}
    none = row | {"question": "Through which sea?", "answers": []}
    both = row | {"question": "Which river is of Spain?", "answers": ["Ebro"]}
    both["paragraphs"] = [page | {"supporting": True} for page in pages]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, (row, none, both))))
    questions = list(open_questions(tmp_path / "mine.jsonl"))
    assert [is_of_one_page(question) for question in (*questions, QUESTIONS[0])] == [True, True, False, False]
    made = make_lessons("judge", [*questions[:2], QUESTIONS[0]], PAGES)
    asked = [lesson.candidates[0].pair.question for lesson in made]
    assert asked[:2] == [ASKED, "Through which sea?"]
    assert [made[place].candidates[0].relevant for place in (0, 1)] == [True, False]
    assert asked[2:4] == ["Who discovered penicillin?", "In which country was Alexander Fleming born?"]
    assert answer_of(made[2].candidates[0]) == "Alexander Fleming"
    assert asked[4:] == [QUESTIONS[0].question] * 4
    reader = make_lessons("reader", [*questions[:2], QUESTIONS[0]], PAGES)
    assert [lesson.candidates[0].pair.question for lesson in reader] == asked[:4] + asked[4:][:3]
    assert {len(lesson.candidates) for lesson in reader} == {1}
