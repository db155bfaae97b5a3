"""A run as plain values: its card in words, its figures, the table of its questions, and each question, packed."""

import base64
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from ..base import DamagedFileError, InputError
from ..base.texts import as_json, say_count
from ..evaluation.header import Header, LMIdentity
from ..evaluation.journal import read_header, read_rows
from ..evaluation.metrics.passages import KINDS
from ..evaluation.report import FEW, asked_line, lm_names, program_name, run_warnings
from ..evaluation.row import Row
from ..evaluation.summary import Summary, summarize
from ..retrieval import Passage
from ..runtime import total_paid
from .figures import Figures, describe_figures
from .folders import Folder
from .questions import (
    QuestionList,
    QuestionRecord,
    add_texts,
    describe_question,
    line_of,
    passages_of,
    read_texts,
    table_of,
)

Corpus = Callable[[], Iterable[Passage]]
"""Gives the passages of a corpus, anew each time."""
LARGEST = 400_000
"""Characters of JSON from which a chunk is full."""
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


class RunPage(TypedDict):
    """Everything that a page shows of a run."""

    name: str
    header: Header
    card: RunCard
    figures: Figures
    summary: Summary
    questions: QuestionList
    chunk_sizes: list[int]
    chunks: list[str]
    """The questions in full, packed, in the order of the table."""


def describe_whole_run(folder: Folder, corpus: Corpus | None = None) -> RunPage:
    """The run in a folder as plain values; without a corpus, passages are shown by their titles alone."""
    header, lines = read_header(folder), list[dict[str, Any]]()
    last: dict[str, int] = {}

    def all_rows() -> Iterator[Row]:
        for place, row in enumerate(read_rows(folder)):
            last[row["id"]] = place
            yield row

    summary = summarize(all_rows(), header, total_paid(folder))
    if not last:
        raise InputError(f"{folder} is a run without a finished question; there is nothing to show.")
    texts = None
    if corpus is not None:
        wanted = {each["id"] for _, record in _last_questions(folder, last) for each in passages_of(record)}
        texts = read_texts(wanted, corpus())

    def records() -> Iterator[QuestionRecord]:
        for row, record in _last_questions(folder, last):
            lines.append(line_of(row))
            if texts is not None:
                add_texts(record, texts)
            yield record

    chunks = list(pack_in_chunks(records()))
    card = describe_run(header, summary, folder)
    return {
        "name": card["program"],
        "header": header,
        "card": card,
        "figures": describe_figures(summary, header["identity"].get("metrics", {})),
        "summary": summary,
        "questions": table_of(lines),
        "chunk_sizes": [count for count, _ in chunks],
        "chunks": [chunk for _, chunk in chunks],
    }


def _last_questions(folder: Folder, last: Mapping[str, int]) -> Iterator[tuple[Row, QuestionRecord]]:
    """The last row of each question and what a page shows of it, one at a time, however many there are."""
    for place, row in enumerate(read_rows(folder)):
        if last.get(row["id"]) != place:
            continue
        try:
            record = describe_question(row)
        except (TypeError, KeyError, IndexError, ValueError, AttributeError) as error:  # a row of somebody else's
            what = f"it lacks {error}" if isinstance(error, KeyError) else "its steps cannot be drawn"
            raise DamagedFileError(f"{folder}: the row of question '{row['id']:.80}' is damaged: {what}.") from error
        yield row, record


def as_page_json(value: Any) -> str:
    """JSON that can be put between <script> and </script> whatever it holds."""
    text = as_json(value)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pack_in_chunks(records: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Chunks of records, each packed, with how many records it holds; a large record has a chunk of its own."""
    parts: list[str] = []
    size = 0
    for record in records:
        text = as_json(record)
        if parts and size + len(text) > LARGEST:
            yield len(parts), _pack(f"[{','.join(parts)}]")
            parts, size = [], 0
        parts.append(text)
        size += len(text)
    if parts:
        yield len(parts), _pack(f"[{','.join(parts)}]")


def _pack(text: str) -> str:
    """The text, gzipped, as base64; the same text gives the same letters, always."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode("ascii")


def describe_run(header: Header, summary: Summary, folder: Folder) -> RunCard:
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
    if (note := summary["recall"]["note"]) and not _is_recognised(summary):
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
    yield "gold passages", summary["recall"]["note"] if _is_recognised(summary) else ""
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
    return summary["recall"]["matched_by"].keys() <= set(KINDS)


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
