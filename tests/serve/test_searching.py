import pytest

from multihop.serve.refusal import Refusal
from multihop.serve.searching import RetrieveRequest


def read(body):
    return RetrieveRequest.read(body, most_queries=3, largest_k=10)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"queries": ["a", "b"], "topk": 2, "return_scores": true}', (["a", "b"], 2, True)),
        (b'{"queries": ["a"]}', (["a"], 5, False)),
        (b'{"queries": ["a"], "topk": null}', (["a"], 5, False)),
        (b'{"query": "a", "k": 10}', (["a"], 10, False)),
    ],
)
def test_what_is_asked_for(body, expected):
    assert read(body) == expected


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 400, 'the body is no JSON; send {"queries": ["..."], "topk": 5}.'),
        (b"\xff", 400, 'the body is no JSON; send {"queries": ["..."], "topk": 5}.'),
        (b"[" * 100_000, 400, 'the body is no JSON; send {"queries": ["..."], "topk": 5}.'),
        (b"[]", 400, 'the body is no JSON object; send {"queries": ["..."], "topk": 5}.'),
        (b"{}", 400, "'queries' is missing or empty; it is a list of texts."),
        (b'{"queries": []}', 400, "'queries' is missing or empty; it is a list of texts."),
        (b'{"queries": ["a", 5]}', 400, "query 2 is 5, not a text."),
        (b'{"queries": ["a", "b", "c", "d"]}', 413, "4 queries are too many at once; send at most 3."),
        (b'{"queries": ["a"], "topk": 0}', 400, "'topk' is a whole number from 1 on, not 0."),
        (b'{"queries": ["a"], "topk": true}', 400, "'topk' is a whole number from 1 on, not True."),
        (b'{"queries": ["a"], "topk": "5"}', 400, "'topk' is a whole number from 1 on, not '5'."),
        (b'{"queries": ["a"], "topk": 11}', 400, "'topk' is at most 10 here, not 11."),
        (b'{"queries": ["a"], "return_scores": 1}', 400, "'return_scores' is true or false, not 1."),
    ],
)
def test_what_is_refused(body, status, sentence):
    with pytest.raises(Refusal) as refused:
        read(body)
    assert (refused.value.status, refused.value.sentence) == (status, sentence)
