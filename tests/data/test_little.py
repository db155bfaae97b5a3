"""The little encyclopedia holds what it promises: every question takes all of its pages, and no page tells alone."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from multihop import data
from multihop.base import InputError
from multihop.data import Little, open_corpus, open_questions
from multihop.data.gold import read_gold

LITTLE = Little()
PAGES = {page.id: page for page in LITTLE.passages()}
QUESTIONS = list(LITTLE.questions())
GOLD = read_gold(QUESTIONS, PAGES)
IDS = [question.id for question in QUESTIONS]


def names(text: str, name: str) -> bool:
    """True if the text names it, as whole words and without what stands in brackets behind a title."""
    bare = re.escape(re.sub(r" \(.*\)", "", name))
    return re.search(rf"(?<!\w){bare}(?!\w)", text, re.IGNORECASE) is not None


def hops_before(path, place):
    """The places of the hops whose answers this hop needs, and that those need."""
    needs = path.hops[place].needs
    return set(needs).union(*(hops_before(path, earlier) for earlier in needs))


def test_there_are_two_hundred_pages_of_forty_to_a_hundred_and_twenty_words():
    assert len(PAGES) == len({page.title for page in PAGES.values()}) == 200
    assert [page.id for page in PAGES.values() if not 40 <= len(page.text.split()) <= 120] == []
    assert list(PAGES) == sorted(PAGES)


def test_every_page_names_two_others_and_is_named_by_another():
    links = {
        page.id: {other.id for other in PAGES.values() if other.id != page.id and names(page.text, other.title)}
        for page in PAGES.values()
    }
    assert [page for page, others in links.items() if len(others) < 2] == []
    assert PAGES.keys() - set().union(*links.values()) == set()


def test_the_questions_are_of_two_three_and_four_hops_and_of_all_kinds():
    assert len({question.id for question in QUESTIONS}) == len({question.question for question in QUESTIONS}) == 40
    assert str(GOLD) == "the gold of all 40 questions can be read"
    assert Counter(question.hops for question in QUESTIONS) == {2: 16, 3: 14, 4: 10}
    assert Counter(question.type for question in QUESTIONS) == {"bridge": 27, "comparison": 9, "combination": 4}
    assert all(question.hops == len(question.decomposition) == len(question.supporting) for question in QUESTIONS)


def test_the_parts_have_all_kinds_and_no_question_in_common():
    train, dev = (list(LITTLE.questions(split)) for split in ("train", "dev"))
    assert (len(train), len(dev)) == (24, 16)
    assert {question.id for question in (*train, *dev)} == {question.id for question in QUESTIONS}
    for part in (train, dev):
        assert {question.type for question in part} == {"bridge", "comparison", "combination"}
        assert {question.hops for question in part} == {2, 3, 4}


@pytest.mark.parametrize(("question", "path"), list(zip(QUESTIONS, GOLD.paths, strict=True)), ids=IDS)
def test_a_question_is_answered_by_its_pages_hop_by_hop(question, path):
    assert [page.id for page in path.passages] == list(question.supporting)
    for hop, step in zip(path.hops, question.decomposition, strict=True):
        assert (hop.sub_question, hop.passage.id) == (step.question, step.passage)
        assert names(hop.passage.text, step.answer)
        assert hop.needs or names(question.question, hop.passage.title)  # or at least a word of it
    assert path.compares == (question.type == "comparison")
    if question.type == "comparison":
        assert question.answer in ("yes", "no") or question.answer in {hop.answer for hop in path.hops}
    else:
        needed = {need for hop in path.hops for need in hop.needs}
        assert path.hops[-1].answer in question.answers
        assert {hop.answer for place, hop in enumerate(path.hops) if place not in needed} == {question.answer}


@pytest.mark.parametrize(("question", "path"), list(zip(QUESTIONS, GOLD.paths, strict=True)), ids=IDS)
def test_no_page_answers_a_question_alone(question, path):
    assert not any(names(question.question, answer) for answer in question.answers)
    for place, hop in enumerate(path.hops):
        for earlier in (path.hops[before] for before in hops_before(path, place)):
            assert not names(hop.passage.text, earlier.passage.title)  # nor can a hop be left out
            assert not names(earlier.passage.text, hop.answer)
    if question.type == "comparison":
        return
    starts = [hop.passage.title for hop in path.hops if not hop.needs]
    for page in PAGES.values():
        text = f"{page.title}. {page.text}"
        assert not (any(names(text, start) for start in starts) and names(text, question.answer))


def test_it_is_opened_by_name_whole_or_in_parts():
    assert [page.id for page in open_corpus("little")] == [page.id for page in open_corpus("little:dev")] == list(PAGES)
    assert [question.id for question in open_questions("little")] == IDS
    assert list(open_questions("little:dev", limit=7)) == list(LITTLE.questions("dev"))[:7]
    with pytest.raises(InputError, match="unknown split of the little encyclopedia 'test'.* Valid: dev, train"):
        LITTLE.questions("test")
    with pytest.raises(InputError, match="unknown source in the library 'little:test'.*Valid: little, little:dev"):
        open_questions("little:test")


def test_its_files_are_shipped():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["multihop.data"]
    files = {file.name for pattern in patterns for file in Path(data.__path__[0]).glob(pattern)}
    assert files == {"countries.txt", "sets.toml", "pages.jsonl", "questions.jsonl"}
