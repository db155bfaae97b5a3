"""A clock for a machine that has other work to do: waiting passes at once, and this process's own work counts as it is.

Who measures on a machine of their own needs none: the wall clock shows the same.
"""

import asyncio
import selectors
import time


class FairSelector(selectors.SelectSelector):
    """Waits for nothing but threads."""

    waited, threads = 0.0, 0

    def select(self, timeout=None):
        if self.threads:
            return super().select(0.0005)
        events = super().select(0)
        if not events and timeout:
            self.waited += timeout
        return events


class FairLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is what was waited and what the processor worked for this process."""

    def __init__(self):
        self.fair = FairSelector()
        super().__init__(self.fair)

    def time(self):
        return self.fair.waited + time.process_time()

    def run_in_executor(self, executor, work, *arguments):
        future = super().run_in_executor(executor, work, *arguments)
        self.fair.threads += 1
        future.add_done_callback(self._thread_is_done)
        return future

    def _thread_is_done(self, future):
        self.fair.threads -= 1


def run_clocked(work, *, fair):
    """Run a coroutine that measures by the time of its event loop: the wall clock's, or the fair one's."""
    with asyncio.Runner(loop_factory=FairLoop if fair else None) as runner:
        return runner.run(work)
