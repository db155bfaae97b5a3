import json

import pytest

from multihop.base import InputError
from multihop.data import open_questions
from multihop.data.world import World
from multihop.data.world.chains import KIN


@pytest.fixture(scope="module")
def whole():
    world = World(questions=60, passages=1000, seed=2)
    return {page.id: page for page in world.passages()}, list(world.questions())


@pytest.fixture(scope="module")
def world():
    return World(questions=60, passages=1000, seed=2, unanswerable=0.2)


@pytest.fixture(scope="module")
def left(world):
    return {page.id: page for page in world.passages()}, list(world.questions())


def test_the_share_has_no_answer_and_misses_one_page_each(world, whole, left):
    refused = [question for question in left[1] if not question.answerable]
    missing = whole[0].keys() - left[0].keys()
    assert len(refused) == len(missing) == 12
    assert len(left[0]) == world.passages_count == len(whole[0]) - 12
    assert all((each.answers, each.supporting, each.decomposition) == ((), (), ()) for each in refused)


def test_all_else_is_as_in_the_world_without(whole, left):
    assert all(whole[0][name] == page for name, page in left[0].items())
    for before, after in zip(whole[1], left[1], strict=True):
        assert after == before if after.answerable else (after.id, after.question) == (before.id, before.question)


def test_whoever_has_an_answer_has_all_gold_and_whoever_has_none_misses_a_page(whole, left):
    for before, after in zip(whole[1], left[1], strict=True):
        there = left[0].keys() >= set(before.supporting)
        assert there == after.answerable


def test_no_page_that_stays_tells_the_missing_fact(whole, left):
    missing = whole[0].keys() - left[0].keys()
    for before, after in zip(whole[1], left[1], strict=True):
        if not after.answerable:
            lost = [hop for hop in before.decomposition if hop.passage in missing]
            for subject, relation, value in (hop.triple for hop in lost if hop.triple):
                assert relation not in KIN
                both = [page for page in left[0].values() if subject in str(page) and value in str(page)]
                assert both == []


def test_the_files_say_what_is_missing(world, left, tmp_path):
    world.write(tmp_path / "w")
    about = json.loads((tmp_path / "w" / "world.json").read_text())
    assert (about["unanswerable"], about["passages"]) == (0.2, len(left[0]))
    assert list(open_questions(tmp_path / "w" / "questions.jsonl")) == left[1]
    assert sum(1 for _ in (tmp_path / "w" / "corpus.jsonl").open()) == len(left[0])


@pytest.mark.parametrize("share", [0.6, -0.1, "half"])
def test_a_share_is_at_most_a_half(share):
    with pytest.raises(InputError, match="unanswerable must be a share between 0 and 0.5"):
        World(unanswerable=share)


def test_a_world_says_its_share():
    assert repr(World(questions=5, unanswerable=0.4)) == "World(questions=5, seed=0, passages=1000, unanswerable=0.4)"
