import random

import pytest

from multihop import Passage
from multihop.exam.facts import read_facts
from multihop.exam.names import PagesByName
from multihop.exam.subjects import read_subject
from multihop.exam.unanswerable import draw_unanswerable

FILM = Passage("film", "Last Bus", "Last Bus is a 1971 comedy film directed by Ann Lee.")


def asked(woman, *others):
    """The relations that are ever asked for, over many draws."""
    pages = [FILM, Passage("woman", "Ann Lee", woman), *others]
    subjects = [subject for page in pages if (subject := read_subject(page))]
    facts = {subject.page.id: read_facts(subject) for subject in subjects}
    named = PagesByName(pages, subjects)
    drafts = [draft for seed in range(40) for draft in draw_unanswerable(facts, named, random.Random(seed))]
    assert all(draft.answers == () and draft.steps[-1].sentence == -1 for draft in drafts)
    return {draft.steps[-1].relation for draft in drafts}


def test_what_a_page_does_not_tell_is_asked_for():
    assert asked("Ann Lee (born 9 June 1930) is a film director.") == {"university", "spouse"}
    assert asked("Ann Lee was a film director.") == {"birth date", "birthplace", "death place", "university", "spouse"}


@pytest.mark.parametrize(
    ("told", "relation"),
    [
        ("She studied in Rome.", "university"),
        ("Her husband was a baker.", "spouse"),
        ("She grew up in a house of three, a native of Rome.", "birthplace"),
        ("She was killed in Rome.", "death place"),
    ],
)
def test_what_is_told_in_any_words_is_not(told, relation):
    assert relation not in asked(f"Ann Lee was a film director. {told}")
    assert relation not in asked("Ann Lee was a film director.", Passage("n", "Notes", f"Of Ann Lee: {told}"))


def test_brackets_may_tell_where_a_life_began_and_ended():
    assert asked("Ann Lee (9 June 1930, Rome – 5 May 1999, Bern) was a film director.") == {"university", "spouse"}
