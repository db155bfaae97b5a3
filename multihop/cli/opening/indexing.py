"""The building of an index: in shards, and its display with passages done, how fast, and the time to go."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ...base.progress_line import clock
from .work_line import WorkLine, working

if TYPE_CHECKING:
    from ...retrieval import Index, Passage


def passages_in(passages: Iterable["Passage"], corpus: str) -> int | None:
    """The number of passages, or None where that is known only after all have come from the network or a pipe."""
    from ...data.built_in import is_built_in

    if not is_built_in(corpus) and not Path(corpus).exists():
        return None
    with working(f"counting the passages of {corpus}"):
        return sum(1 for _ in passages)


def build_in_shards(
    passages: Iterable["Passage"],
    to: str,
    retriever: str,
    *,
    ray: str | None,
    approximate: str | None = None,
    **options: Any,
) -> "Index":
    """An index in shards, built on a Ray cluster where an address is given, and here otherwise.

    Raises:
        InputError: It cannot be built in that way, or the cluster cannot be joined.
    """
    from ...base import InputError
    from ...retrieval import Sharded, is_address
    from ...retrieval.sharded.building import KINDS

    if is_address(to) or retriever not in KINDS:
        what = f"--to {to.partition(':')[0]}:" if is_address(to) else f"--retriever {retriever}"
        raise InputError(f"--ray builds index folders of bm25, dense or hybrid in shards, not {what}; leave it out.")
    if approximate is not None:
        raise InputError("an index in shards compares a query with every vector; leave out --approximate.")
    if ray is None:
        return Sharded.build(passages, folder=to, retriever=retriever, **options)
    from ...retrieval.sharded.on_ray import builders_on
    from ...retrieval.sharded.ray_cluster import join_cluster

    with join_cluster(ray) as cluster:
        shards = options.pop("shards", None) or cluster.cpus
        builders = builders_on(cluster)
        return Sharded.build(passages, folder=to, retriever=retriever, shards=shards, builders=builders, **options)


class Indexing(WorkLine):
    """Shows how far an index is."""

    def __init__(self, total: int | None, console: Console | None = None) -> None:
        """Nothing is shown before it is entered; the total is None where it is not known."""
        self.total, self._started = total, time.monotonic()
        super().__init__(self.line(0), console)

    def watch(self, done: int) -> None:
        """Take note of how many passages are done."""
        now = time.monotonic()
        if self.is_due(now):
            self.show(self.line(done), now)

    def line(self, done: int) -> str:
        """The line to show when so many are done."""
        seconds = time.monotonic() - self._started
        rate = done / seconds if seconds > 0 else 0.0
        of = "" if self.total is None else f" of {self.total:,}"
        left = "–" if self.total is None or not rate else clock(max(self.total - done, 0) / rate)
        return f"indexing: {done:,}{of} passages  {rate:,.0f}/s  {left} to go"
