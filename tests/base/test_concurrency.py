import asyncio
import pickle
import threading

import pytest

from multihop.base.concurrency import BackgroundLoop, BatchCache

pytestmark = pytest.mark.at_once


async def thread_name():
    return threading.current_thread().name


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, KeyError])
def test_an_error_reaches_who_asked_and_the_loop_goes_on(error):
    loop = BackgroundLoop("loop")

    async def fail():
        await asyncio.sleep(0)
        raise error

    for _ in range(2):
        with pytest.raises(error):
            loop.run(fail())
    assert loop.run(thread_name()) == "loop"


class Doubling:
    """Doubles numbers, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, numbers):
        self.asked.append(numbers)
        return [2 * number for number in numbers]


def test_a_value_is_made_once():
    cache, double = BatchCache(9), Doubling()
    assert cache.get([2, 1, 2], double) == [4, 2, 4]
    assert cache.get([1, 3, 2], double) == [2, 6, 4]
    assert cache.get([3], double) == [6]
    assert double.asked == [[2, 1], [3]]
    pickle.loads(pickle.dumps(cache)).get([1], double)  # which is empty
    assert double.asked == [[2, 1], [3], [1]]


def test_the_one_that_was_asked_for_longest_ago_is_forgotten():
    cache, double = BatchCache(2), Doubling()
    for number in (1, 2, 1, 3, 1, 2):
        cache.get([number], double)
    assert cache.get([4, 5, 6], double) == [8, 10, 12]  # more than are kept
    assert double.asked == [[1], [2], [3], [2], [4, 5, 6]]
