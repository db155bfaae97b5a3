from multihop.data import Question
from multihop.data.question import SubQuestion
from multihop.optimize.gold import gold_path, occurrences, single_hops
from multihop.retrieval import Passage

FILM = Passage("1", "Emma (1996 film)", "It was directed by Douglas McGrath. It won an Oscar.")
DIRECTOR = Passage("2", "Douglas McGrath", "He was born on 2 February 1958 in Midland.")
OTHER = Passage("3", "Midland", "A town.")
ASKED = "When was the director of Emma (1996 film) born?"


def question(**more):
    return Question(id="q", question=ASKED, answers=("February 2, 1958",), passages=(DIRECTOR, FILM, OTHER), **more)


def test_without_a_decomposition_a_paragraph_that_names_another_comes_first():
    first, second = gold_path(question(supporting=("2", "1")), {})
    assert (first.passage, second.passage) == (str(FILM), str(DIRECTOR))
    assert (first.said, second.said) == (("Douglas McGrath",), ("2 February 1958",))


def test_triples_give_each_paragraph_its_question():
    hops = (
        SubQuestion("", "Douglas McGrath", triple=("Emma", "director", "Douglas McGrath")),
        SubQuestion("", "February 2, 1958", triple=("Douglas McGrath", "date of birth", "February 2, 1958")),
    )
    path = gold_path(question(supporting=("2", "1"), decomposition=hops), {})
    assert [found.asked for found in path] == [
        "What is the director of Emma?", "What is the date of birth of Douglas McGrath?",
    ]  # fmt: skip


def test_paragraphs_that_stand_elsewhere_are_looked_up_by_title_and_must_hold_the_answer():
    hops = (SubQuestion("Who directed Emma?", "Douglas McGrath", "Emma (1996 film)"),)
    asked = Question(id="q", question=ASKED, answers=("x",), decomposition=hops)
    wrong = Passage("9", "Emma (1996 film)", "A film.")
    assert [found.passage for found in gold_path(asked, {"Emma (1996 film)": [wrong, FILM]})] == [str(FILM)]
    assert gold_path(asked, {"Emma (1996 film)": [wrong]}) == []
    assert list(single_hops(asked, [wrong])) == []


def test_a_question_that_lacks_a_gold_paragraph_has_no_path():
    assert gold_path(question(supporting=("1", "nowhere")), {}) == []


def test_supporting_sentences_are_kept():
    split = (("He was born.",), ("It was directed by Douglas McGrath.", " It won an Oscar."), ("A town.",))
    path = gold_path(question(supporting=("1", "2"), supporting_sents=(("1", 1),), sentences=split), {})
    assert path[0].sentences == ("It won an Oscar.",)


def test_only_whole_words_are_occurrences():
    assert occurrences("Annapolis, Anna", ["Anna"]) == [(11, 15)]
    assert occurrences("born 3 May, 1901", ["May 3, 1901"]) == [(5, 16)]
