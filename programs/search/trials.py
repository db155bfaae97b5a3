"""Language agent tree search: every trial goes down to an end, by what the nodes on its way are worth.

A node is valued when it is made, so that a trial that leaves the known tree goes on along the best new child alone.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Hashable
from typing import Any

from .mcts import Act, AtOnce, Item, Moves, OpenNode, Visited, uct


async def search_by_trials(
    moves: Moves[Act, Item],
    at_once: AtOnce,
    learn: Callable[[tuple[Item, ...]], Coroutine[Any, Any, None]],
    *,
    trials: int = 50,
    exploration: float = 1.0,
    trust: float = 0.5,
    solved_at: float = 1.0,
    over: Callable[[], bool] = lambda: False,
) -> Visited[Item]:
    """The tree after so many trials, or after the first whose end scores `solved_at`; `over` may end it before.

    What `moves` proposes are samples, several of which may be the same action: its share of them is the action's
    self-consistency. A new node is worth `trust` x its score + (1 - `trust`) x its self-consistency, which counts as
    its first visit. Of the children that a trial comes to it takes the one with the largest bound (UCT); what its end
    scores goes into the mean value of every node on the way. `learn` is told the path of an end that is not worth
    enough, when a trial first comes to it.
    """
    root: OpenNode[Item] = OpenNode(visits=1)
    for trial in range(1, trials + 1):
        if over():
            break
        end = await _go_down(root, moves, at_once, trial, exploration, trust)
        if end is root:  # nothing could be proposed
            break
        reward = end.reward or 0.0
        for node in end.line:
            node.value += reward
        if reward >= solved_at:
            break
        if end.visits == 2:  # its own value, and this trial
            await learn(end.path)
    return root.freeze()


async def _go_down(
    root: OpenNode[Item], moves: Moves[Act, Item], at_once: AtOnce, trial: int, exploration: float, trust: float
) -> OpenNode[Item]:
    """The end of a trial: from the root on the child with the largest bound, each node visited once more."""
    end = root
    end.visits += 1
    while not moves.terminal(end.path):
        if end.children is None:
            end.children = await _expand(end, moves, at_once, trial, trust)
        if not end.children:
            break
        bounds = [uct(child.value, child.visits, end.visits, exploration) for child in end.children]
        end = end.children[bounds.index(max(bounds))]
        end.visits += 1
    return end


async def _expand(
    node: OpenNode[Item], moves: Moves[Act, Item], at_once: AtOnce, trial: int, trust: float
) -> list[OpenNode[Item]]:
    """The children of a node: each different action among the samples, done, scored and valued."""
    samples = list(await moves.propose(node.path))[: moves.breadth]
    counts = Counter(map(moves.same, samples))
    acts = {moves.same(act): act for act in reversed(samples)}  # the first of those that are the same

    async def make(kind: Hashable) -> OpenNode[Item]:
        path = (*node.path, await moves.move(node.path, acts[kind]))
        score = await moves.score(path)
        value = trust * score + (1 - trust) * counts[kind] / len(samples)
        return OpenNode(path, node, trial, visits=1, value=value, reward=score)

    return list(await at_once(*(make(kind) for kind in counts))) if counts else []


def best_end(root: Visited[Item], ends: Callable[[tuple[Item, ...]], bool]) -> Visited[Item]:
    """The node that scores best of those whose paths end; of all, where none ends. The first of equals."""
    nodes = (node for node in root.walk() if node.path)
    return max(nodes, key=lambda node: (ends(node.path), node.reward or 0.0), default=root)
