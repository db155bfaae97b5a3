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


def test_labels_rank_alone_where_pages_name_each_other_and_one_is_likely():
    assert names(by_promise([chunk(EMMA, 0.3), chunk(BATH, 0.0, 1), chunk(YORK, 0.9, 2)])) == ["York", "Emma", "Bath"]


def test_nothing_found_is_nothing_promised():
    assert by_promise([]) == []


@pytest.mark.parametrize(("relevant", "order"), [(0.1, ["Emma", "York", "Bath"]), (0.3, ["York", "Emma", "Bath"])])
def test_below_the_belief_needed_the_search_has_its_share(relevant, order):
    """0.1 + 0.9 x 0.1 = 0.19 is 0.63 of 0.3: York has 0.37 / 12 + 0.63 / 10 = 0.094 and Emma 0.37 / 10 + 0.63 / 11."""
    assert names(by_promise([chunk(EMMA, 0.0), chunk(BATH, 0.0, 1), chunk(YORK, relevant, 2)])) == order


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
