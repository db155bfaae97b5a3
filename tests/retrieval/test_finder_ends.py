import asyncio

import pytest
from in_turn import AtOnce, InTurn
from recorder import PATIENCE, Recorder, ids

from multihop.base import InputError, concurrency
from multihop.retrieval import find

pytestmark = [pytest.mark.at_once, pytest.mark.usefixtures("nothing_stays_behind")]


class Failing:
    def __init__(self, error):
        self.error = error
        self.calls = 0

    def search(self, queries, k):
        self.calls += 1
        if self.calls == 1:
            raise self.error
        return [[] for _ in queries]


@pytest.mark.parametrize(
    "error", [RuntimeError("index gone"), InputError("k must be at least 1, not 0."), OSError(5, "unplugged")]
)
def test_an_error_reaches_everyone_in_the_batch_and_nobody_else(loud_loop, error):
    retriever = Failing(error)

    async def main():
        failed = await asyncio.gather(*[find(retriever, str(number), 1) for number in range(3)], return_exceptions=True)
        return failed, await find(retriever, "again", 1)

    failed, again = loud_loop(main)
    assert failed == [error] * 3
    assert again == []


@pytest.mark.parametrize("error", [StopIteration("over"), asyncio.CancelledError("over")])
def test_errors_that_futures_cannot_carry(loud_loop, error):
    async def main():
        return await asyncio.wait_for(find(Failing(error), "q", 1), 5)

    with pytest.raises(RuntimeError, match=r"^Failing\.search raised .*over"):
        loud_loop(main)


def test_an_error_with_nobody_left_to_hear_it_is_no_complaint(loud_loop):
    class Slow(Recorder):
        def search(self, queries, k):
            super().search(queries, k)
            raise RuntimeError("too late")

    retriever = Slow(held=True)

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


def test_cancelling_one_leaves_the_others_alone(loud_loop):
    retriever = Recorder(held=True)

    async def main():
        tasks = [asyncio.create_task(find(retriever, query, 1)) for query in ("a", "b", "b", "c")]
        await retriever.begun()
        tasks[0].cancel()
        tasks[1].cancel()
        retriever.go_on.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, second, third, fourth = loud_loop(main)
    assert isinstance(first, asyncio.CancelledError)
    assert isinstance(second, asyncio.CancelledError)
    assert (ids(third), ids(fourth)) == (["b"], ["c"])
    assert [queries for queries, _ in retriever.batches] == [InTurn(AtOnce("a", "b", "c"))]


def test_what_was_cancelled_before_its_turn_is_not_searched_for(loud_loop):
    retriever = Recorder(held=True)

    async def main():
        first = asyncio.create_task(find(retriever, "first", 1))
        await retriever.begun()
        doomed = [asyncio.create_task(find(retriever, "doomed", k)) for k in (1, 2)]
        last = asyncio.create_task(find(retriever, "last", 1))
        await asyncio.sleep(0)
        for task in doomed:
            task.cancel()
        retriever.go_on.set()
        await asyncio.gather(first, last, *doomed, return_exceptions=True)

    loud_loop(main)
    assert retriever.batches == [(["first"], 1), (["last"], 1)]


def test_the_loop_may_end_while_a_search_runs():
    retriever = Recorder(held=True)

    async def main():
        tasks = [asyncio.create_task(find(retriever, query, 1)) for query in ("a", "b")]
        await retriever.begun()
        tasks[0].add_done_callback(lambda _: retriever.go_on.set())  # for the loop waits for its threads in the end
        return tasks

    assert all(task.cancelled() for task in asyncio.run(main()))


def test_a_loop_closed_in_the_middle_of_a_search_is_forgotten():
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


@pytest.mark.parametrize(
    ("returned", "count"),
    [([], "0 rankings"), ([[], [], []], "3 rankings"), (None, "a NoneType"), (iter([]), "a list_iterator")],
)
def test_the_wrong_number_of_rankings_is_said_clearly(loud_loop, returned, count):
    class Miscounting:
        def search(self, queries, k):
            return returned

    retriever = Miscounting()

    async def main():
        return await asyncio.gather(*[find(retriever, query, 1) for query in "ab"], return_exceptions=True)

    message = f"Miscounting returned {count} for 2 queries; it must return one ranking per query."
    assert [str(error) for error in loud_loop(main)] == [message] * 2
