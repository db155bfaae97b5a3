"""A search over sub-questions or actions as a picture: visits, values and iterations, and the path that was read."""

from ...runtime import PathStepRecord, SearchedNode
from .known_passages import KnownPassages
from .node import Mark, PictureNode


def picture_searched(node: SearchedNode, known: KnownPassages, question: str = "") -> PictureNode:
    """The tree from this node on.

    Args:
        node: The node as the trajectory has it.
        known: The passages of the question.
        question: The name of the root.
    """
    picture: PictureNode = {
        "label": node.get("sub_question", "") or question,
        "mark": _mark(node),
        "texts": _texts(node),
        "children": [picture_searched(child, known) for child in node["children"]],
    }
    numbers = {name: node.get(name) for name in ("visits", "value", "reward")}
    if shown := {name: value for name, value in numbers.items() if isinstance(value, int | float)}:
        picture["numbers"] = shown
    if "iteration" in node:
        picture["iteration"] = node["iteration"]
    if node.get("passages"):
        picture["passages"] = [known.show(identifier) for identifier in node["passages"]]
    if node.get("rollout"):
        picture["rollout"] = [[("asked", step["sub_question"]), *_texts(step)] for step in node["rollout"]]
    return picture


def _mark(node: SearchedNode) -> Mark:
    if node["chosen"]:
        return "chosen"
    if "kept" in node:
        return "kept" if node["kept"] else "dropped"
    return ""


def _texts(step: SearchedNode | PathStepRecord) -> list[tuple[str, str]]:
    """Thought, answer and sentence; the sentence only where it says more than the answer."""
    texts = [("thought", step.get("thought", "")), ("answer", step.get("result", ""))]
    if step.get("sentence", "") != step.get("result", ""):
        texts.append(("sentence", step.get("sentence", "")))
    return [(name, text) for name, text in texts if text]
