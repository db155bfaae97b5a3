import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.cli.show_answer import excerpt, place_of


@pytest.mark.parametrize(
    ("answer", "text", "place"),
    [
        ("Łódź", "He was born in łódź.", (15, 19)),
        ("New  York", "in New\nYork", (3, 11)),
        ("art", "He was a party man.", None),
        ("C++", "Written in C++, not in C.", (11, 14)),
        ("yes", "yes", None),
        (" ", "a b", None),
    ],
)
def test_an_answer_is_found_as_whole_words(answer, text, place):
    found = place_of(answer, text)
    assert (found and found.span()) == place


def test_the_answer_is_in_sight_in_a_sentence_too_long():
    text = f"It is. {'He was a director of films and plays, and he lived for long ' * 4}in Łódź with others."
    assert excerpt(text, "Łódź", 40).plain == "… he lived for long in Łódź with others."
    assert excerpt(text, "Łódź", 24).plain == "… for long in Łódź with…"


@given(st.lists(st.sampled_from(["Łódź", "word", "Mr.", "end.", "日本"]), max_size=40), st.integers(12, 60))
def test_an_excerpt_fits_and_holds_the_answer(words, width):
    shown = excerpt(" ".join(words), "Łódź", width)
    assert shown.cell_len <= width
    assert ("Łódź" in shown.plain) == ("Łódź" in words)
    assert bool(shown.spans) == ("Łódź" in words)
