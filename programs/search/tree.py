"""A tree of paths, each judged as a whole: accepted, searched further, or rejected.

Two orders of growing it. Depth-first goes down one path after the other, and whatever was accepted before prunes what
is found later. By level, all nodes of one depth are judged at once, and what was accepted on the levels above prunes
what is found below: acceptances of one level count together, in the order of the tree, so that the tree is the same
however many calls run at once and whichever finishes first.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from .moves import AtOnce

Item = TypeVar("Item")
Finding = TypeVar("Finding")
Result = TypeVar("Result")

Verdict = Literal["accept", "search", "reject"]
Path = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Node(Generic[Item, Finding]):
    """One path of the tree, what was found about it, and what was tried after it."""

    path: tuple[Item, ...]
    """From the root to here; the root's own is empty."""
    finding: Finding | None = None
    """What `judge` found; None at the root."""
    action: Verdict = "search"
    """What followed from the finding."""
    children: tuple["Node[Item, Finding]", ...] = ()
    """Longer paths, in the order in which they were found."""
    pruned: tuple[tuple[Item, str], ...] = ()
    """Items that were found here but not followed, with the reason."""

    def walk(self) -> Iterator["Node[Item, Finding]"]:
        """The node and all below it, a node before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(slots=True)
class _Growing(Generic[Item, Finding]):
    """A node while its children are still coming."""

    path: tuple[Item, ...] = ()
    finding: Finding | None = None
    action: Verdict = "search"
    children: list["_Growing[Item, Finding]"] = field(default_factory=list)
    pruned: list[tuple[Item, str]] = field(default_factory=list)

    def admit(self, items: Sequence[Item], prune: Callable[..., str | None], accepted: Sequence[Path[Item]]) -> None:
        """Make children of the items that nothing speaks against."""
        for item in items:
            reason = prune(item, self.path, accepted)
            if reason is None:
                self.children.append(_Growing((*self.path, item)))
            else:
                self.pruned.append((item, reason))

    def freeze(self) -> Node[Item, Finding]:
        """The finished node."""
        children = tuple(child.freeze() for child in self.children)
        return Node(self.path, self.finding, self.action, children, tuple(self.pruned))


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRules(Generic[Item, Finding]):
    """What a tree search asks of the method that uses it."""

    expand: Callable[[Path[Item], Finding | None], Coroutine[Any, Any, Sequence[Item]]]
    """The items that follow a path, best first."""
    judge: Callable[[Path[Item]], Coroutine[Any, Any, Finding]]
    """What there is to say about a path."""
    decide: Callable[[Finding], Verdict]
    """What follows from it."""
    prune: Callable[[Item, Path[Item], Sequence[Path[Item]]], str | None] = lambda item, path, accepted: None
    """Why an item found after a path is not worth following, given what is accepted; None if it is."""
    is_settled: Callable[[Sequence[Finding]], bool] = lambda findings: False
    """Whether what has been accepted makes further search pointless."""
    may_settle: bool = False
    """Whether `is_settled` may ever say so."""
    depth: int = 3
    """The longest path."""


async def grow_depth_first(rules: TreeRules[Item, Finding], at_once: AtOnce) -> Node[Item, Finding]:
    """The tree, grown one path at a time.

    Args:
        rules: What to search and how.
        at_once: Runs one coroutine here, and returns a list of its result.

    Examples:
        >>> import asyncio
        >>> from multihop.programs.search.tree import TreeRules, grow_depth_first
        >>> async def digits(path, finding):
        ...     return [1, 2]
        >>> async def total(path):
        ...     return sum(path)
        >>> rules = TreeRules(expand=digits, judge=total, decide=lambda n: "accept" if n == 3 else "search", depth=2)
        >>> tree = asyncio.run(grow_depth_first(rules, asyncio.gather))
        >>> [node.path for node in tree.walk() if node.action == "accept"]
        [(1, 2), (2, 1)]
    """
    root: _Growing[Item, Finding] = _Growing()
    accepted: list[Path[Item]] = []
    findings: list[Finding] = []

    async def descend(node: _Growing[Item, Finding]) -> None:
        (items,) = await at_once(rules.expand(node.path, node.finding))
        node.admit(items, rules.prune, accepted)
        for place, child in enumerate(node.children):
            if rules.is_settled(findings):
                del node.children[place:]
                return
            (finding,) = await at_once(rules.judge(child.path))
            child.finding, child.action = finding, rules.decide(finding)
            if child.action == "accept":
                accepted.append(child.path)
                findings.append(finding)
            elif child.action == "search" and len(child.path) < rules.depth:
                await descend(child)

    await descend(root)
    return root.freeze()


async def grow_by_level(rules: TreeRules[Item, Finding], at_once: AtOnce) -> Node[Item, Finding]:
    """The tree, grown level by level, all of a level at once.

    What follows a path is looked for as soon as the path itself is judged, not only when all of its level are; where
    the search may be settled, it waits for that.

    Args:
        rules: What to search and how.
        at_once: Runs coroutines concurrently and returns their results in order, as `asyncio.gather` does.
    """
    root: _Growing[Item, Finding] = _Growing()
    accepted: list[Path[Item]] = []
    findings: list[Finding] = []
    level, found = [root], await at_once(rules.expand(root.path, root.finding))
    for depth in range(1, rules.depth + 1):
        for node, items in zip(level, found, strict=True):
            node.admit(items, rules.prune, accepted)
        children = [child for node in level for child in node.children]
        goes_on = depth < rules.depth
        expands = goes_on and not rules.may_settle
        expansions = await at_once(*(_judge(child, rules, at_once, expands=expands) for child in children))
        newly_accepted = [child for child in children if child.action == "accept"]
        accepted += [child.path for child in newly_accepted]
        findings += [child.finding for child in newly_accepted if child.finding is not None]
        level = [child for child in children if child.action == "search"]
        found = [items for items in expansions if items is not None]
        if not level or not goes_on or rules.is_settled(findings):
            break
        if not expands:
            found = await at_once(*(rules.expand(node.path, node.finding) for node in level))
    return root.freeze()


async def _judge(
    node: "_Growing[Item, Finding]", rules: TreeRules[Item, Finding], at_once: AtOnce, *, expands: bool
) -> Sequence[Item] | None:
    """What follows the path, where its verdict is to search on and it `expands`; None elsewhere."""
    node.finding = await rules.judge(node.path)
    node.action = rules.decide(node.finding)
    if not expands or node.action != "search":
        return None
    (items,) = await at_once(rules.expand(node.path, node.finding))
    return list(items)
