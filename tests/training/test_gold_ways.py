"""Gold as ways: the hops that a set tells, and gold paragraphs alone, one of which names another."""

from dataclasses import replace

from multihop.data import Question, SubQuestion
from multihop.retrieval import Passage
from multihop.training.gold_ways import read_ways, told_hops

FILM = Passage("1", "Emma", "Emma is a comedy. Emma was directed by Douglas McGrath.")
DIRECTOR = Passage("2", "Douglas McGrath", "He was born in Midland. He lives in New York.")
TOLD = (
    SubQuestion("Who directed Emma?", "Douglas McGrath", "1"),
    SubQuestion("Where was Douglas McGrath born?", "Midland", "2"),
)
QUESTION = Question(
    id="q", question="Where was the director of Emma born?", answers=("Midland",), supporting=("1", "2"),
    passages=(DIRECTOR, FILM), decomposition=TOLD,
)  # fmt: skip


def told(question, pool=()):
    return [
        (finding.passage.title, finding.useful, finding.sub_question, finding.sentences, set(finding.needs))
        for way in read_ways([question], pool)
        for finding in way.findings
    ]


def test_a_way_that_a_set_tells_has_its_sub_questions_and_the_sentences_that_answer():
    assert told(QUESTION) == [
        ("Emma", ("Douglas McGrath",), "Who directed Emma?", ("Emma was directed by Douglas McGrath.",), set()),
        ("Douglas McGrath", ("Midland",), "Where was Douglas McGrath born?", ("He was born in Midland.",), {0}),
    ]


def test_of_gold_paragraphs_alone_one_follows_the_one_that_names_it():
    sentences = (("He was born in Midland.", "He lives in New York."), ("Emma is a comedy.", FILM.text[18:]))
    question = replace(
        QUESTION, decomposition=(), supporting=("2", "1"), sentences=sentences, supporting_sents=(("2", 0), ("1", 1))
    )
    assert told(question) == [
        ("Douglas McGrath", ("Midland",), "", ("He was born in Midland.",), {1}),
        ("Emma", ("Douglas McGrath",), "", ("Emma was directed by Douglas McGrath.",), set()),
    ]


def test_of_two_that_name_each_other_the_set_s_first_is_first_and_what_the_question_names_needs_nothing():
    first, second = Passage("1", "Po", "The Po meets the Ticino."), Passage("2", "Ticino", "The Ticino meets the Po.")
    asked = Question(id="q", question="Where do they meet?", answers=("Pavia",), supporting=("1", "2"))
    assert [needs for *_, needs in told(asked, [first, second])] == [set(), {0}]
    asked = replace(asked, question="Where do the Po and the Ticino meet?")
    assert [needs for *_, needs in told(asked, [first, second])] == [set(), set()]


def test_there_is_no_way_where_a_paragraph_or_the_answer_is_missing():
    plain = replace(QUESTION, decomposition=(), passages=())
    assert read_ways([plain], [FILM]) == []
    assert read_ways([replace(plain, answers=())], [FILM, DIRECTOR]) == []
    assert read_ways([replace(plain, supporting=())], [FILM, DIRECTOR]) == []
    assert len(read_ways([plain, plain], [FILM, DIRECTOR])) == 2


def test_a_hop_is_a_question_of_its_own_unless_another_page_says_so():
    rows = told_hops([QUESTION], read_ways([QUESTION], []), [])
    assert [(row.question, row.answers, row.passages) for row in rows] == [
        ("Who directed Emma?", ("Douglas McGrath",), (FILM,)),
        ("Where was Douglas McGrath born?", ("Midland",), (DIRECTOR,)),
    ]
    partly = (
        SubQuestion("", "Douglas McGrath", triple=("Emma", "director", "Douglas McGrath")),
        SubQuestion("Emma >> genre", "comedy", "1"),
        SubQuestion("Who is he?", "Douglas McGrath", "2"),
        SubQuestion("Where?", "Texas", "2"),
        SubQuestion("Where?", "Texas", "9"),
    )
    rows = told_hops([replace(QUESTION, passages=(), decomposition=partly)], [], [FILM, DIRECTOR])
    assert [(row.question, row.answers, row.supporting) for row in rows] == [
        ("Emma director", ("Douglas McGrath",), ("1",)),
        ("Emma genre", ("comedy",), ("1",)),
    ]
