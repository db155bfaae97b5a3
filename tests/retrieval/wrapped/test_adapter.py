import asyncio
import contextvars
import copy
import pickle
import threading
from functools import partial

import dspy
import pytest
from in_turn import AtOnce, InTurn

from multihop import OneStep, scripted
from multihop.base import InputError
from multihop.retrieval import BM25, Hit, Passage, as_retriever, find, fingerprint

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


def by_keyword(query, *, top_k=10):
    return ranked(query)[:top_k]


def batch(queries, k):
    return [ranked(query)[:k] for query in queries]


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
    async def search(self, queries, k):
        return await waiting_batch(queries, k)


class AsearchAlone:
    async def asearch(self, queries, k):
        return await waiting_batch(queries, k)


class OneQuery:
    def search(self, query, k):
        return plain(query, k)


class OneQueryAsync:
    async def search(self, query: str, k: int):
        return plain(query, k)


class KeywordOnly:
    def search(self, queries, *, k):
        return batch(queries, k)


class Callable:
    def __call__(self, query, k):
        return plain(query, k)


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
    plain,
    without_k,
    by_keyword,
    batch,
    waiting,
    waiting_batch,
    lambda query, k: waiting(query, k),
    partial(by_keyword, top_k=5),
    Search(),
    AsyncSearch(),
    AsearchAlone(),
    OneQuery(),
    OneQueryAsync(),
    KeywordOnly(),
    Callable(),
    AsyncCallable(),
    Callable().__call__,
    Module(),
    AsyncModule(),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: getattr(kind, "__name__", type(kind).__name__))
def test_a_program_takes_it_both_ways(kind):
    program = OneStep(kind, k=1)
    with dspy.context(lm=READER):
        prediction = program(question=QUESTION)
        later = asyncio.run(asyncio.wait_for(program.acall(question=QUESTION), 30))
    assert prediction.answer == later.answer == "1922"
    assert [str(passage) for passage in prediction.passages] == TEXTS[1:2]
    assert later.passages == prediction.passages
    assert prediction.cost["retrievals"] == 1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: getattr(kind, "__name__", type(kind).__name__))
def test_it_can_be_searched_directly(kind):
    retriever = as_retriever(kind)
    first, second = retriever.search(["born in Torun", "a city on the Vistula"], 1)
    assert [str(hit.passage) for hit in first + second] == TEXTS[1:]

    async def inside():
        if asyncio.iscoroutinefunction(getattr(retriever, "asearch", None)):
            return await retriever.asearch(["born in Torun"], 1), retriever.search(["born in Torun"], 1)
        return [first], retriever.search(["born in Torun"], 1)

    assert asyncio.run(asyncio.wait_for(inside(), 30)) == ([first], [first])


def test_a_retriever_stays_what_it_is():
    bm25 = BM25.build([Passage("p", "", "A river.")])
    assert as_retriever(bm25) is bm25
    search = Search()
    assert as_retriever(search) is search
    adapted = as_retriever(plain)
    assert as_retriever(adapted) is adapted


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("words", "'words' is no retriever; it must have search(queries, k) or asearch(queries, k), or be callable"),
        (object, "object is a class, no retriever; give an instance of it."),
        (BM25, "BM25 is a class, no retriever; give an instance of it."),
        (["Po"], "['Po'] is no retriever; it must have"),
        (lambda *, query: [], "<lambda> takes no query; it must be callable as f(query, k)."),
        (
            lambda query, passages: [],
            "<lambda> cannot be called without 'passages'; it must be callable as f(query, k).",
        ),
        (dspy.Embedder(len), "Embedder is no retriever: it does not search; dspy.Embeddings makes one of an embedder."),
        (dspy.LM("openai/foo"), "LM is no retriever: it does not search;"),
    ],
)
def test_what_cannot_search_is_refused_when_the_program_is_made(given, message):
    with pytest.raises(InputError) as refused:
        OneStep(given)
    assert str(refused.value).startswith(message)


class Qdrant:
    def search(self, collection_name, query_vector, limit=10): ...


def test_a_search_of_another_kind_is_refused():
    with pytest.raises(InputError) as refused:
        OneStep(Qdrant())
    assert str(refused.value) == (
        "Qdrant.search cannot be called without 'query_vector'; it must be callable as search(queries, k)."
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda query, k: None, "<lambda> returned None for a query; it must return a list of hits, best first."),
        (lambda query, k: [1], "<lambda> returned the int 1 as a hit; a hit is"),
        (lambda queries, k: [], "<lambda> returned 0 rankings for 1 queries; it must return one ranking per query."),
    ],
)
def test_wrong_results_name_the_retriever(wrong, message):
    with dspy.context(lm=READER), pytest.raises(InputError) as refused:
        OneStep(wrong)(question=QUESTION)
    assert str(refused.value).startswith(message)


def test_wrong_results_of_a_class_name_the_class():
    class Numbers:
        def search(self, queries, k):
            return [[1] for _ in queries]

    with dspy.context(lm=READER), pytest.raises(InputError, match=r"^Numbers returned the int 1 as a hit; a hit is"):
        OneStep(Numbers())(question=QUESTION)


def test_fingerprints():
    named = Search()
    named.fingerprint = "search-7"
    wrapped = AsearchAlone()
    wrapped.fingerprint = "remote-7"
    assert fingerprint(as_retriever(named)) == "search-7"
    assert fingerprint(as_retriever(wrapped)) == "remote-7"
    assert fingerprint(as_retriever(AsearchAlone())) == "AsearchAlone"
    assert fingerprint(as_retriever(plain)) == "plain"
    assert fingerprint(as_retriever(partial(plain, k=3))) == "plain"
    assert fingerprint(as_retriever(Callable().__call__)) == "Callable.__call__"


def test_copies_are_itself_and_pickles_search():
    retriever = as_retriever(plain)
    assert copy.deepcopy(retriever) is retriever
    program = OneStep(plain, k=1)
    assert copy.deepcopy(program).retriever is program.retriever
    again = pickle.loads(pickle.dumps(retriever))
    assert again.search([QUESTION], 1) == retriever.search([QUESTION], 1)
    assert repr(again) == "as_retriever(plain)"


def test_batches_reach_what_takes_batches():
    asked = []

    def remembering(queries, k):
        asked.append(list(queries))
        return batch(queries, k)

    retriever = as_retriever(remembering)

    async def main():
        return await asyncio.gather(*[find(retriever, query, 1) for query in "abc"])

    asyncio.run(asyncio.wait_for(main(), 30))
    assert asked == [InTurn(AtOnce("a", "b", "c"))]


@pytest.mark.parametrize("waits", [False, True])
def test_single_queries_run_side_by_side_but_not_all_at_once(waits):
    running, most = 0, 0
    lock, all_there = threading.Lock(), threading.Event()

    def enter():
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == 16:
                all_there.set()

    def leave():
        nonlocal running
        with lock:
            running -= 1

    def blocking(query, k):
        enter()
        met = all_there.wait(30)
        leave()
        return [query] if met else None

    async def looping(query, k):
        enter()
        while not all_there.is_set():
            await asyncio.sleep(0.001)
        leave()
        return [query]

    retriever = as_retriever(looping if waits else blocking)

    async def main():
        return await asyncio.gather(*[find(retriever, str(number), 1) for number in range(48)])

    found = asyncio.run(asyncio.wait_for(main(), 60))
    assert [hits[0].passage.text for hits in found] == [str(number) for number in range(48)]
    assert most == 16


def test_one_failing_query_fails_alone():
    def flaky(query, k):
        if query == "bad":
            raise ConnectionError("refused")
        return [query]

    retriever = as_retriever(flaky)

    async def main():
        return await asyncio.gather(*[find(retriever, query, 1) for query in ("a", "bad", "b")], return_exceptions=True)

    first, failed, last = asyncio.run(asyncio.wait_for(main(), 30))
    assert (first[0].passage.text, str(failed), last[0].passage.text) == ("a", "refused", "b")


@pytest.mark.parametrize("waits", [False, True])
def test_each_query_runs_under_its_askers_context(waits):
    user = contextvars.ContextVar("user", default="nobody")

    def telling(query, k):
        return [user.get()]

    async def telling_later(query, k):
        return [user.get()]

    retriever = as_retriever(telling_later if waits else telling)

    async def ask(name):
        user.set(name)
        return (await find(retriever, "q", 1))[0].passage.text

    async def main():
        return await asyncio.gather(ask("ada"), ask("bob"))

    assert asyncio.run(asyncio.wait_for(main(), 30)) == ["ada", "bob"]


def test_async_functions_run_on_the_loop_and_others_do_not():
    seen = []

    async def here(query, k):
        seen.append(threading.get_ident())
        return []

    def elsewhere(query, k):
        seen.append(threading.get_ident())
        return []

    async def main():
        await find(as_retriever(here), "q", 1)
        await find(as_retriever(elsewhere), "q", 1)

    asyncio.run(asyncio.wait_for(main(), 30))
    assert seen[0] == threading.get_ident() != seen[1]


def test_an_error_that_futures_cannot_carry_is_told():
    def over(query, k):
        raise StopIteration("over")

    with pytest.raises(RuntimeError, match=r"raised StopIteration\('over'\)"):
        asyncio.run(asyncio.wait_for(find(as_retriever(over), "q", 1), 30))


def test_searches_one_after_the_other_share_threads():
    seen = []

    def search(query, k):
        seen.append(threading.get_ident())
        return [query]

    retriever = as_retriever(search)
    for number in range(100):
        retriever.search([str(number)], 1)
    assert len(seen) == 100
    assert len(set(seen)) < 50  # one is begun only where none is known to be free yet


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
