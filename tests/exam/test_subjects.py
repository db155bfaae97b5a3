import pytest

from multihop import Passage
from multihop.exam.subjects import is_demonym, read_subject


def subject(title, text):
    return read_subject(Passage("p", title, text))


@pytest.mark.parametrize(
    ("title", "text", "noun", "kind"),
    [
        ("Bad Animals", "Bad Animals is the ninth studio album by Heart.", "studio album", "album"),
        ("Cosmos (band)", "Cosmos was a Latvian rock band that formed in Riga.", "Latvian rock band", "band"),
        ("Biddeford, Maine", "Biddeford is a city in York County.", "city", "place"),
        ("Frank Lloyd", "Frank William Lloyd (1886–1960) was a film director.", "film director", "person"),
        ("All My Sons", "All My Sons is a 1947 play by Arthur Miller.", "1947 play", "play"),
        ("Blackpink", "Blackpink is a South Korean girl group.", "South Korean girl group", "band"),
        ("", '"Add It Up" is a song by Violent Femmes.', "song", "song"),
    ],
)  # fmt: skip
def test_what_a_page_is_about(title, text, noun, kind):
    found = subject(title, text)
    assert (found.noun, found.kind) == (noun, kind)


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("Films: Night Train", "Night Train is a 1959 film.", "Night Train"),
        ("The archive: Films: Night Train (film)", "Night Train is a 1959 film.", "Night Train"),
        ("Film people: Jerzy Kowal", "Jerzy Kowal (born 3 May 1922) was a Czech film director.", "Jerzy Kowal"),
        ("Star Wars: Rebels", "Star Wars: Rebels is an animated series.", "Star Wars: Rebels"),
        ("Rebels: Star Wars", "Star Wars Rebels is an animated series.", "Rebels: Star Wars"),
    ],
)
def test_a_section_is_about_its_last_heading(title, text, name):
    assert subject(title, text).name == name


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Empty", ""),
        ("Emma", "She wrote it in 1815."),
        ("History of Iberia", "Iberia Líneas Aéreas is an airline of Spain."),
        ("Mercury (disambiguation)", "Mercury is a planet."),
        ("Pen", "Pen is the name of a town."),
        ("Berlin", "Berlin ist die Hauptstadt."),
        ("Anna", 'Anna "the Pen" is a "writer" of books.'),
    ],
)
def test_pages_that_do_not_say_it(title, text):
    assert subject(title, text) is None


def test_words_of_a_noun():
    film = subject("Rough Shoot", "Rough Shoot is a 1953 British thriller film.")
    assert (film.head, film.plain_noun, film.year, film.demonym, film.past) == (
        "film", "thriller film", "1953", "British", False,
    )  # fmt: skip
    player = subject("Jim Brown", "Jim Brown was a professional American football player.")
    assert (player.demonym, player.past) == ("", True)
    band = subject("Blackpink", "Blackpink is a South Korean girl group.")
    assert (band.demonym, band.plain_noun) == ("South Korean", "girl group")


def test_words_for_a_people():
    assert is_demonym("Polish")
    assert is_demonym("Greek-American")
    assert not is_demonym("Australian-born")
    assert not is_demonym("polish")
