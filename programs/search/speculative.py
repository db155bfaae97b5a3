"""Speculative search: leaves that a search will probably explore are explored ahead, while rewards are awaited.

The search itself decides as it would alone; what it then asks for was asked for already.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Generic

from .forecast import AnyPath, Forecast, forecast_search
from .mcts import Earned, OpenNode, best_end_of, explore_leaf
from .moves import Act, AtOnce, Item, Moves

if TYPE_CHECKING:
    from ...runtime.speculation.ahead import Ahead
    from ...runtime.speculation.task import SpeculativeTask

NOW, NEVER = 0.0, math.inf
PAUSE = 0.01
"""Seconds between two looks ahead at least."""
OPENED, EXPLORED = 0.5, 0.6
"""The share of futures from which on a leaf is opened in advance, and explored in full."""


class SpeculativeSearch(Generic[Act, Item]):
    """Explores leaves before they are selected; its `prepare` is for `search`.

    Examples:
        >>> import asyncio
        >>> from multihop.programs.search import Moves, SpeculativeSearch, best_path, search
        >>> class Ahead:
        ...     def begin(self, work, *, rank):
        ...         return asyncio.ensure_future(work)
        ...     def look_again(self):
        ...         pass
        ...     async def finish(self, tasks):
        ...         await asyncio.wait(tasks)
        ...     async def end(self, keep):
        ...         pass
        >>> async def digits(path):
        ...     return [1, 2]
        >>> async def add(path, digit):
        ...     return digit
        >>> async def total(path):
        ...     return sum(path) / 4
        >>> async def gather(*work):
        ...     return await asyncio.gather(*work)
        >>> async def main():
        ...     how = {"iterations": 3, "exploration": 1.0}
        ...     moves = Moves(propose=digits, move=add, score=total, depth=2)
        ...     speculative = SpeculativeSearch(moves, gather, Ahead(), **how)
        ...     return await search(moves, gather, prepare=speculative.prepare, **how)
        >>> best_path(asyncio.run(main()))
        (2, 2)
    """

    def __init__(
        self,
        moves: Moves[Act, Item],
        at_once: AtOnce,
        ahead: "Ahead",
        *,
        iterations: int,
        exploration: float,
        parallel: int = 1,
        opens: bool = True,
        read: Callable[[tuple[Item, ...]], Coroutine[Any, Any, Any]] | None = None,
    ) -> None:
        """Nothing is explored yet.

        Args:
            moves: What the search asks for, asked for apart from it.
            at_once: Runs coroutines concurrently and returns their results in order.
            ahead: Does the work.
            iterations: How many the search makes.
            exploration: The weight of the second term of UCT.
            parallel: Iterations a round at most.
            opens: Whether the children of a leaf may be asked for twice, once to find them and once to explore them.
            read: What follows the search, given the path that it chose.
        """
        self.moves, self.at_once, self.ahead, self.opens, self.read = moves, at_once, ahead, opens, read
        self.iterations, self.exploration, self.parallel = iterations, exploration, parallel
        self.found: dict[AnyPath, Sequence[Earned[Item] | None]] = {}
        self.opened: dict[AnyPath, SpeculativeTask] = {}
        self.explored: dict[AnyPath, SpeculativeTask] = {}
        self.reading: dict[AnyPath, SpeculativeTask] = {}
        self.root: OpenNode[Item] = OpenNode()
        self.needed: set[AnyPath] = set()
        self.done = 0
        self.next_look: asyncio.TimerHandle | None = None
        self.looked = -math.inf

    async def prepare(self, root: OpenNode[Item], leaves: list[OpenNode[Item]], done: int) -> None:
        """Have these leaves explored, and meanwhile those that will probably come after them."""
        self.root, self.done, self.needed = root, done, {leaf.path for leaf in leaves}
        if not leaves:
            self.forget_look()
            chosen = best_end_of(root)
            end = (*chosen.path, *chosen.rollout)
            await self.ahead.end([self.reading[end]] if end in self.reading else [])
            return
        for path in self.needed:
            self.explore(path).rank = NOW
        self.look_ahead()
        await self.ahead.finish([self.explored[leaf.path] for leaf in leaves])

    def explore(self, path: AnyPath) -> "SpeculativeTask":
        """The exploration of the leaf with this path."""
        if path not in self.explored:

            def tell(earned: Sequence[Earned[Item] | None]) -> None:
                self.found[path] = earned
                self.look_soon()

            leaf: OpenNode[Item] = OpenNode(path)
            self.explored[path] = self.ahead.begin(explore_leaf(leaf, self.moves, self.at_once, tell), rank=NEVER)
        return self.explored[path]

    async def open(self, path: AnyPath) -> None:
        """Find the leaf's children."""
        acts = list(await self.moves.propose(path))[: self.moves.breadth]
        if acts:
            await self.at_once(*(self.moves.move(path, act) for act in acts))

    def look_soon(self) -> None:
        """Look ahead again, but not all the time."""
        if self.next_look is None:
            loop = asyncio.get_running_loop()
            self.next_look = loop.call_at(max(loop.time(), self.looked + PAUSE), self.look_ahead)

    def forget_look(self) -> None:
        """No look is due any more."""
        if self.next_look is not None:
            self.next_look.cancel()
        self.next_look = None

    def look_ahead(self) -> None:
        """Rank everything by when it will be needed, if it will."""
        self.forget_look()
        self.looked = asyncio.get_running_loop().time()
        forecast: Forecast[Item] = forecast_search(
            self.root,
            self.found,
            self.moves,
            left=self.iterations - self.done,
            exploration=self.exploration,
            parallel=self.parallel,
        )
        self.rank(forecast)
        if not any(leaf.path not in self.needed for leaf in forecast.leaves):
            self.look_at_the_end(forecast)
        self.ahead.look_again()

    def rank(self, forecast: Forecast[Item]) -> None:
        """Begin what has become likely, and let go on what still is."""
        likely = {leaf.path: leaf for leaf in forecast.leaves if leaf.path not in self.needed}
        for path, leaf in likely.items():
            if leaf.share >= OPENED and self.opens and path not in self.opened and not self.moves.terminal(path):
                self.opened[path] = self.ahead.begin(self.open(path), rank=NEVER)
            if leaf.share >= EXPLORED:
                self.explore(path)
        for tasks, least in ((self.opened, OPENED), (self.explored, EXPLORED)):
            for path, task in tasks.items():
                if path not in self.needed:
                    goes_on = path in likely and likely[path].share >= least
                    task.rank = 1 + likely[path].round if goes_on else NEVER

    def look_at_the_end(self, forecast: Forecast[Item]) -> None:
        """Read ahead what will be chosen, now that the last leaves are being explored."""
        if self.read is not None and forecast.ends and forecast.ends[0][1] >= EXPLORED:
            path = forecast.ends[0][0]
            if path not in self.reading:
                self.reading[path] = self.ahead.begin(self.read(path), rank=1)
