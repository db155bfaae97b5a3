import pytest

from multihop.english.details import denied, details, words_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He was born on October 5, 1987 in Los Angeles.", [("date", "October 5, 1987"), ("name", "Los Angeles")]),
        ("It won 3 awards and 1,200 dollars in 1999.", [("number", "3"), ("number", "1,200"), ("date", "1999")]),
        ("The Duke of York met Ann van Dyck twice.", [("name", "The Duke of York"), ("name", "Ann van Dyck")]),
        ("Paris is old.", []),  # the capital may be that of the beginning
        ("Émile Zola wrote twenty novels.", [("name", "Émile Zola"), ("number", "twenty")]),
        ("", []),
    ],
)
def test_names_dates_and_numbers(text, found):
    assert [(each.kind, text[each.start : each.end]) for each in details(text)] == found


def test_ordinals_are_plain_numbers():
    assert words_of("the 3rd of May") == words_of("3 May") == ["3", "may"]


def test_the_words_after_a_not_are_denied():
    assert denied("He wasn't born in Rome but in Naples.") == {"born", "rom", "napl"}
    assert denied("He was born in Rome.") == denied("Not only Rome saw it.") == set()


@pytest.mark.parametrize("piece", ["not ", "A ", "1, ", "1999 ", "A.", "1,", "May 1 ", "A of ", "\t"])
def test_a_long_text_of_nothing_else_is_looked_through_once(piece):
    text = piece * 5_000
    assert len(details(text)) <= 5_000
    assert len(denied(text)) <= 3
