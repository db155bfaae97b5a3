import pytest

from multihop.lms.lexical_engine.answer_span import answer_kind, best_spans, names
from multihop.lms.lexical_engine.overlap import PassageReading


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did he die?", "date"),
        ("What is the date of birth of the director?", "date"),
        ("In what year did it open?", "year"),
        ("How many people live there?", "number"),
        ("What is the population of the city where he died?", "number"),
        ("Which country the director is from?", "country"),
        ("Where was she born?", "place"),
        ("What is the name of the city in which it stands?", "place"),
        ("Who wrote it?", "person"),
        ("Which Finnish actress starred in it?", "person"),
        ("The book was written by whom?", "person"),
        ("What is the name of the waterfall where he died?", "name"),
        ("Name it.", "name"),
    ],
)
def test_a_question_asks_for_a_kind(question, kind):
    assert answer_kind(question) == kind


def test_names_keep_their_small_words_and_lose_openers():
    text = "In Vienna The Duke of York met Ludwig van Beethoven and J. S. Bach in 1999. She left."
    assert [match[0] for match in names(text)] == ["Vienna The Duke of York", "Ludwig van Beethoven", "J. S. Bach"]


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("How many rooms has the Grand Hotel?", "Grand Hotel | Built in 1900, it has 120 rooms.", "120"),
        ("What year was the Grand Hotel built?", "Grand Hotel | It was built in May 1900 by Ann Lee.", "1900"),
        ("When was the Grand Hotel built?", "Grand Hotel | It was built on May 4, 1900.", "May 4, 1900"),
        ("Who built the Grand Hotel?", "Grand Hotel | It was built by Ann Lee in Paris.", "Ann Lee"),
        ("Where is the Grand Hotel?", "Grand Hotel | The hotel is located in Paris and was built by Ann Lee.", "Paris"),
    ],
)
def test_the_best_span_is_of_the_asked_kind(question, passage, expected):
    assert best_spans(PassageReading(question, [passage]))[0].text == expected


def test_the_span_says_which_sentence_it_stands_in():
    span = best_spans(PassageReading("Who built it?", ["a | Nothing here.", "b | It was built by Ann Lee."]))[0]
    assert (span.sentence.text, span.sentence.passage) == ("It was built by Ann Lee.", 1)


@pytest.mark.parametrize("passages", [[], [""], ["only small words here."]])
def test_there_may_be_none(passages):
    assert best_spans(PassageReading("Who built it?", passages)) == []
