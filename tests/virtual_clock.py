"""A clock on which waiting takes no time, so that calls that take equally long come back together on any machine."""

import asyncio
import selectors


class _Waiting(selectors.SelectSelector):
    now, threads = 0.0, 0

    def select(self, timeout=None):
        if self.threads:
            return super().select(0.0002)
        events = super().select(0)
        if not events and timeout:
            self.now += timeout
        return events


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.waiting = _Waiting()
        super().__init__(self.waiting)

    def time(self):
        return self.waiting.now

    def run_in_executor(self, executor, work, *arguments):
        future = super().run_in_executor(executor, work, *arguments)
        self.waiting.threads += 1
        future.add_done_callback(self._thread_is_done)
        return future

    def _thread_is_done(self, future):
        self.waiting.threads -= 1


def run_on_virtual_clock(work):
    """The result of the coroutine, and how long it took on that clock."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work), runner.get_loop().time()
