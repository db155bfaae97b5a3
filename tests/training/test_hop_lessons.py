"""Lessons of several hops, value by value: EfficientRAG's labeler and filter, and the judge."""

import pytest
from little_lessons import PAGES, QUESTIONS

from multihop import BM25, InputError
from multihop.data import Question, SubQuestion
from multihop.retrieval import Passage
from multihop.training.gold_ways import read_ways
from multihop.training.hop_lessons import judge_lessons, query_lessons
from multihop.training.lessons import make_lessons

FILM = Passage("1", "Emma", "Emma is a comedy. Emma was directed by Douglas J. McGrath.")
DIRECTOR = Passage("2", "Douglas J. McGrath", "He was born in Midland, and lived in New York.")
TOWN = Passage("3", "Midland", "Midland lies in Texas.")
NOISE = [Passage(f"n{number}", f"Film {number}", f"Film {number} was directed by Somebody.") for number in range(9)]
POOL = [FILM, DIRECTOR, TOWN, *NOISE]
CHAIN = Question(
    id="q",
    question="In which state is the town where the director of Emma was born?",
    answers=("Texas",),
    supporting=("1", "2", "3"),
    passages=(FILM, DIRECTOR, TOWN, *NOISE),
    decomposition=(
        SubQuestion("Who directed Emma?", "Douglas J. McGrath", "1"),
        SubQuestion("Where was Douglas J. McGrath born?", "Midland", "2"),
        SubQuestion("In which state is Midland?", "Texas", "3"),
    ),
)
SIDES = Question(
    id="q",
    question="Is Emma or Clueless from Spain?",
    answers=("no",),
    supporting=("e", "c"),
    decomposition=(SubQuestion("", "Britain", "e", ("Emma", "country of origin", "Britain")),
                   SubQuestion("", "America", "c", ("Clueless", "country of origin", "America"))),
    type="comparison",
)  # fmt: skip
FILMS = [Passage("e", "Emma", "Emma is from Britain."), Passage("c", "Clueless", "Clueless is from America."), *NOISE]


def made(question=CHAIN, pool=POOL, **more):
    return list(query_lessons(read_ways([question], pool), BM25.build(pool), **more))


def query_of(lesson):
    return lesson.candidates[0].pair.question


def words(labelled):
    return [labelled.pair.passage[slice(*span)] for span in labelled.useful]


def picked(lesson):
    (query,) = lesson.queries
    texts = ((query.pair.question, query.asked), (query.pair.passage, query.found))
    return query.pair, *([text[slice(*span)] for span in spans] for text, spans in texts)


def test_there_is_a_lesson_for_the_question_and_for_the_query_after_each_hop_but_the_last():
    """Each is picked of the one before and the words marked under it; what helps is "continue" until it is known."""
    lessons = made()
    assert list(map(query_of, lessons)) == [
        CHAIN.question,
        "In which state is the where the of was born Douglas J McGrath",
        "In which state is the where the of was Midland",
    ]
    question, first, second = lessons
    assert question.queries == ()
    assert picked(first) == (
        (CHAIN.question, "Emma directed Douglas J McGrath", ()),
        ["In", "which", "state", "is", "the", "where", "the", "of", "was", "born"],
        ["Douglas J McGrath"],
    )
    assert picked(second)[0] == (query_of(first), "born Midland", ())
    assert picked(second)[2] == ["Midland"]
    helps = [[each.pair.passage for each in lesson.candidates if each.relevant] for lesson in lessons]
    assert helps == [[str(FILM), str(DIRECTOR), str(TOWN)], [str(DIRECTOR), str(TOWN)], [str(TOWN)]]
    assert all(each.leads_on == each.relevant and not each.enough for lesson in lessons for each in lesson.candidates)


def test_entities_and_relation_of_sub_question_and_answer_are_marked_where_the_passage_answers():
    film, director, town, *others = made()[0].candidates
    assert words(film) == ["Emma", "directed", "Douglas J. McGrath"]
    assert film.useful[0][0] == str(FILM).rindex("Emma")  # of the sentence that answers
    assert words(director) == ["born", "Midland"]
    assert words(town) == ["Midland", "Texas"]
    assert not any(each.useful for each in others)


def test_under_each_query_four_passages_that_do_not_help_are_tagged_terminate_two_of_them_the_most_similar():
    assert made(seed=1) == made(seed=1) != made(seed=2)
    retriever = BM25.build(POOL)
    for lesson in made():
        wrong = [each.pair.passage for each in lesson.candidates if not each.relevant]
        hits = [str(hit.passage) for hit in retriever.search([query_of(lesson)], 8)[0]]
        assert len(set(wrong)) == 4
        assert set(wrong) <= set(map(str, NOISE))
        assert wrong[:2] == [text for text in dict.fromkeys([*hits, *map(str, NOISE)]) if text in map(str, NOISE)][:2]


def test_a_comparison_begins_on_every_side_and_asks_for_the_other():
    assert list(map(query_of, made(SIDES, FILMS))) == [
        SIDES.question,
        "Is or Clueless from Britain",
        "Is Emma or from America",
    ]


def test_gold_paragraphs_without_sub_questions_mark_what_the_question_asks_and_who_leads_on():
    """As HotpotQA tells them: the sentences that support, and no hops."""
    question = Question(
        id="q", question="Where was the director of Emma born?", answers=("Midland",), supporting=("1", "2"),
        passages=(FILM, DIRECTOR, *NOISE), supporting_sents=(("1", 1), ("2", 0)),
        sentences=(tuple(FILM.text.split(". ", 1)), (DIRECTOR.text,)),
    )  # fmt: skip
    first, second = made(question)
    assert [words(each) for each in first.candidates[:2]] == [
        ["Emma", "directed", "Douglas J. McGrath"],
        ["born", "Midland"],
    ]
    assert picked(second)[1:] == (["Where", "was", "the", "of", "born"], ["Douglas J McGrath"])


def test_the_labeler_learns_from_passages_and_the_filter_from_queries():
    labeler, of_filter = (make_lessons(part, [CHAIN, *QUESTIONS[:4]], PAGES) for part in ("labeler", "filter"))
    assert all(lesson.candidates and not lesson.queries for lesson in labeler)
    assert all(lesson.queries and not lesson.candidates for lesson in of_filter)
    assert len(labeler) == len(of_filter) + 1 + 4


A_FILM = Passage("1", "Emma", "Emma was directed by Douglas McGrath.")
ITS_DIRECTOR = Passage("2", "Douglas McGrath", "He was born in Midland.")


def of_judge(question="Where was the director of Emma born?", answers=("Midland",), **more):
    pool = [A_FILM, ITS_DIRECTOR, *NOISE]
    asked = Question(id="q", question=question, answers=answers, supporting=("1", "2"), passages=tuple(pool))
    return list(judge_lessons(read_ways([asked], pool), BM25.build(pool), **more))


def test_a_lesson_for_each_beginning_for_each_paragraph_alone_and_for_a_wrong_one():
    lessons = of_judge()
    known = [lesson.candidates[0].pair.known for lesson in lessons]
    assert known[:3] == [(), (str(A_FILM),), (str(ITS_DIRECTOR),)]
    assert len(known) == 4
    assert known[3][0].startswith("Film ")
    said = [
        [(each.pair.passage, each.leads_on, each.enough) for each in lesson.candidates if each.relevant]
        for lesson in lessons
    ]
    both = [(str(A_FILM), True, False), (str(ITS_DIRECTOR), True, False)]
    assert said == [both, [(str(ITS_DIRECTOR), False, True)], [(str(A_FILM), False, True)], both], "the last is enough"
    nothing, film, *_ = lessons
    assert [words(each) for each in nothing.candidates[:2]] == [["Douglas McGrath"], ["Midland"]]
    (answered,) = [each for each in film.candidates if each.answer]
    assert answered.pair.passage[slice(*answered.answer)] == "Midland"
    wrong = [[each for each in lesson.candidates if not each.relevant] for lesson in lessons]
    assert [len({each.pair.passage for each in every}) for every in wrong] == [5, 5, 5, 4]  # beside what led astray
    assert {each.pair.passage for every in wrong for each in every} <= set(map(str, NOISE))
    assert not any(each.answer or each.useful or each.leads_on for every in wrong for each in every)


def test_the_next_query_picks_what_is_left_of_the_question_and_the_new_name():
    nothing, film, director, astray = of_judge()
    assert nothing.queries == astray.queries == ()
    (query,) = film.queries
    assert query.pair.passage == "Douglas McGrath"
    assert [query.pair.question[slice(*span)] for span in query.asked] == ["Where", "was", "the", "of", "born"]
    assert [query.pair.passage[slice(*span)] for span in query.found] == ["Douglas McGrath"]
    assert [each.pair.passage for each in director.queries] == ["Midland"]


def test_the_answer_of_a_yes_or_no_question_has_no_place():
    assert {each.answer for lesson in of_judge("Is it?", ("yes",)) for each in lesson.candidates} == {None, "yes"}


def test_the_seed_draws_the_same_lessons():
    assert of_judge(seed=3) == of_judge(seed=3) != of_judge(seed=4)
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
