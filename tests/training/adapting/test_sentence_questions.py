import random

import pytest

from multihop import Passage
from multihop.training.adapting.sentence_questions import EACH, LONGEST, ask, is_english, sentence_questions

PUMP = "The pump of the second boiler is made by Grundfos and stands in the cellar."


def test_a_detail_is_left_out_and_asked_for():
    asked = [made for seed in range(40) if (made := ask(PUMP, random.Random(seed)))]
    assert len({text for text, _ in asked}) > 20
    for text, answer in asked:
        assert answer in ("Grundfos", "second")
        assert answer not in text
        assert text.startswith({"Grundfos": "What ", "second": "How many "}[answer])
        assert text.endswith("?")
        assert set(text[:-1].split()[1:]) <= set(PUMP.replace(".", "").split()) | {"many"}


def test_a_long_sentence_gives_a_part_of_it():
    text, _ = ask(" ".join(f"valve{n}" for n in range(60)), random.Random(0))
    assert 3 <= len(text.split()) <= LONGEST + 2


@pytest.mark.parametrize("sentence", ["It rains.", "", "It is what it is and so be it then.", "!!! ... ???"])
def test_of_a_sentence_that_tells_little_nothing_is_asked(sentence):
    assert ask(sentence, random.Random(0)) is None


def test_each_page_gives_a_few_and_the_seed_the_same():
    pages = [
        Passage(str(n), "", " ".join(f"The {PUMP[4:-1]} of house {n} and {m}." for m in range(9))) for n in range(5)
    ]
    made = sentence_questions(pages, most=100, seed=3)
    assert len(made) == 5 * EACH
    assert made == sentence_questions(pages, most=100, seed=3) != sentence_questions(pages, most=100, seed=4)
    assert len(sentence_questions(pages, most=7)) == 7
    assert {each.supporting_sents[0][0] for each in made} == {page.id for page in pages}
    assert len({each.id for each in made}) == len(made)


def test_other_languages_are_told():
    german = Passage("1", "", "Der Kessel steht im Keller, und die Pumpe ist von Grundfos.")
    assert is_english([Passage("2", "", PUMP)])
    assert not is_english([german])
    assert not is_english([german, Passage("2", "", PUMP)])
    assert not is_english([Passage("3", "", "")])
