import asyncio
import contextvars
import gc
import threading
import weakref

import pytest
from in_turn import AtOnce, InTurn
from recorder import Recorder, ids

from multihop.retrieval import find

pytestmark = [pytest.mark.at_once, pytest.mark.usefixtures("nothing_stays_behind")]


def test_what_is_asked_at_once_is_one_batch(loud_loop):
    retriever = Recorder()

    async def main():
        return await asyncio.gather(*[find(retriever, f"q{number}", 3) for number in range(20)])

    assert [ids(hits) for hits in loud_loop(main)] == [[f"q{number}"] for number in range(20)]
    assert retriever.batches == [(InTurn(AtOnce(*(f"q{number}" for number in range(20)))), 3)]


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


def test_retrievers_do_not_share_batches(loud_loop):
    one, two = Recorder(), Recorder()

    async def main():
        await asyncio.gather(find(one, "a", 1), find(two, "b", 1), find(one, "c", 1))

    loud_loop(main)
    assert (one.batches, two.batches) == ([(InTurn(AtOnce("a", "c")), 1)], [(["b"], 1)])


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
