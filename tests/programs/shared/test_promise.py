import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.encoder import Judgement
from multihop.programs.shared.labelled_chunks import JudgedChunk, Open
from multihop.programs.shared.promise import any_named, blend, by_promise
from multihop.retrieval import Passage


def page(name, text=""):
    return Passage(name, name, text)


def chunk(passage, relevant, rank=0, origin=None):
    return JudgedChunk(passage, origin or Open(("q",)), Judgement(relevant, 0.0, 0.0, 0.0, 0.0, 0.0), rank)


def names(ranking):
    return [passage.id for passage in ranking]


EMMA, BATH, YORK = page("Emma", "Bath is in it."), page("Bath"), page("York")


def test_labels_rank_alone_where_a_page_names_another():
    assert names(by_promise([chunk(EMMA, 0.3), chunk(BATH, 0.0, 1), chunk(YORK, 0.9, 2)])) == ["York", "Emma", "Bath"]


def test_nothing_found_is_nothing_promised():
    assert by_promise([]) == []


@pytest.mark.parametrize(("relevant", "order"), [(0.0, ["one", "two", "three"]), (1.0, ["one", "three", "two"])])
def test_where_no_page_names_another_the_labels_have_half_of_the_say_at_most(relevant, order):
    """If it is sure, 0.5 / 12 + 0.5 / 10 = 0.0917 for the third, and for the second 0.5 / 11 + 0.5 / 12 = 0.0871."""
    found = [chunk(page(name), 0.0, rank) for rank, name in enumerate(["one", "two"])]
    assert names(by_promise([*found, chunk(page("three"), relevant, 2)])) == order


def test_what_only_a_path_found_comes_after_what_the_question_found_where_no_page_names_another():
    asked = [chunk(page(name), 0.0, rank) for rank, name in enumerate("abcdef")]
    beyond = chunk(page("z"), 1.0, 0, Open(("s",), (asked[0].passage,), (), 0.1))
    assert names(by_promise([*asked, beyond])) == list("abcdefz")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_what_was_found_first_stays_near_the_front_where_no_page_names_another(relevances):
    """At most half of the say goes to the labels."""
    ranking = by_promise([chunk(page(f"p{rank}"), relevant, rank) for rank, relevant in enumerate(relevances)])
    assert sorted(names(ranking)) == [f"p{rank}" for rank in range(len(relevances))]
    assert names(ranking).index("p0") <= 2


def test_two_rankings_in_equal_shares_and_in_one():
    one, other = [EMMA, BATH], [YORK, EMMA]
    assert names(blend(one, other, 0.5)) == ["Emma", "York", "Bath"]
    assert names(blend(one, other, 1.0)) == ["York", "Emma", "Bath"]
    assert names(blend(one, other, 0.0)) == ["Emma", "Bath", "York"]


def test_a_page_is_named_by_another_and_not_by_itself():
    assert any_named([EMMA, BATH])
    assert not any_named([page("Emma", "Emma by itself"), YORK])
    assert not any_named([page("", "no title"), page("It", "It is too short"), page("x", "")])
