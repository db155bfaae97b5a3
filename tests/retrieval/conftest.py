import asyncio
import gc

import pytest

from multihop.base import concurrency


@pytest.fixture
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
