"""Workers in this very process, that die when they are told to, so that no process has to be started."""

import pickle

from multihop.evaluation.journal.journal import read_rows
from multihop.evaluation.workers.serving import Serving
from multihop.evaluation.workers.worker import WorkerDied


class NearWorkers:
    """So many of them; `dies(worker, message)` says before which of its messages one dies."""

    title = "near workers"

    def __init__(self, count, dies=lambda worker, message: False):
        self.count, self.dies = count, dies
        self.started, self.spares = [], []

    async def start(self):
        if self.spares:
            return self.spares.pop()
        self.started.append(NearWorker(len(self.started), self.dies))
        return self.started[-1]

    def spare(self, worker):
        self.spares.append(worker)


class NearWorker:
    def __init__(self, number, dies):
        self.number, self.dies, self.is_dead = number, dies, False
        self.rows = 0
        self.told = []
        self._serving = Serving()

    async def open(self, job):
        await self._serving.open(job)

    async def tell(self, messages):
        self._check()
        self.told += messages
        self._serving.tell(pickle.loads(pickle.dumps(messages)))

    async def hear(self):
        self._check()
        heard = []
        for message in pickle.loads(pickle.dumps(await self._serving.hear())):
            if self.is_dead or self.dies(self, message):
                self.stop()
                break
            self.rows += message[0] == "row"
            heard.append(message)
        if not heard:
            self._check()
        return heard

    def stop(self):
        self.is_dead = True
        if self._serving._job is not None:
            self._serving._job.cancel()

    def _check(self):
        if self.is_dead:
            raise WorkerDied(f"worker {self.number} was killed.")


def values(folder):
    """Everything in the rows but how long they took, by question; each is there once."""
    rows = list(read_rows(folder))
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        del row["cost"]["seconds"], row["cost"]["waited"], row["run_seconds"]
    return {row["id"]: row for row in rows}
