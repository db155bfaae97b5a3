import random
from types import SimpleNamespace

import pytest

from multihop import Passage
from multihop.exam.audit import AMBIGUOUS, ANSWERED, GIVEN_AWAY, NO_PAGE, ONE_PAGE, TWICE, Audit
from multihop.exam.chains import draw_chains
from multihop.exam.facts import read_facts
from multihop.exam.names import PagesByName
from multihop.exam.subjects import read_subject
from multihop.exam.unanswerable import draw_unanswerable

FILM = Passage("film", "Last Bus", "Last Bus is a 1971 comedy film directed by Ann Lee.")
WOMAN = Passage("woman", "Ann Lee", "Ann Lee (born 9 June 1930) is a film director.")


class Reads:
    """An encoder that is as sure of one page as of the other value of all pages."""

    def __init__(self, alone=0.1, together=0.9, holds=0.1):
        self.alone, self.together, self.holds = alone, together, holds

    def read(self, asked):
        sure = [self.alone if len(each.pages) == 1 else self.together for each in asked]
        return [SimpleNamespace(complete=each, holds=self.holds) for each in sure]


def drawn(*pages, draw=draw_chains):
    subjects = [subject for page in pages if (subject := read_subject(page))]
    facts = {subject.page.id: read_facts(subject) for subject in subjects}
    named = PagesByName(pages, subjects)
    return named, list(draw(facts, named, random.Random(0)))


def reasons(*pages, encoder=None, draw=draw_chains):
    named, drafts = drawn(*pages, draw=draw)
    assert drafts
    audit = Audit(named, encoder)
    passed = [audit.passed(draft) for draft in drafts]
    return passed, dict(audit.removed)


def test_a_sound_question_passes():
    assert reasons(FILM, WOMAN) == ([True], {})
    assert reasons(FILM, WOMAN, encoder=Reads()) == ([True], {})


def test_the_answer_in_the_question():
    film = Passage("film", "1930 Lee", "1930 Lee is a comedy film directed by Ann Lee.")
    woman = Passage("woman", "Ann Lee", "Ann Lee (born 1930) is a film director.")
    assert reasons(film, woman) == ([False], {GIVEN_AWAY: 1})


def test_a_name_that_two_pages_have():
    assert reasons(FILM, WOMAN, Passage("2", "Last Bus (1990 film)", "Last Bus is a 1990 film.")) == (
        [False], {AMBIGUOUS: 1},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("film", "woman", "further"),
    [
        (f"{FILM.text} She was born on June 9, 1930.", WOMAN.text, ""),
        (FILM.text, f"{WOMAN.text} She made Last Bus.", ""),
        (FILM.text, WOMAN.text, "The director of Last Bus was born on 9 June 1930."),
    ],
)
def test_a_page_that_holds_what_is_named_and_the_answer(film, woman, further):
    pages = FILM._replace(text=film), WOMAN._replace(text=woman), Passage("third", "Notes", further)
    assert reasons(*pages) == ([False], {ONE_PAGE: 1})


def test_what_the_encoder_reads():
    assert reasons(FILM, WOMAN, encoder=Reads(alone=0.99)) == ([False], {ONE_PAGE: 1})
    assert reasons(FILM, WOMAN, encoder=Reads(together=0.2)) == ([False], {NO_PAGE: 1})


def test_an_answer_where_there_should_be_none():
    assert reasons(FILM, WOMAN, draw=draw_unanswerable) == ([True], {})
    assert reasons(FILM, WOMAN, encoder=Reads(), draw=draw_unanswerable) == ([True], {})
    assert reasons(FILM, WOMAN, encoder=Reads(holds=0.95), draw=draw_unanswerable) == ([False], {ANSWERED: 1})


def test_the_answer_must_be_on_the_last_page():
    named, [draft] = drawn(FILM, WOMAN)
    lost = draft.steps[-1]._replace(answer="10 June 1930")
    assert Audit(named).reason(draft._replace(answers=("10 June 1930",), steps=(draft.steps[0], lost))) == NO_PAGE


def test_the_same_question_twice():
    named, [draft] = drawn(FILM, WOMAN)
    audit = Audit(named)
    assert [audit.passed(draft), audit.passed(draft)] == [True, False]
    assert audit.removed == {TWICE: 1}
