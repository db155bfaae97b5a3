import sys

import pytest

from multihop.base import InputError
from multihop.base.imports import Kind, find_by_name, is_reference, kebab_case

KIND = Kind("path", "multihop.tests.nothing", "MODULE:CLASS")


def test_ours_come_first_and_references_are_imported():
    assert find_by_name(KIND, "pathlib:Path", {"pathlib:Path": 1}) == 1
    assert find_by_name(KIND, "os:path.join", {}) is sys.modules["os"].path.join


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("her", "unknown path 'her'; did you mean 'here'? Valid: here, there, or MODULE:CLASS of your own"),
        ("pathlib:Pth", "unknown path in module pathlib: 'Pth'; did you mean 'Path'?"),
        ("no.such:Thing", "the path 'no.such:Thing' cannot be imported: No module named 'no'."),
        ("two:too:many", "unknown path 'two:too:many'"),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(name, said):
    with pytest.raises(InputError) as refused:
        find_by_name(KIND, name, {"here": 1}, hints=["there"])
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("name", ["a:b:c", "a b:c", ":c", "a:", "hub/x:y", "http://x", "C:\\x", "a.:b", "1a:b"])
def test_what_is_no_reference(name):
    assert not is_reference(name)


@pytest.mark.parametrize(
    ("name", "written"), [("TwoHops", "two-hops"), ("BM25", "bm25"), ("MyBM25Again", "my-bm25-again"), ("X", "x")]
)
def test_names_in_kebab_case(name, written):
    assert kebab_case(name) == written
