from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import InputError, create
from multihop.experiments.sweeping.points import SweepPoint, plan_points


def nothing(query, k):
    return []


def changes(program, over, **options):
    return [point.changed for point in plan_points(program, over, **options)]


def test_the_whole_grid_with_the_default_first():
    program = create("mzqa", nothing)
    assert changes(program, {"exploration": [0.5, 1, 2], "reuse": ["none", "transitions"]}) == [
        {},
        {"exploration": 0.5, "reuse": "none"},
        {"exploration": 0.5},
        {"reuse": "none"},
        {"exploration": 2.0, "reuse": "none"},
        {"exploration": 2.0},
    ]


def test_the_default_is_a_point_also_where_it_is_not_among_the_values():
    assert changes(create("mzqa", nothing), {"exploration": [0.5], "reuse": ["none"]}) == [
        {},
        {"exploration": 0.5, "reuse": "none"},
    ]


def test_each_setting_alone():
    program = create("mzqa", nothing, depth=2)
    found = plan_points(program, {"exploration": [1, 2], "depth": [2, 3, 4]}, one_at_a_time=True)
    assert [point.changed for point in found] == [{}, {"exploration": 2.0}, {"depth": 3}, {"depth": 4}]
    assert found[1].settings == {"exploration": 2.0, "depth": 2}


def test_values_are_converted_and_each_is_a_point_once():
    assert changes(create("one-step", nothing), {"k": ["3", 3, 3.0, 5]}) == [{}, {"k": 3}]


def test_values_that_are_lists():
    program = create("tor", nothing)
    found = plan_points(program, {"widths": [[2, 2], [3]]}, one_at_a_time=True)
    assert [point.changed for point in found] == [{}, {"widths": [2, 2]}, {"widths": [3]}]
    assert [point.title for point in found] == ["default", "widths=[2,2]", "widths=[3]"]


@pytest.mark.parametrize(
    ("over", "options", "said"),
    [
        ({"exploratoin": [1]}, {}, "unknown setting of mzqa 'exploratoin'; did you mean 'exploration'? Valid: "),
        ({"retriever": ["bm25"]}, {}, "unknown setting of mzqa 'retriever'"),
        ({"exploration": [-1]}, {}, "setting 'exploration' of mzqa cannot be -1: "),
        ({"concurrency": [1, 2]}, {}, "concurrency is not swept: it changes no answer; mzqa has "),
        ({"lms": ["a", "b"]}, {}, "lms is not swept: each LM is a run or a sweep of its own (--lm, --step-lm); "),
        ({}, {}, "a sweep goes over a setting or more, such as --over k=3,5,10."),
        ({"k": []}, {}, "the values of k are a list of one or more, not []."),
        ({"k": "35"}, {}, "the values of k are a list of one or more, not '35'."),
        ({"k": range(1, 70)}, {}, "the sweep has 69 points, and 64 are allowed: leave out values, vary each setting "),
        ({"k": range(1, 6), "depth": range(1, 6)}, {"most": 24}, "the sweep has 26 points, and 24 are allowed: "),
        ({"k": range(1, 9999), "depth": range(1, 9999)}, {}, "the sweep has 99,960,004 points, and 64 are allowed: "),
        ({"k": [1, 2, 3]}, {"one_at_a_time": True, "most": 3}, "the sweep has 4 points, and 3 are allowed: "),
    ],
)
def test_what_cannot_be_swept_is_one_sentence(over, options, said):
    with pytest.raises(InputError) as refused:
        plan_points(create("mzqa", nothing), over, **options)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_a_list_without_brackets_is_refused_with_them():
    with pytest.raises(InputError) as refused:
        plan_points(create("tor", nothing), {"widths": [5, 3, 3]})
    said = "a value of widths is a list, and stands in brackets: widths=[5,3,3], not widths=5,3,3."
    assert str(refused.value) == said


def test_a_folder_says_what_is_changed_whatever_else_is_swept():
    assert SweepPoint({"k": 5}, {}).folder == "default"
    assert SweepPoint({"k": 5, "depth": 2}, {"k": 3}).folder == SweepPoint({"k": 3}, {"k": 3}).folder == "k-3"
    assert SweepPoint({}, {"b": 1, "a": "x"}).folder == SweepPoint({}, {"a": "x", "b": 1}).folder == "a-x+b-1"
    first, second = SweepPoint({}, {"w": [5, 3]}).folder, SweepPoint({}, {"w": ["5", "3"]}).folder
    assert first.startswith("w-5-3-")
    assert first != second
    assert len(SweepPoint({}, {"text": "word " * 99}).folder) < 100


@given(
    ks=st.lists(st.integers(1, 30), min_size=1, max_size=4, unique=True),
    depths=st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True),
    alone=st.booleans(),
)
def test_every_combination_is_a_point_once(ks, depths, alone):
    program = create("mzqa", nothing)
    usual = program.settings["k"], program.settings["depth"]
    found = plan_points(program, {"k": ks, "depth": depths}, one_at_a_time=alone)
    pairs = {(k, depth) for k in ks for depth in depths}
    if alone:
        pairs = {(k, usual[1]) for k in ks} | {(usual[0], depth) for depth in depths}
    assert {(point.settings["k"], point.settings["depth"]) for point in found} == pairs | {usual}
    assert len(found) == len({point.folder for point in found}) == len(pairs | {usual})
    assert found[0].is_default
    assert prod((len(ks), len(depths))) >= len(found) - 1 or alone
