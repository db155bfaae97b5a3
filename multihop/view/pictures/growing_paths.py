"""A search over sub-questions or actions as it grows: each step names the history that it comes after."""

import re
from collections.abc import Iterable
from typing import Any, cast

import dspy

from ...programs.shared.evidence import wording
from ...programs.shared.path import read_score
from ...runtime import SearchedNode, TrajectoryStep

_ACTION = re.compile(r"(?:search|finish): ")
_PROPOSED = ("sub_questions", "thoughts", "actions")
_ARROW = " -> "

Acts = tuple[str, ...]


class GrowingPaths:
    """The paths so far, as the trajectory will have them; what was only simulated is no node."""

    def __init__(self, *, repeats: bool = False) -> None:
        """The root alone.

        Args:
            repeats: True if a path may go on by an act that is on it.
        """
        self._repeats = repeats
        self.root = _node("")
        self._nodes: dict[Acts, SearchedNode] = {(): self.root}
        self._proposes = False
        self._found: dict[tuple[int, ...], list[str]] = {}

    def take(self, step: TrajectoryStep) -> None:
        """Take a step, if it is about a path."""
        told = cast(dict[str, Any], step)
        branch, said = tuple(told.get("path", ())), told.get("outputs", {})
        if "query" in told:
            self._find(told["query"], branch, [hit["id"] for hit in told.get("hits", ())])
            return
        history = told.get("inputs", {}).get("history")
        if not isinstance(history, list):
            return
        above = acts_of(history)
        for name in _PROPOSED:
            for act in said.get(name) or ():
                self._proposes = True
                self._add((*above, str(act).strip()))
        if "action" in said:
            self._act(above, said)
        elif "sub_question" in told["inputs"] and "result" in said:
            self._answer(above, told["inputs"]["sub_question"], said, self._found.pop(branch, []))
        elif "score" in said and above in self._nodes:
            self._nodes[above]["reward"] = read_score(dspy.Prediction(score=said["score"]))

    def _add(self, acts: Acts) -> SearchedNode | None:
        """The node, made if its parent is there and the act is none of the path's."""
        if not self._repeats and wording(acts[-1]) in map(wording, acts[:-1]):
            return None
        if acts not in self._nodes and (parent := self._nodes.get(acts[:-1])) is not None and acts[-1]:
            self._nodes[acts] = _node(acts[-1])
            parent["children"].append(self._nodes[acts])
        return self._nodes.get(acts)

    def _act(self, above: Acts, said: dict[str, Any]) -> None:
        """An agent's choice; where actions are proposed, others are only simulated."""
        needs = said.get("answer") if "finish" in said["action"].lower() else said.get("query")
        name = "finish" if "finish" in said["action"].lower() else "search"
        if not self._proposes and needs and (node := self._add((*above, f"{name}: {needs.strip()}"))) is not None:
            node["thought"] = said.get("thought", "")
            node["result"] = needs.strip() if name == "finish" else node["result"]

    def _answer(self, above: Acts, act: str, said: dict[str, Any], passages: list[str]) -> None:
        """The answer of a sub-question; where these are proposed, others are only simulated."""
        node = self._nodes.get((*above, act)) or self._waiting(act)
        if node is None and not self._proposes:
            node = self._add((*above, act))
        if node is not None:
            node["sentence"], node["result"], node["passages"] = said.get("sentence") or "", said["result"], passages

    def _find(self, query: str, branch: tuple[int, ...], found: list[str]) -> None:
        """Keep what a search found for the answer in the same branch; an agent's search has no other answer."""
        self._found[branch] = found
        for node in (self._waiting(query), self._waiting(f"search: {query}")):
            if node is not None:
                node["passages"] = found

    def _waiting(self, act: str) -> SearchedNode | None:
        """The last node of the act that nothing was found for: what needs no history is asked without one."""
        fits = (node for acts, node in reversed(self._nodes.items()) if acts and acts[-1] == act)
        return next((node for node in fits if not node["passages"] and not node["result"]), None)


def acts_of(history: Iterable[str]) -> Acts:
    """The acts of a path, as a prompt shows it: sub-questions with their answers, or actions among what they found.

    Examples:
        >>> from multihop.view.pictures.growing_paths import acts_of
        >>> acts_of(["Who made it? -> Ada", "Where was she born? -> not found"])
        ('Who made it?', 'Where was she born?')
        >>> acts_of(["Thought: I look.", "search: Ada -> Ada Lovelace", "Ada Lovelace | She was born in London."])
        ('search: Ada',)
    """
    lines = [line for line in history if _ARROW in line]
    actions = [line for line in lines if _ACTION.match(line)]
    return tuple(line.partition(_ARROW)[0] for line in actions or lines)


def _node(act: str) -> SearchedNode:
    return {
        "sub_question": act,
        "sentence": "",
        "result": "",
        "passages": [],
        "reward": None,
        "chosen": False,
        "children": [],
    }
