import asyncio
import contextvars
import copy
import functools
import pickle
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import dspy
import pytest

from multihop import OneStep, scripted
from multihop.base import InputError
from multihop.retrieval import BM25, Hit, Passage, Retriever, as_retriever, find, fingerprint

TEXTS = [
    "Night Train (film) | Night Train is a 1959 film directed by Jerzy Kowal.",
    "Jerzy Kowal | Jerzy Kowal was born in Torun in 1922.",
    "Torun | Torun is a city on the Vistula.",
]
QUESTION = "When was Jerzy Kowal born?"
READER = scripted(lambda prompt: {"answer": "1922"})


def ranked(query):
    asked = set(query.lower().strip("?").split())
    return sorted(TEXTS, key=lambda text: -len(asked & set(text.lower().split())))


def plain(query, k):
    return ranked(query)[:k]


def without_k(query):
    return ranked(query)


def by_keyword(query, filters=None, *, top_k=10):
    return ranked(query)[:top_k]


def batch(queries, k):
    return [ranked(query)[:k] for query in queries]


def annotated(query: Sequence[str], limit):
    return batch(query, limit)


def annotated_in_words(query: "list[str]", k):
    return batch(query, k)


def either(query_or_queries: str | list[str], k=3, **options):
    return plain(query_or_queries, k)


@functools.wraps(batch)
def wrapping(*arguments, **options):
    return batch(*arguments, **options)


async def waiting(query, k):
    await asyncio.sleep(0)
    return ranked(query)[:k]


async def waiting_batch(queries, k):
    await asyncio.sleep(0)
    return batch(queries, k)


class Search:
    def search(self, queries, k):
        return [[Hit(Passage("1", "", text), 1.0) for text in texts] for texts in batch(queries, k)]


class AsyncSearch:
    async def search(self, anything, number):
        return await waiting_batch(anything, number)


class AsearchAlone:
    async def asearch(self, queries, k):
        return await waiting_batch(queries, k)


class OneQuery:
    def search(self, query: str, k: int):
        return plain(query, k)


class KeywordOnly:
    def search(self, queries, *, k):
        return batch(queries, k)


class AsyncCallable:
    async def __call__(self, query, k):
        return plain(query, k)


class Module(dspy.Module):
    def forward(self, query, k=3):
        return dspy.Prediction(passages=plain(query, k))


class AsyncModule(dspy.Module):
    async def aforward(self, question, k=3):
        return dspy.Prediction(passages=plain(question, k))


KINDS = [
    *(plain, without_k, by_keyword, batch, annotated, annotated_in_words, either, wrapping, waiting, waiting_batch),
    *(lambda query, k: waiting(query, k), lambda *arguments: plain(*arguments), functools.partial(by_keyword, top_k=5)),
    *(Search(), AsyncSearch(), AsearchAlone(), OneQuery(), KeywordOnly(), AsyncCallable(), AsyncCallable().__call__),
    *(Module(), AsyncModule()),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: getattr(kind, "__name__", type(kind).__name__))
def test_it_is_searched_from_a_script_a_loop_and_a_program(kind):
    retriever = as_retriever(kind)
    found = retriever.search(["born in Torun", "a city on the Vistula"], 1)
    assert [str(hit.passage) for hits in found for hit in hits] == TEXTS[1:]

    async def inside():
        return retriever.search(["born in Torun"], 1), [await find(retriever, "born in Torun", 1)]

    assert asyncio.run(asyncio.wait_for(inside(), 30)) == (found[:1], found[:1])


def test_a_search_may_ask_another_one():
    inner = as_retriever(waiting)

    async def outer(query, k):
        return inner.search([query], k)[0]

    assert str(as_retriever(outer).search([QUESTION], 1)[0][0].passage) == TEXTS[1]


def test_a_retriever_stays_what_it_is():
    for retriever in (BM25.build([Passage("p", "", "A river.")]), Search(), as_retriever(plain)):
        assert as_retriever(retriever) is retriever
        assert isinstance(retriever, Retriever)
    assert not isinstance(object(), Retriever)


def searching(**methods):
    return SimpleNamespace(**methods)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("words", "'words' is no retriever; it must have search(queries, k) or asearch(queries, k), or be callable"),
        (BM25, "BM25 is a class, no retriever; give an instance of it."),
        (lambda *, query: [], "<lambda> takes no query; it must be callable as f(query, k)."),
        (lambda query, k, *, index: [], "<lambda> cannot be called without 'index'; it must be callable as f(query, k"),
        (searching(search=lambda name, vector, limit=10: []), "SimpleNamespace.search cannot be called without 'vecto"),
        (dspy.Embedder(len), "Embedder is no retriever: it does not search; dspy.Embeddings makes one of an embedder."),
        (
            searching(similarity_search=plain, search=lambda query, search_type: []),
            "SimpleNamespace is a vector store; give a function f(query, k); docs/guide/own-documents.md has",
        ),
    ],
)
def test_what_cannot_search_is_refused_when_the_program_is_made(given, message):
    with pytest.raises(InputError) as refused:
        OneStep(given)
    assert str(refused.value).startswith(message)


def nothing(query, k):
    return None


def no_rankings(queries, k):
    return []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (nothing, "nothing returned None for a query; it must return a list of hits, best first."),
        (no_rankings, "no_rankings returned 0 rankings for 1 queries; it must return one ranking per query."),
        (searching(search=lambda queries, k: [[1]]), "SimpleNamespace returned the int 1 as a hit; a hit is"),
    ],
)
def test_wrong_results_name_the_retriever(wrong, message):
    with dspy.context(lm=READER), pytest.raises(InputError) as refused:
        OneStep(wrong)(question=QUESTION)
    assert str(refused.value).startswith(message)


def test_fingerprints_copies_and_pickles():
    named = AsearchAlone()
    named.fingerprint = "remote-7"
    unnamed = Search()
    unnamed.fingerprint = ""
    each = (named, AsearchAlone(), unnamed, plain, functools.partial(plain, k=3))
    known = [fingerprint(as_retriever(retriever)) for retriever in each]
    assert known == ["remote-7", "AsearchAlone", "Search", "plain", "plain"]
    retriever = as_retriever(plain)
    assert copy.deepcopy(OneStep(retriever, k=1)).retriever is retriever
    again = pickle.loads(pickle.dumps(retriever))
    assert again.search([QUESTION], 1) == retriever.search([QUESTION], 1)
    assert repr(again) == "as_retriever(plain)"


def at_once(retriever, queries, **more):
    async def main():
        return await asyncio.gather(*[find(retriever, query, 1) for query in queries], **more)

    return asyncio.run(asyncio.wait_for(main(), 60))


@pytest.mark.parametrize("waits", [False, True])
def test_single_queries_run_side_by_side_but_not_all_at_once(waits):
    running, numbers = set(), []
    threads, tasks = threading.Barrier(16, timeout=30), asyncio.Barrier(16)

    def enter(query):
        running.add(query)
        numbers.append(len(running))

    def blocking(query, k):
        enter(query)
        threads.wait()
        running.discard(query)
        return [query]

    async def looping(query, k):
        enter(query)
        await tasks.wait()
        running.discard(query)
        return [query]

    queries = list(map(str, range(48)))
    found = at_once(as_retriever(looping if waits else blocking), queries)
    assert [hits[0].passage.text for hits in found] == queries
    assert max(numbers) == 16


def test_one_failing_query_fails_alone():
    def flaky(query, k):
        if query in ("bad", "over"):
            raise {"bad": ConnectionError("refused"), "over": StopIteration("over")}[query]
        return [query]

    first, failed, over, last = at_once(as_retriever(flaky), ("a", "bad", "over", "b"), return_exceptions=True)
    assert (first[0].passage.text, str(failed), last[0].passage.text) == ("a", "refused", "b")
    assert str(over).endswith("raised StopIteration('over')")  # which no future can carry


@pytest.mark.parametrize("waits", [False, True])
def test_each_query_runs_under_its_askers_context(waits):
    user = contextvars.ContextVar("user", default="nobody")
    threads = set()

    def telling(query, k):
        threads.add(threading.get_ident())
        return [user.get()]

    async def telling_later(query, k):
        return telling(query, k)

    retriever = as_retriever(telling_later if waits else telling)

    async def ask(name):
        user.set(name)
        return (await find(retriever, "q", 1))[0].passage.text

    async def main():
        return await asyncio.gather(ask("ada"), ask("bob"))

    assert asyncio.run(asyncio.wait_for(main(), 30)) == ["ada", "bob"]
    assert (threading.get_ident() in threads) == waits  # async functions run on the loop, and others do not


def test_searches_that_never_end_do_not_keep_others_from_theirs():
    over = threading.Event()

    def search(query, k):
        if query == "never":
            over.wait(60)
        return [query]

    retriever = as_retriever(search)

    async def main():
        for _ in range(40):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(find(retriever, "never", 1), 0.01)
        return await find(retriever, "Po", 1)

    try:
        assert asyncio.run(asyncio.wait_for(main(), 50))[0].passage.text == "Po"
    finally:
        over.set()


def test_the_lines_of_the_guide_for_other_libraries():
    """Stand-ins return what LangChain's and LlamaIndex's classes return, as far as a retriever is concerned."""
    documents = [SimpleNamespace(page_content=text, id=None, metadata={}) for text in TEXTS]
    nodes = [SimpleNamespace(text=text, score=0.9) for text in TEXTS]
    store = SimpleNamespace(similarity_search=lambda query, k=4: documents[:k])
    retriever = SimpleNamespace(invoke=lambda query: documents, retrieve=lambda query: nodes)
    page = Path(__file__).parents[2] / "docs/guide/own-documents.md"
    lines = re.findall(r"^\| L.* \| `(lambda query, k: .*)` \|$", page.read_text(encoding="utf-8"), re.M)
    for line, score in zip(lines, (1.0, 1.0, 0.9), strict=True):
        (hits,) = as_retriever(eval(line, {"store": store, "retriever": retriever})).search([QUESTION], 2)
        assert [str(hit.passage) for hit in hits] == TEXTS[:2]
        assert hits[0].score == score
