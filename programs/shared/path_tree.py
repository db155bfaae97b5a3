"""A searched tree of steps as plain values that a viewer can draw and a journal can keep."""

from typing import Any, cast

from ...runtime import SearchedNode
from ..search import Scored, Visited

PathTree = Visited[Any] | Scored[Any]


def draw_path_tree(node: PathTree, chosen: tuple[Any, ...]) -> SearchedNode:
    """The tree from this node on: each node's last step, what the search knows of it, and whether its path was chosen.

    Examples:
        >>> from multihop.programs.shared.path_tree import draw_path_tree
        >>> from multihop.programs.search import Scored
        >>> from multihop.programs.shared.path import PathStep
        >>> hop = PathStep("Who?", result="Ada")
        >>> tree = draw_path_tree(Scored(children=(Scored((hop,), score=0.8),)), chosen=(hop,))
        >>> tree["children"][0]["result"], tree["children"][0]["reward"], tree["children"][0]["chosen"]
        ('Ada', 0.8, True)
    """
    about: dict[str, Any] = dict(node.path[-1].record) if node.path else {}
    if isinstance(node, Visited):
        about |= {"visits": node.visits, "value": round(node.value, 6), "iteration": node.iteration}
        about["reward"] = node.reward
        about["rollout"] = [step.record for step in node.rollout]
    else:
        about |= {"reward": node.score, "kept": node.kept}
    about["chosen"] = chosen[: len(node.path)] == node.path
    return cast(SearchedNode, {**about, "children": [draw_path_tree(child, chosen) for child in node.children]})


def tree_of_path(path: tuple[Any, ...], scores: list[float]) -> Scored[Any]:
    """A single path with the score of each of its steps, as a tree."""
    node = Scored(path, scores[-1]) if path else Scored()
    for length in range(len(path) - 1, -1, -1):
        node = Scored(path[:length], scores[length - 1] if length else None, children=(node,))
    return node
