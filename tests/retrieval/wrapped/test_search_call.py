import functools
from collections.abc import Sequence

import pytest

from multihop.base import InputError
from multihop.retrieval.wrapped.search_call import SearchCall


def read(function, batch=False):
    call = SearchCall.read(function, "mine", batch=batch)
    return call.batch, call.waits, call.k_name


def annotated_text(queries: str, k): ...
def annotated_list(query: list[str], k): ...
def annotated_sequence(query: Sequence[str], k): ...
def annotated_in_words(query: "list[str]", k): ...
def either(query_or_queries: str | list[str], k): ...
async def waiting(query, k): ...


class Waiting:
    async def __call__(self, query, k): ...


@functools.wraps(annotated_list)
def wrapped(*args, **kwargs): ...


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda query, k: 0, (False, False, "")),
        (lambda x, y_is_k=5, *, k=5: 0, (False, False, "k")),
        (lambda queries, k: 0, (True, False, "")),
        (lambda query, top_k=5: 0, (False, False, "")),
        (lambda query, filters=None, limit=5: 0, (False, False, "limit")),
        (lambda query, *, k: 0, (False, False, "k")),
        (lambda query: 0, (False, False, None)),
        (lambda query, **options: 0, (False, False, "k")),
        (lambda *arguments: 0, (False, False, "")),
        (lambda *arguments, **options: 0, (False, False, "k")),
        (annotated_text, (False, False, "")),
        (annotated_list, (True, False, "")),
        (annotated_sequence, (True, False, "")),
        (annotated_in_words, (True, False, "")),
        (either, (False, False, "")),
        (wrapped, (True, False, "")),
        (waiting, (False, True, "")),
        (Waiting(), (False, True, "")),
        (functools.partial(waiting, k=3), (False, True, "k")),
    ],
)
def test_how_a_function_is_called_is_read_off_its_signature(function, expected):
    assert read(function) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda queries, number: 0, (True, False, "")),
        (lambda anything, number: 0, (True, False, "")),
        (lambda query, k: 0, (False, False, "")),
        (lambda *arguments, **options: 0, (True, False, "")),
    ],
)
def test_a_search_method_takes_a_batch_unless_it_says_otherwise(function, expected):
    assert read(function, batch=True) == expected


def test_the_number_of_hits_goes_where_it_is_taken():
    assert SearchCall.read(lambda query, k: (query, k), "mine", batch=False)("Po", 3) == ("Po", 3)
    assert SearchCall.read(lambda q, *, n: (q, n), "mine", batch=False)("Po", 3) == ("Po", 3)
    assert SearchCall.read(lambda q, where="", n=1: (q, where, n), "mine", batch=False)("Po", 3) == ("Po", "", 3)
    assert SearchCall.read(lambda query: query, "mine", batch=False)("Po", 3) == "Po"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: 0, "mine takes no query; it must be callable as f(query, k)."),
        (lambda *, query: 0, "mine takes no query; it must be callable as f(query, k)."),
        (
            lambda query, passages: 0,
            "mine cannot be called without 'passages'; it must be callable as f(query, k).",
        ),
        (lambda *queries, index: 0, "mine cannot be called without 'index'; it must be callable as f(query, k)."),
        (lambda query, k, *, index: 0, "mine cannot be called without 'index'; it must be callable as f(query, k)."),
    ],
)
def test_what_needs_more_than_a_query_and_a_number_is_refused(function, message):
    with pytest.raises(InputError) as refused:
        SearchCall.read(function, "mine", batch=False)
    assert str(refused.value) == message
