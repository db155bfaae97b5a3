"""Folders in which agents leave their answers as BrowseComp-Plus reads them: a file run_*.json for each question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ujson

from ...base import InputError
from ...retrieval import Passage
from ..files.json_records import read_json
from ..files.record import Record
from ..skipped import refuse

_ANSWER = re.compile(r"exact answer\**\s*:\s*(.+)", re.IGNORECASE)
_CITED = re.compile(r"\s*[\[【]\d+(?:\s*,\s*\d+)*[\]】]")


class AgentAnswer(NamedTuple):
    """An agent's answer to one question."""

    answer: str
    """The exact answer, without its citations; all that it says where it marks none; empty where it gave up."""
    passages: tuple[Passage, ...]
    """The pages that it found, in the order of finding, with as much of their texts as it was shown."""
    model: str
    """The name of its LM; empty where the file does not say."""
    counts: dict[str, float]
    """The number of its tool calls, and its tokens where they were counted."""


def is_agent_run(folder: Path) -> bool:
    """True if the folder holds such files.

    Examples:
        >>> from pathlib import Path
        >>> from multihop.data.formats.agent_runs import is_agent_run
        >>> is_agent_run(Path("no-such-folder"))
        False
    """
    return any(folder.glob("run_*.json"))


def read_agent_run(folder: Path) -> dict[str, AgentAnswer]:
    """The answers by the ids of their questions; of a question that was asked twice, the file with the later name.

    Raises:
        InputError: There are no such files, or one is damaged.
    """
    found = {}
    for path in sorted(folder.glob("run_*.json")):
        record = next(iter(read_json(path, refuse)), Record({}, str(path)))
        found[record.identifier("query_id")] = _answer(record)
    if not found:
        raise InputError(f"{folder} holds no answers of an agent: there is no run_*.json.")
    return found


def _answer(record: Record) -> AgentAnswer:
    steps, usage = record.records("result"), record.inner_record("usage")
    ended = record.text("status", default="") == "completed" and steps and steps[-1].text("type") == "output_text"
    said = steps[-1].text("output", default="").strip() if ended else ""
    exact = _ANSWER.search(said)
    tokens = {"tokens_in": usage.integer("input_tokens"), "tokens_out": usage.integer("output_tokens")}
    calls = sum(step.text("type") == "tool_call" for step in steps)
    return AgentAnswer(
        answer=_CITED.sub("", exact[1] if exact else said).strip(" *"),
        passages=_passages(record, steps),
        model=record.inner_record("metadata").text("model", default=""),
        counts={"tool_calls": calls, **{name: count for name, count in tokens.items() if count}},
    )


def _passages(record: Record, steps: list[Record]) -> tuple[Passage, ...]:
    """The pages that the tools gave, then those that the file lists; of each the longest text that was shown."""
    texts: dict[str, str] = {}
    for step in steps:
        if step.text("type") == "tool_call":
            for identifier, text in _shown(step):
                texts[identifier] = max(texts.get(identifier, ""), text, key=len)
    for identifier in record.fields.get("retrieved_docids") or ():
        texts.setdefault(str(identifier), "")
    return tuple(Passage(identifier, "", text) for identifier, text in texts.items())


def _shown(step: Record) -> Iterator[tuple[str, str]]:
    """The pages in a tool's output, which is JSON: a ranking, or one page."""
    try:
        value = ujson.loads(step.fields.get("output") or "null")
    except (TypeError, ValueError):
        return
    for page in value if isinstance(value, list) else [value]:
        if isinstance(page, dict) and "docid" in page:
            yield str(page["docid"]), str(page.get("snippet") or page.get("text") or "")
