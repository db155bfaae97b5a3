"""The loss where a private name of DSPy or LiteLLM is gone: a newer version loses no more."""

import dspy
import numpy as np
import pytest

from multihop.base import private_names
from multihop.retrieval.wrapped.adapter import as_retriever
from multihop.runtime.cost import prices, tokens
from multihop.runtime.cost.prices import current_prices
from multihop.runtime.cost.tokens import estimate_tokens

TEXTS = ["Torun | A city.", "Vistula | A river."]
GPT = "gpt-4o-mini"


def embedder(texts):
    return np.array([[text.count("city") + 0.1, text.count("river") + 0.1] for text in texts])


@pytest.fixture(autouse=True)
def anew():
    """Tables that are read once are read anew, here and after."""
    prices._table.cache_clear()
    tokens._counter.cache_clear()
    yield
    prices._table.cache_clear()
    tokens._counter.cache_clear()


def test_embeddings_tell_scores_and_as_many_hits_as_are_asked_for_by_a_private_name_alone(monkeypatch):
    embeddings = dspy.Embeddings(corpus=TEXTS, embedder=embedder, k=1)
    known = as_retriever(embeddings).search(["river"], 2)[0]
    assert [hit.passage.title for hit in known] == ["Vistula", "Torun"]
    assert known[0].score > known[1].score > 0
    monkeypatch.delattr(dspy.Embeddings, "_batch_forward")
    assert [hit.passage.title for hit in as_retriever(embeddings).search(["river"], 2)[0]] == ["Vistula"]


def test_prices_that_nobody_gave_are_in_a_file_of_litellm(monkeypatch):
    assert not current_prices.get().unknown([GPT])
    prices._table.cache_clear()
    monkeypatch.setattr(prices, "price_table", lambda: None)
    assert current_prices.get().unknown([GPT]) == [GPT]


def test_tokens_are_counted_with_a_table_of_litellm_and_estimated_by_characters_without(monkeypatch):
    text = "internationalization " * 8
    assert estimate_tokens(text, []).into == 17
    tokens._counter.cache_clear()
    monkeypatch.setattr(tokens, "tokenizer_table", lambda: None)
    assert estimate_tokens(text, []).into == len(text) // tokens._CHARACTERS


def test_nothing_is_found_without_litellm(monkeypatch):
    monkeypatch.setattr(private_names, "find_spec", lambda name: None)
    assert private_names.price_table() is private_names.tokenizer_table() is None
