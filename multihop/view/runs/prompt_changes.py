"""The changes from one run's prompts to another's: instructions word by word, and demonstrations."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, TypedDict

from ...evaluation.header import Header, PromptIdentity

TextPart = tuple[Literal["same", "added", "removed"], str]
"""A piece of a text that both have, or that only the second or only the first has."""
NO_PROMPT: PromptIdentity = {"instructions": "", "fields": {}, "demos": []}


class StepChange(TypedDict):
    """The changes in the prompt of one step."""

    step: str
    """The step."""
    instructions: list[TextPart]
    """The instructions, piece by piece; empty where they are the same."""
    instructions_before: str
    """The first run's, whole."""
    instructions_after: str
    """The second run's, whole."""
    kept: int
    """Demonstrations that both show."""
    added: list[list[tuple[str, str]]]
    """Demonstrations that only the second run shows, field by field."""
    removed: list[list[tuple[str, str]]]
    """Those that only the first shows."""


def describe_changes(a: Header, b: Header) -> list[StepChange]:
    """The steps whose instructions or demonstrations differ; none where the programs are two different ones."""
    first, second = (header["identity"].get("program", {}) for header in (a, b))
    if first.get("name") != second.get("name"):
        return []
    before, after = first.get("prompts", {}), second.get("prompts", {})
    found = [_change(step, before.get(step, NO_PROMPT), after[step]) for step in after]
    return [each for each in found if each["instructions"] or each["added"] or each["removed"]]


def _change(step: str, before: PromptIdentity, after: PromptIdentity) -> StepChange:
    texts = before["instructions"], after["instructions"]
    return {
        "step": step,
        "instructions": list(compare_words(*texts)) if texts[0] != texts[1] else [],
        "instructions_before": texts[0],
        "instructions_after": texts[1],
        "kept": sum(demo in before["demos"] for demo in after["demos"]),
        "added": [list(demo.items()) for demo in after["demos"] if demo not in before["demos"]],
        "removed": [list(demo.items()) for demo in before["demos"] if demo not in after["demos"]],
    }


def compare_words(before: str, after: str) -> Iterator[TextPart]:
    """The two texts as one, with what was removed and added."""
    words: list[list[str]] = [re.findall(r"\s+|\S+", text) for text in (before, after)]
    for _, i, j, k, end in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        old, new = "".join(words[0][i:j]), "".join(words[1][k:end])
        if old == new:
            yield "same", old
            continue
        if old:
            yield "removed", old
        if new:
            yield "added", new
