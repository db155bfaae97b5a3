import pytest

from multihop.cli.data_options import CorpusOptions


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
    options = CorpusOptions(**given)
    assert options.is_plain == plain
    assert (options.opener("mine", saved=object()) is not None) == other
