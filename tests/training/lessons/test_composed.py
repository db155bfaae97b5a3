"""Questions of several hops made of single ones: what they ask, what they stand on, and what is left alone."""

from collections import Counter

import pytest

from multihop.data.gold import read_gold
from multihop.training.lessons import composed
from multihop.training.lessons.composed import composed_questions
from multihop.training.lessons.reading_items import ReadingItem, ReadParagraph
from multihop.training.mix import mixed_lessons, reader_lessons


def item(name, question, answer, text, title="", kind="span"):
    start = text.index(answer)
    return ReadingItem(
        name, question, (answer,), kind, (ReadParagraph(title, text, True, ((start, start + len(answer)),)),)
    )


EMMA = item("emma", "Who wrote Emma?", "Jane Austen", "Emma is a novel by Jane Austen.", "Emma")
BORN = item("born", "Where was Jane Austen born?", "Steventon", "The novelist was born in Steventon.", "Jane Austen")
COUNTY = item("county", "In which county is Steventon?", "Hampshire", "Steventon lies in Hampshire, far from London.")


def asked(*items):
    return {question.question: question for question in composed_questions(items, 10)}


def test_a_name_becomes_the_question_that_it_answers():
    made = asked(EMMA, BORN)["Where was the person who wrote Emma born?"]
    assert made.answers == ("Steventon",)
    assert made.hops == 2
    assert [(hop.question, hop.answer) for hop in made.decomposition] == [
        ("Who wrote Emma?", "Jane Austen"),
        ("Where was Jane Austen born?", "Steventon"),
    ]
    assert [page.text for page in made.passages] == [each.paragraphs[0].text for each in (EMMA, BORN)]
    assert made.supporting == tuple(page.id for page in made.passages)


def test_a_chain_goes_on_from_the_question_that_was_put_in(monkeypatch):
    monkeypatch.setattr(composed, "FURTHER", 1.0)
    made = asked(EMMA, BORN, COUNTY)["In which county is the place where the person who wrote Emma was born?"]
    assert [hop.answer for hop in made.decomposition] == ["Jane Austen", "Steventon", "Hampshire"]
    (path,) = read_gold([made], []).paths
    assert [hop.sub_question for hop in path.hops] == [each.question for each in (EMMA, BORN, COUNTY)]


def test_titles_are_shown_with_all_pages_of_a_question_or_with_none(monkeypatch):
    for untitled, titles in ((0.0, ["Emma", "Jane Austen"]), (1.0, ["", ""])):
        monkeypatch.setattr(composed, "UNTITLED", untitled)
        (made,) = composed_questions([EMMA, BORN], 1)
        assert [page.title for page in made.passages] == titles


def test_a_long_paragraph_is_cut_around_the_answer(monkeypatch):
    monkeypatch.setattr(composed, "WORDS", 8)
    long = item("emma", "Who wrote Emma?", "Jane Austen", "It sold well. Emma is by Jane Austen. It rained. It snowed.")
    (made,) = composed_questions([long, BORN], 1)
    assert made.passages[0].text == "It sold well. Emma is by Jane Austen."


@pytest.mark.parametrize(
    "first",
    [
        item("a", "When was Emma written?", "Jane Austen", "Emma is by Jane Austen."),  # no name for its answer
        item("a", "Who wrote it?", "Jane Austen", "Jane Austen of Steventon wrote it."),  # tells the last answer
        item("a", "Who was born in Steventon?", "Jane Austen", "One was Jane Austen."),  # and so does its question
        item("a", "Who wrote Emma?", "Jane Austen", "A novelist born in a town, Jane Austen.", kind="none"),
        item("a", "Who was born?", "Jane Austen", "The novelist was born, Jane Austen."),  # nearly the same paragraph
    ],
)
def test_what_leads_nowhere_is_left_out(first):
    assert asked(first, BORN) == {}


@pytest.mark.parametrize(
    "question",
    [
        "Where was the Jane Austen Society founded?",  # part of a longer name
        "Who liked Jane Austen novels?",  # it describes what comes after it
        "Where did Jane Austen meet Jane Austen?",  # twice
    ],
)
def test_a_name_that_is_part_of_more_is_left_alone(question):
    assert asked(EMMA, item("b", question, "Bath", "It was in Bath.")) == {}


def test_no_name_is_asked_for_too_often_and_no_more_are_made_than_told(monkeypatch):
    monkeypatch.setattr(composed, "OFTEN", 3)
    later = [item(f"{n}", f"In which town {n} was Jane Austen seen?", "Bath", f"Seen {n} in Bath.") for n in range(6)]
    made = composed_questions([EMMA, *later], 10)
    assert Counter(question.decomposition[0].answer for question in made) == {"Jane Austen": 3}
    assert len(composed_questions([EMMA, *later], 2)) == 2
    assert composed_questions([EMMA, *later], 0) == []


def test_judge_and_reader_learn_from_them_beside_the_items():
    question = "Where was the person who wrote Emma born?"
    dawn = item("dawn", "Who painted Dawn?", "Ada Smith", "Dawn is a picture; Ada Smith was born to paint it.")
    died = item("died", "Where did Ada Smith die?", "Bath", "The painter went to Bath, where her life came to an end.")
    items = [EMMA, BORN, dawn, died]
    assert not any(each.held_back for each in items)
    judged = [
        (each.pair.known, each.relevant, each.leads_on, each.enough)
        for lesson in mixed_lessons(items, [], composed=5)
        for each in lesson.candidates
        if each.pair.question == question and "Emma is" in each.pair.passage
    ]
    assert ((), True, True, False) in judged  # with nothing known it leads on
    assert (("Jane Austen | The novelist was born in Steventon.",), True, False, True) in judged
    assert question in asked_of(reader_lessons(items, [], composed=5))
    assert question not in asked_of(reader_lessons(items, []))


def asked_of(lessons):
    return {each.pair.question for lesson in lessons for each in lesson.candidates}


def test_what_is_held_back_is_not_among_them(monkeypatch):
    monkeypatch.setattr(ReadingItem, "held_back", property(lambda item: item.id == "born"))
    assert "Where was the person who wrote Emma born?" not in asked_of(reader_lessons([EMMA, BORN], [], composed=5))
