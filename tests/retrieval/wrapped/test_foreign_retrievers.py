"""Stand-ins that have what LangChain's and LlamaIndex's classes have, as far as a retriever is concerned."""

import asyncio
from dataclasses import dataclass, field

import dspy
import pytest

from multihop import OneStep, scripted
from multihop.retrieval import Hit, Passage, as_retriever, find

ROWS = [
    ("n1", "Jerzy Kowal", "Jerzy Kowal was born in Torun in 1922."),
    ("n2", "Torun", "Torun is a city."),
    ("n3", "", "A."),
]


@dataclass
class Document:
    page_content: str
    metadata: dict = field(default_factory=dict)
    id: str | None = None


DOCUMENTS = [Document(text, {"title": title} if title else {}, name) for name, title, text in ROWS]


class Store:
    """As LangChain's VectorStore: its own `search` takes a kind of search where others take k."""

    def search(self, query: str, search_type: str, **options):
        raise AssertionError("not this one")

    async def asearch(self, query: str, search_type: str, **options):
        raise AssertionError("not this one")

    def similarity_search(self, query: str, k: int = 4, **options):
        return DOCUMENTS[:k]

    def similarity_search_with_score(self, query: str, k: int = 4):
        return [(document, float(place)) for place, document in enumerate(DOCUMENTS[:k])]


class LangChain:
    def _get_relevant_documents(self, query, *, run_manager):
        raise AssertionError("of its own")

    def invoke(self, query: str, config=None, **options):
        return DOCUMENTS[: self.limit()]

    def limit(self):
        return 2


class OfStore(LangChain):
    def __init__(self):
        self.search_kwargs = {"k": 1, "filter": "x"}

    def limit(self):
        assert self.search_kwargs["filter"] == "x"
        return self.search_kwargs["k"]


class OfWords(LangChain):
    def __init__(self):
        self.k = 1

    def limit(self):
        return self.k


@dataclass
class Node:
    text: str
    metadata: dict
    node_id: str

    def get_content(self):
        return self.text


@dataclass
class NodeWithScore:
    node: Node
    score: float | None


class LlamaIndex:
    def __init__(self):
        self._top = 1

    @property
    def similarity_top_k(self):
        return self._top

    @similarity_top_k.setter
    def similarity_top_k(self, top):
        self._top = top

    def retrieve(self, query):
        nodes = [Node(text, {"title": title} if title else {}, name) for name, title, text in ROWS]
        return [NodeWithScore(node, 0.9 - place / 10) for place, node in enumerate(nodes[: self._top])]

    async def aretrieve(self, query):
        return self.retrieve(query)


class OfLlamaIndexWords(LlamaIndex):
    similarity_top_k = None

    def __init__(self):
        self._similarity_top_k = 1

    def retrieve(self, query):
        self._top = self._similarity_top_k
        return super().retrieve(query)


PASSAGES = [Passage(*row) for row in ROWS]


@pytest.mark.parametrize(
    ("kind", "most", "scores"),
    [
        (Store, 3, (1.0, 1 / 2, 1 / 3)),
        (LangChain, 2, (1.0, 1 / 2)),
        (OfStore, 3, (1.0, 1 / 2, 1 / 3)),
        (OfWords, 3, (1.0, 1 / 2, 1 / 3)),
        (LlamaIndex, 3, (0.9, 0.8, 0.7)),
        (OfLlamaIndexWords, 3, (0.9, 0.8, 0.7)),
    ],
)
def test_as_many_hits_as_are_asked_for_and_it_stays_as_it_was(kind, most, scores):
    wrapped = kind()
    before = dict(vars(wrapped))
    retriever = as_retriever(wrapped)
    hits = [Hit(passage, pytest.approx(score)) for passage, score in zip(PASSAGES, scores, strict=False)]
    for k in (1, 2, 3, 1):
        assert retriever.search(["a", "b"], k) == [hits[: min(k, most)]] * 2
    assert vars(wrapped) == before

    async def main():
        return await asyncio.gather(*[find(retriever, query, 2) for query in "abc"])

    assert asyncio.run(asyncio.wait_for(main(), 30)) == [hits[:2]] * 3


@pytest.mark.parametrize("kind", [Store, LangChain, OfStore, LlamaIndex])
def test_in_a_program(kind):
    with dspy.context(lm=scripted(lambda prompt: {"answer": "1922"})):
        prediction = OneStep(kind(), k=2)(question="When was Jerzy Kowal born?")
    assert prediction.answer == "1922"
    assert [passage.id for passage in prediction.passages] == ["n1", "n2"]
