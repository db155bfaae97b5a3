"""The card of a run, in words: the program and its settings, the LMs, the corpus, the questions, and all warnings."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

from ..base.texts import as_json, say_count
from ..evaluation.header import Header, LMIdentity
from ..evaluation.metrics.passages import KINDS
from ..evaluation.report import FEW, asked_line, lm_names, program_name, recall_note, run_warnings
from ..evaluation.summary import Summary

Fact = tuple[str, str]
"""A name and a text."""


class PromptCard(TypedDict):
    """The text that the LM of one step is shown beside the inputs."""

    step: str
    lm: str
    instructions: str
    fields: list[Fact]
    demos: list[list[Fact]]
    """The demonstrations, field by field."""


class RunCard(TypedDict):
    """The card of a run, for a reader."""

    program: str
    lm: str
    """The LMs, each once."""
    folder: str
    warnings: list[str]
    facts: list[Fact]
    """The corpus, the questions, the time and the versions."""
    settings: list[Fact]
    prompts: list[PromptCard]


def describe_run(header: Header, summary: Summary, folder: str | os.PathLike[str]) -> RunCard:
    """The run in words, from its header and what it came to."""
    identity = header["identity"]
    program = identity.get("program", {})
    lms = identity.get("lm", {})
    return {
        "program": program_name(header),
        "lm": lm_names(header),
        "folder": Path(folder).resolve().name,
        "warnings": list(_warnings(header, summary)),
        "facts": [(name, text) for name, text in _facts(header, summary) if text],
        "settings": [(name, _in_words(value)) for name, value in program.get("settings", {}).items()],
        "prompts": [
            {
                "step": step,
                "lm": _lm_in_words(lms[step]) if step in lms else "",
                "instructions": prompt["instructions"],
                "fields": list(prompt["fields"].items()),
                "demos": [list(demo.items()) for demo in prompt["demos"]],
            }
            for step, prompt in program.get("prompts", {}).items()
        ],
    }


def _warnings(header: Header, summary: Summary) -> Iterator[str]:
    yield from (f"{note}." for note in run_warnings(summary, "the run's command"))
    status = header.get("status", "finished")
    if status != "finished":
        yield f"The run is not whole: {'it goes on, or was killed' if status == 'running' else 'it was interrupted'}."
    if asked := asked_line(header):
        yield asked
    first, there = header.get("limits", {}).get("questions"), header["identity"].get("data", {}).get("questions")
    if first is not None and there is not None and first < there and not asked:
        yield f"A slice: the first {first:,} of {there:,} questions were asked."
    if summary["n_error"]:
        yield f"{summary['n_error']:,} of {say_count(summary['n'], 'question')} failed and are in no mean."
    if summary["n_error"] < summary["n"] < FEW:
        yield f"Only {say_count(summary['n'], 'question')}: mind the intervals."
    if (note := recall_note(summary)) and not _is_recognised(summary):
        yield f"{note[0].upper()}{note[1:]}."


def _facts(header: Header, summary: Summary) -> Iterator[Fact]:
    identity = header["identity"]
    lms = identity.get("lm", {})
    for words in dict.fromkeys(map(_lm_in_words, lms.values())):
        steps = [step for step, lm in lms.items() if _lm_in_words(lm) == words]
        yield "LM", words if len(steps) == len(lms) else f"{words}, for {', '.join(steps)}"
    yield "searched by", identity.get("retriever") or "nothing is searched"
    asked = f"{summary['n']:,} of {identity.get('data', {}).get('questions', summary['n']):,}"
    yield "questions", f"{asked}; fingerprint {identity.get('data', {}).get('fingerprint', '–')}"
    answered = f"{summary['n_ok']:,} answered, {summary['n_over_budget']:,} answered when the budget ran out"
    yield "came to", f"{answered}, {say_count(summary['n_error'], 'error')}"
    yield "gold passages", recall_note(summary) if _is_recognised(summary) else ""
    yield "adapter", identity.get("adapter", "")
    yield "seed", "" if header.get("seed") is None else str(header["seed"])
    yield "cache", header.get("cache", "")
    limits: dict[str, Any] = {**header.get("limits", {})}
    yield "limits", ", ".join(f"{name} {value}" for name, value in limits.items() if value is not None)
    yield "begun", header.get("started", "").replace("T", " ").replace("+00:00", " UTC")
    packages = {"Python": header.get("python", "–"), **header.get("packages", {})}
    yield "versions", ", ".join(f"{name} {version}" for name, version in packages.items())
    yield "git", header.get("git") or ""


def _is_recognised(summary: Summary) -> bool:
    """True if gold was recognised in every question."""
    return "recall" in summary and summary["recall"]["matched_by"].keys() <= set(KINDS)


def _lm_in_words(lm: LMIdentity) -> str:
    """The model, and how it decodes."""
    decoding = [f"{name} {_in_words(value)}" for name, value in lm.get("decoding", {}).items() if value is not None]
    return f"{lm.get('model')} ({', '.join(decoding)})" if decoding else str(lm.get("model"))


def _in_words(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    return as_json(value)
