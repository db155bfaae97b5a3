"""A retriever that remembers what it was asked, and can be held in the middle of a search."""

import asyncio
import threading

from multihop.retrieval import Hit, Passage

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


def ids(hits):
    return [hit.passage.id for hit in hits]
