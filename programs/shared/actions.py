"""The actions of an agent, to search or to finish, and their reading from an LM's words."""

import re
from dataclasses import dataclass

import dspy

_ACTION = re.compile(r"\b(?P<name>search|finish)\b(?P<needs>.*)", re.IGNORECASE | re.DOTALL)
# What is between the name and what it needs, but no bracket or quote, and no sign that belongs to a number.
_BETWEEN = re.compile(r"\A(?:[^\w\[(\"“$£€-]|-(?!\d))*")
_CLOSED_BY = {"[": "]", "(": ")", '"': '"', "“": "”"}
_BRACKETS = (("[", "]"), ("(", ")"))


@dataclass(frozen=True, slots=True)
class Search:
    """To search for something."""

    query: str

    def __str__(self) -> str:
        return f"search: {self.query}"


@dataclass(frozen=True, slots=True)
class Finish:
    """To end with an answer."""

    answer: str

    def __str__(self) -> str:
        return f"finish: {self.answer}"


Action = Search | Finish


def read_action(text: str) -> Action | None:
    """The action that a text names; None if it names none. What an action reads as text gives the same action again."""
    match = _ACTION.search(text)
    if match is None:
        return None
    action = Search if match["name"].lower() == "search" else Finish
    needs = _unwrap(match["needs"])
    return action(needs) if needs else None


def _unwrap(text: str) -> str:
    """The text without the brackets or quotes around all of it; those that belong to its words stay."""
    before = None
    while text != before:
        before = text
        text = _BETWEEN.sub("", text).strip()
        if text and text[0] in _CLOSED_BY:
            end = _closing(text)
            if end is None:
                text = text[1:]
            elif not re.search(r"\w", text[end + 1 :]):
                text = text[1:end]
        if any(text.endswith(close) and text.count(close) > text.count(open_) for open_, close in _BRACKETS):
            text = text[:-1]
    return text


def _closing(text: str) -> int | None:
    """The place at which the bracket or quote that opens the text is closed; None if it never is."""
    opening, closing = text[0], _CLOSED_BY[text[0]]
    depth = 0
    for place, character in enumerate(text):
        if character == closing and place:
            depth -= 1
        elif character == opening:
            depth += 1
        if depth == 0:
            return place
    return None


def action_of(turn: dspy.Prediction) -> Action | None:
    """The action of a turn that has a field for each part of it; None if it is none, or lacks what it needs."""
    name, query, answer = turn.action.lower(), turn.query.strip(), turn.answer.strip()
    if "search" in name and query:
        return Search(query)
    return Finish(answer) if "finish" in name and answer else None
