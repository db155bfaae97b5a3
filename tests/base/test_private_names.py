"""The loss where a private name of DSPy is gone: a newer version loses no more."""

import dspy
import numpy as np

from multihop.retrieval.wrapped.adapter import as_retriever

TEXTS = ["Torun | A city.", "Vistula | A river."]


def embedder(texts):
    return np.array([[text.count("city") + 0.1, text.count("river") + 0.1] for text in texts])


def test_embeddings_tell_scores_and_as_many_hits_as_are_asked_for_by_a_private_name_alone(monkeypatch):
    embeddings = dspy.Embeddings(corpus=TEXTS, embedder=embedder, k=1)
    known = as_retriever(embeddings).search(["river"], 2)[0]
    assert [hit.passage.title for hit in known] == ["Vistula", "Torun"]
    assert known[0].score > known[1].score > 0
    monkeypatch.delattr(dspy.Embeddings, "_batch_forward")
    assert [hit.passage.title for hit in as_retriever(embeddings).search(["river"], 2)[0]] == ["Vistula"]
