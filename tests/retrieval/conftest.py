import asyncio
import gc

import pytest
from small_corpus import ROWS
from tiny_colbert import write_tiny_colbert

from multihop.base import concurrency
from multihop.retrieval import ColBERT, Passage


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


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    return write_tiny_colbert(tmp_path_factory.mktemp("checkpoint") / "tiny")


@pytest.fixture(scope="session")
def colbert_folder(checkpoint, tmp_path_factory):
    """An index of ColBERT of three passages, to look at and not to change."""
    folder = tmp_path_factory.mktemp("late") / "index"
    ColBERT.build([Passage(**row) for row in ROWS], checkpoint=checkpoint, folder=folder)
    return folder
