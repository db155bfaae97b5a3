import pytest

from multihop.cli.opening.inputs import Inputs


@pytest.mark.parametrize(
    ("given", "plain", "other"),
    [
        ({}, True, False),
        ({"corpus": "mine"}, True, True),
        ({"retriever": "dense"}, False, True),
        ({"rerank_with": "mine"}, False, True),
        ({"corpus": "mine", "rerank_with": "mine"}, False, True),
    ],
)
def test_what_a_saved_program_may_name_and_what_takes_its_place(given, plain, other):
    inputs = Inputs(**given)
    assert (inputs.is_plain, inputs.says_what_searches) == (plain, other)
