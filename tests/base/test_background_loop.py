import asyncio
import threading

import pytest

from multihop.base.concurrency import BackgroundLoop

pytestmark = pytest.mark.at_once


async def thread_name():
    return threading.current_thread().name


def test_all_work_is_done_in_one_thread():
    loop = BackgroundLoop("only")
    found = []
    askers = [threading.Thread(target=lambda: found.append(loop.run(thread_name()))) for _ in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert found == ["only"] * 4


def test_it_knows_who_runs_on_it():
    loop, other = BackgroundLoop("one"), BackgroundLoop("other")

    async def ask():
        return loop.is_here(), other.is_here()

    assert not loop.is_here()
    assert loop.run(ask()) == (True, False)


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
