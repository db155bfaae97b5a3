"""A searched tree of steps as plain values that a viewer can draw and a journal can keep."""

from typing import Any

from .search import Scored, Visited


def drawn(node: Visited[Any] | Scored[Any]) -> dict[str, Any]:
    """The tree from this node on: each node's last step, and what the search knows of it."""
    about = dict(node.path[-1].recorded) if node.path else {}
    if isinstance(node, Visited):
        about |= {"visits": node.visits, "value": round(node.value, 6), "iteration": node.iteration}
        about |= {"reward": node.reward} if node.reward is not None else {}
        if node.rollout:
            about["rollout"] = [step.recorded for step in node.rollout]
    elif node.path:
        about |= {"reward": node.score, "kept": node.kept}
    return {**about, "children": [drawn(child) for child in node.children]}


def drawn_line(steps: Any, rewards: Any) -> dict[str, Any]:
    """A single path as a tree."""
    tree: dict[str, Any] = {"children": []}
    node = tree
    for step, reward in zip(steps, rewards, strict=True):
        node["children"] = [{**step.recorded, "reward": reward, "children": []}]
        node = node["children"][0]
    return tree
