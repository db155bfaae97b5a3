import asyncio
import contextvars
import gc
import threading

import pytest
from in_turn import AtOnce, InTurn

from multihop.base import InputError, concurrency
from multihop.retrieval import Hit, Passage, find

pytestmark = pytest.mark.at_once


@pytest.fixture(autouse=True)
def nothing_stays_behind():
    yield
    assert concurrency._batchers == {}


@pytest.fixture
def loud_loop():
    """Runs a coroutine and fails on anything the loop complains about, such as an exception nobody retrieved."""

    def run(main):
        complaints = []

        async def watched():
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
            try:
                return await main()
            finally:
                gc.collect()

        result = asyncio.run(watched())
        gc.collect()
        assert complaints == []
        return result

    gc.freeze()  # what was there before need not be looked through again and again
    return run


PATIENCE = 60
"""Seconds after which a test that waits has failed."""
USER = contextvars.ContextVar("user", default="nobody")


class Recorder:
    """Finds the query itself, and remembers what it was asked, where and for whom; if held, it waits to be let go."""

    def __init__(self, held=False, error=None):
        self.batches, self.users, self.error = [], [], error
        self.running = self.most_running = 0
        self.searching, self.go_on = threading.Event(), threading.Event()
        if not held:
            self.go_on.set()

    async def begun(self):
        """Waits until a search is under way."""
        async with asyncio.timeout(PATIENCE):
            while not self.searching.is_set():
                await asyncio.sleep(0.001)

    def search(self, queries, k):
        self.thread = threading.get_ident()
        self.users.append(USER.get())
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.batches.append((list(queries), k))
        self.searching.set()
        assert self.go_on.wait(PATIENCE)
        self.running -= 1
        if self.error and len(self.batches) == 1:
            raise self.error
        return [[Hit(Passage(query, "", query), float(k))] for query in queries]


def ids(hits):
    return [hit.passage.id for hit in hits]


class Remote(Recorder):
    """Has an `asearch`, which is preferred."""

    async def asearch(self, queries, k):
        await asyncio.sleep(0)
        return super().search(queries, k)

    def search(self, queries, k):
        raise AssertionError("asearch is preferred")


@pytest.mark.parametrize("kind", [Recorder, Remote])
def test_what_is_asked_at_once_is_one_batch_under_the_context_of_its_first_question(loud_loop, kind):
    retriever, queries = kind(), [f"q{number}" for number in range(20)]

    async def ask(query):
        USER.set(query)
        return await find(retriever, query, 3)

    async def main():
        return await asyncio.gather(*map(ask, queries))

    assert [ids(hits) for hits in loud_loop(main)] == [[query] for query in queries]
    assert retriever.batches == [(InTurn(AtOnce(*queries)), 3)]
    assert retriever.users == [retriever.batches[0][0][0]]
    assert (retriever.thread == threading.get_ident()) == (kind is Remote)


def test_what_is_asked_during_a_search_is_the_next_batch(loud_loop):
    retriever = Recorder(held=True)

    async def main():
        asked = [asyncio.create_task(find(retriever, "first", 1))]
        await retriever.begun()
        for query in ("second", "third"):
            asked.append(asyncio.create_task(find(retriever, query, 1)))
            await asyncio.sleep(0)
        retriever.go_on.set()
        await asyncio.gather(*asked)

    loud_loop(main)
    assert [queries for queries, _ in retriever.batches] == [["first"], InTurn(AtOnce("second", "third"))]
    assert retriever.most_running == 1


def test_each_k_and_each_retriever_has_its_own_batch_and_equal_questions_are_asked_once(loud_loop):
    retriever, other = Recorder(), Recorder()

    async def main():
        asked = [("q0", 1), ("q1", 2), ("q2", 1), ("q1", 2), ("q2", 2)]
        return await asyncio.gather(*(find(retriever, query, k) for query, k in asked), find(other, "a", 1))

    found = loud_loop(main)
    assert [(ids(hits), hits[0].score) for hits in found] == [
        *((["q0"], 1), (["q1"], 2), (["q2"], 1)),
        *((["q1"], 2), (["q2"], 2), (["a"], 1)),
    ]
    assert found[1] is not found[3]  # each has a list of their own
    assert retriever.batches == [(InTurn(AtOnce("q0", "q2")), 1), (InTurn(AtOnce("q1", "q2")), 2)]
    assert other.batches == [(["a"], 1)]


def test_batches_have_a_largest_size(loud_loop):
    retriever = Recorder()

    async def main():
        await asyncio.gather(*[find(retriever, str(number), 1) for number in range(600)])

    loud_loop(main)
    assert [len(queries) for queries, _ in retriever.batches] == [256, 256, 88]


def test_several_loops_in_several_threads():
    retriever, answers = Recorder(), {}

    async def main(name):
        return await asyncio.gather(*[find(retriever, f"{name}{number}", 1) for number in range(5)])

    def run(name):
        answers[name] = [ids(hits) for hits in asyncio.run(main(name))]

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {name: [[f"{name}{number}"] for number in range(5)] for name in "abcd"}
    assert [len(queries) for queries, _ in retriever.batches] == [5, 5, 5, 5]


@pytest.mark.parametrize("kind", [Recorder, Remote])
def test_an_error_reaches_everyone_in_the_batch_and_nobody_else(loud_loop, kind):
    error = InputError("k must be at least 1, not 0.")
    retriever = kind(error=error)

    async def main():
        failed = await asyncio.gather(*[find(retriever, str(number), 1) for number in range(3)], return_exceptions=True)
        return failed, await find(retriever, "again", 1)

    failed, again = loud_loop(main)
    assert failed == [error] * 3
    assert ids(again) == ["again"]


@pytest.mark.parametrize("error", [StopIteration("over"), asyncio.CancelledError("over")])
def test_errors_that_futures_cannot_carry(loud_loop, error):
    async def main():
        return await asyncio.wait_for(find(Recorder(error=error), "q", 1), 5)

    with pytest.raises(RuntimeError, match=r"^Recorder\.search raised .*over"):
        loud_loop(main)


def test_an_error_with_nobody_left_to_hear_it_is_no_complaint(loud_loop):
    retriever = Recorder(held=True, error=RuntimeError("too late"))

    async def main():
        task = asyncio.create_task(find(retriever, "q", 1))
        await retriever.begun()
        task.cancel()
        await asyncio.sleep(0)
        retriever.go_on.set()
        async with asyncio.timeout(PATIENCE):
            while concurrency._batchers:  # until the error has come and gone
                await asyncio.sleep(0.001)
        return task.cancelled()

    assert loud_loop(main)
    assert len(retriever.batches) == 1


def test_cancelling_one_leaves_the_others_alone_and_before_its_turn_it_is_not_searched_for(loud_loop):
    retriever = Recorder(held=True)

    async def main():
        tasks = [asyncio.create_task(find(retriever, query, 1)) for query in ("a", "b", "b", "c")]
        await retriever.begun()
        doomed = [asyncio.create_task(find(retriever, "doomed", k)) for k in (1, 2)]
        last = asyncio.create_task(find(retriever, "last", 1))
        await asyncio.sleep(0)
        for task in (*tasks[:2], *doomed):
            task.cancel()
        retriever.go_on.set()
        return await asyncio.gather(*tasks, *doomed, last, return_exceptions=True)

    *cancelled, third, fourth, one, two, last = loud_loop(main)
    assert {type(each) for each in (*cancelled, one, two)} == {asyncio.CancelledError}
    assert [ids(hits) for hits in (third, fourth, last)] == [["b"], ["c"], ["last"]]
    assert retriever.batches == [(InTurn(AtOnce("a", "b", "c")), 1), (["last"], 1)]


def test_a_loop_that_ends_or_is_closed_in_the_middle_of_a_search_is_forgotten():
    retriever = Recorder(held=True)

    async def ending():
        task = asyncio.create_task(find(retriever, "a", 1))
        await retriever.begun()
        task.add_done_callback(lambda _: retriever.go_on.set())  # for the loop waits for its threads in the end
        return task

    assert asyncio.run(ending()).cancelled()

    retriever = Recorder(held=True)
    loop = asyncio.new_event_loop()
    asked = loop.create_task(find(retriever, "a", 1))
    loop.run_until_complete(retriever.begun())
    (serving,) = concurrency._batchers.values()
    loop.close()
    for task in (asked, serving._task):
        task._log_destroy_pending = False  # that they never end is what this test is about
    del serving
    retriever.go_on.set()
    assert ids(asyncio.run(find(retriever, "b", 1))) == ["b"]
    assert concurrency._batchers == {}
