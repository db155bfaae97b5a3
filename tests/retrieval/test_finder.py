import asyncio
import contextvars
import gc
import threading
import weakref

import pytest
from in_turn import AtOnce, InTurn

from multihop.base import InputError
from multihop.base import desk as desks
from multihop.retrieval import Hit, Passage, find

pytestmark = pytest.mark.at_once

PATIENCE = 60
"""Seconds after which a test that waits has failed."""


class Recorder:
    """Finds the query itself, and remembers the batches it was asked for; if held, it searches until it is let go."""

    def __init__(self, held=False):
        self.batches = []
        self.running = 0
        self.most_running = 0
        self.searching, self.go_on = threading.Event(), threading.Event()
        if not held:
            self.go_on.set()

    async def begun(self):
        """Waits until a search is under way."""
        async with asyncio.timeout(PATIENCE):
            while not self.searching.is_set():
                await asyncio.sleep(0.001)

    def search(self, queries, k):
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.batches.append((list(queries), k))
        self.searching.set()
        assert self.go_on.wait(PATIENCE)
        self.running -= 1
        return [[Hit(Passage(query, "", query), float(k))] for query in queries]


class Failing:
    def __init__(self, error):
        self.error = error
        self.calls = 0

    def search(self, queries, k):
        self.calls += 1
        if self.calls == 1:
            raise self.error
        return [[] for _ in queries]


def ids(hits):
    return [hit.passage.id for hit in hits]


@pytest.fixture(autouse=True)
def nothing_stays_behind():
    yield
    assert desks._desks == {}


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


def test_what_is_asked_at_once_is_one_batch(loud_loop):
    retriever = Recorder()

    async def main():
        return await asyncio.gather(*[find(retriever, f"q{number}", 3) for number in range(20)])

    assert [ids(hits) for hits in loud_loop(main)] == [[f"q{number}"] for number in range(20)]
    assert retriever.batches == [(InTurn(AtOnce(*(f"q{number}" for number in range(20)))), 3)]


def test_branches_that_start_their_own_tasks_still_share_a_batch(loud_loop):
    retriever = Recorder()

    async def branch(name):
        return await asyncio.gather(*[find(retriever, f"{name}{number}", 3) for number in range(3)])

    async def main():
        await asyncio.gather(branch("a"), branch("b"))

    loud_loop(main)
    assert [len(queries) for queries, _ in retriever.batches] == [6]


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


def test_each_k_has_its_own_batch_and_the_oldest_goes_first(loud_loop):
    retriever = Recorder()

    async def main():
        return await asyncio.gather(*[find(retriever, f"q{number}", 1 + number % 2) for number in range(5)])

    assert [hits[0].score for hits in loud_loop(main)] == [1, 2, 1, 2, 1]
    assert retriever.batches == [(InTurn(AtOnce("q0", "q2", "q4")), 1), (InTurn(AtOnce("q1", "q3")), 2)]


def test_equal_questions_are_asked_once_and_each_asker_has_a_list_of_their_own(loud_loop):
    retriever = Recorder()

    async def main():
        return await asyncio.gather(find(retriever, "q", 1), find(retriever, "q", 1), find(retriever, "q", 2))

    first, second, third = loud_loop(main)
    assert retriever.batches == [(["q"], 1), (["q"], 2)]
    assert first == second
    assert first is not second
    assert third[0].score == 2


def test_batches_have_a_largest_size(loud_loop):
    retriever = Recorder()

    async def main():
        await asyncio.gather(*[find(retriever, str(number), 1) for number in range(600)])

    loud_loop(main)
    assert [len(queries) for queries, _ in retriever.batches] == [256, 256, 88]


def test_one_after_another(loud_loop):
    retriever = Recorder()

    async def main():
        return [ids(await find(retriever, query, 1)) for query in ("a", "b")]

    assert loud_loop(main) == [["a"], ["b"]]
    assert [queries for queries, _ in retriever.batches] == [["a"], ["b"]]


def test_retrievers_do_not_share_batches(loud_loop):
    one, two = Recorder(), Recorder()

    async def main():
        await asyncio.gather(find(one, "a", 1), find(two, "b", 1), find(one, "c", 1))

    loud_loop(main)
    assert (one.batches, two.batches) == ([(InTurn(AtOnce("a", "c")), 1)], [(["b"], 1)])


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
            while desks._desks:  # until the error has come and gone
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
    (desk,) = desks._desks.values()
    loop.close()
    for task in (asked, desk._task):
        task._log_destroy_pending = False  # that they never end is what this test is about
    del desk
    retriever.go_on.set()

    assert ids(asyncio.run(find(retriever, "b", 1))) == ["b"]
    assert desks._desks == {}


def test_several_loops_in_several_threads():
    retriever = Recorder()
    answers = {}

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
    assert sorted(len(queries) for queries, _ in retriever.batches) == [5, 5, 5, 5]


def test_nothing_keeps_a_retriever_alive():
    retriever = Recorder()
    gone = weakref.ref(retriever)
    asyncio.run(find(retriever, "q", 1))
    del retriever
    gc.collect()
    assert gone() is None


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


class Remote(Recorder):
    async def asearch(self, queries, k):
        self.thread = threading.get_ident()
        await asyncio.sleep(0)
        if "fail" in queries:
            raise ConnectionError("refused")
        return super().search(queries, k)

    def search(self, queries, k):
        raise AssertionError("asearch is preferred")


def test_asearch_runs_on_the_loop(loud_loop):
    retriever = Remote()

    async def main():
        return await asyncio.gather(*[find(retriever, query, 1) for query in "ab"])

    assert [ids(hits) for hits in loud_loop(main)] == [["a"], ["b"]]
    assert retriever.batches == [(InTurn(AtOnce("a", "b")), 1)]
    assert retriever.thread == threading.get_ident()


def test_errors_of_asearch_reach_everyone(loud_loop):
    async def main():
        return await asyncio.gather(*[find(Remote(), "fail", 1) for _ in range(2)], return_exceptions=True)

    assert [str(error) for error in loud_loop(main)] == ["refused"] * 2


def test_search_runs_in_another_thread(loud_loop):
    class Threaded(Recorder):
        def search(self, queries, k):
            self.thread = threading.get_ident()
            return super().search(queries, k)

    retriever = Threaded()
    loud_loop(lambda: find(retriever, "q", 1))
    assert retriever.thread != threading.get_ident()


@pytest.mark.parametrize("base", [Recorder, Remote])
def test_a_batch_runs_under_the_context_of_its_first_question(loud_loop, base):
    user = contextvars.ContextVar("user", default="nobody")

    class Contextual(base):
        seen = ()

        def search(self, queries, k):
            self.seen += (user.get(),)
            return Recorder.search(self, queries, k)

        if base is Remote:

            async def asearch(self, queries, k):
                await asyncio.sleep(0)
                return self.search(queries, k)

    retriever = Contextual()

    async def ask(name, delay):
        user.set(name)
        await asyncio.sleep(delay)
        await find(retriever, name, 1)

    async def main():
        await asyncio.gather(ask("ada", 0), ask("bob", 0.005), ask("eve", 0.006))

    loud_loop(main)
    assert retriever.seen[0] == "ada"
    assert "nobody" not in retriever.seen
