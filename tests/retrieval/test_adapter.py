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
from small_corpus import ROWS

from multihop import OneStep
from multihop.base import InputError
from multihop.retrieval import BM25, Hit, Passage, Retriever, as_retriever, find, fingerprint

TEXTS = [f"{row['title']} | {row['text']}" for row in ROWS]
QUESTION = "When was Jerzy Kowal born?"


def batch(queries, k):
    words = [set(query.lower().strip("?").split()) for query in queries]
    return [sorted(TEXTS, key=lambda text: -len(asked & set(text.lower().split())))[:k] for asked in words]


def rankings(queries, k):
    return [[Hit(Passage("1", "", text), 1.0) for text in texts] for texts in batch(queries, k)]


def plain(query, k):
    return batch([query], k)[0]


def by_keyword(query, filters=None, *, top_k=10):
    return plain(query, top_k)


def annotated(query: Sequence[str], limit):
    return batch(query, limit)


def annotated_in_words(query: "list[str]", k):
    return batch(query, k)


def either(query_or_queries: str | list[str], k=3, **options):
    return plain(query_or_queries, k)


def one_query(query: str, k: int):
    return plain(query, k)


@functools.wraps(batch)
def wrapping(*arguments, **options):
    return batch(*arguments, **options)


async def waiting(query, k):
    return plain(query, k)


async def waiting_batch(queries, k):
    return batch(queries, k)


async def waiting_with_other_names(anything, number):
    return batch(anything, number)


class AsyncCallable:
    async def __call__(self, query, k):
        return plain(query, k)


class Module(dspy.Module):
    def forward(self, query, k=3):
        return dspy.Prediction(passages=plain(query, k))


class AsyncModule(dspy.Module):
    async def aforward(self, question, k=3):
        return dspy.Prediction(passages=plain(question, k))


def searching(search, **more):
    return SimpleNamespace(search=search, **more)


KINDS = {
    "a query": plain,
    "a query without k": lambda query: plain(query, 3),
    "k by keyword": by_keyword,
    "a batch by name": batch,
    "a batch by annotation": annotated,
    "a batch by annotation in words": annotated_in_words,
    "either": either,
    "a batch, wrapped": wrapping,
    "anything, passed on": lambda *arguments: plain(*arguments),
    "partial": functools.partial(by_keyword, top_k=5),
    "async": waiting,
    "async batch": waiting_batch,
    "what returns what waits": lambda query, k: waiting(query, k),
    "async callable": AsyncCallable(),
    "search": searching(rankings),
    "async search": searching(waiting_with_other_names),
    "asearch alone": SimpleNamespace(asearch=waiting_batch),
    "search of one query": searching(one_query),
    "search with k by keyword": searching(lambda queries, *, k: batch(queries, k)),
    "module": Module(),
    "async module": AsyncModule(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_searched_from_a_script_a_loop_and_a_program(kind):
    retriever = as_retriever(KINDS[kind])
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
    for retriever in (BM25.build([Passage(**ROWS[0])]), searching(batch), as_retriever(plain)):
        assert as_retriever(retriever) is retriever
        assert isinstance(retriever, Retriever)
    assert not isinstance(object(), Retriever)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("words", "str is no retriever; multihop.data.open_retriever('words') opens one."),
        (BM25, "BM25 is a class, no retriever; give an instance of it."),
        (lambda *, query: [], "<lambda> takes no query; it must be callable as f(query, k)."),
        (lambda query, k, *, index: [], "<lambda> cannot be called without 'index'; it must be callable as f(query, k"),
        (searching(lambda name, vector, limit=10: []), "SimpleNamespace.search cannot be called without 'vecto"),
        (dspy.Embedder(len), "Embedder is no retriever: it does not search; dspy.Embeddings makes one of an embedder."),
        (
            searching(lambda query, search_type: [], similarity_search=plain),
            "SimpleNamespace is a vector store; give a function f(query, k); docs/guide/own-documents.md has",
        ),
    ],
)
def test_what_cannot_search_is_refused_when_the_program_is_made(given, message):
    with pytest.raises(InputError) as refused:
        OneStep(given)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("many", [False, True])
def test_wrong_results_name_the_retriever(many):
    def nothing(query, k):
        return None

    wrong, name = (searching(lambda queries, k: [None]), "SimpleNamespace") if many else (nothing, "nothing")
    with pytest.raises(InputError, match=f"{name} returned None for a query; it must return a list of hits, best fi"):
        OneStep(wrong)(question=QUESTION)


def test_fingerprints_copies_and_pickles():
    named, unnamed = AsyncCallable(), AsyncCallable()
    named.fingerprint, unnamed.fingerprint = "remote-7", ""
    each = (named, AsyncCallable(), unnamed, plain, functools.partial(plain, k=3))
    known = [fingerprint(as_retriever(retriever)) for retriever in each]
    assert known == ["remote-7", "AsyncCallable", "AsyncCallable", "plain", "plain"]
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
        for _ in range(20):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(find(retriever, "never", 1), 0.01)
        return await find(retriever, "Po", 1)

    try:
        assert asyncio.run(asyncio.wait_for(main(), 50))[0].passage.text == "Po"
    finally:
        over.set()


def test_the_lines_of_the_guide_for_other_libraries():
    # As LangChain's and LlamaIndex's classes return them.
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
