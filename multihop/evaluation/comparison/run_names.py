"""Names for runs side by side: the program, and whatever else sets one apart from the others."""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...base.texts import say_count
from ..journal.header import Header, Identity
from ..report.report import program_name

LONGEST = 24
"""Characters of a setting's value that a head shows."""


def run_names(headers: Sequence[Header], folders: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """A name for each run that says what differs; with their folders' names where nothing does."""
    names = names_by_differences(headers)
    alike = [names.count(name) > 1 for name in names]
    if not any(alike):
        return tuple(names)
    marked = zip(names, _folder_names(folders), alike, strict=True)
    return tuple(f"{name} ({folder})" if same else name for name, folder, same in marked)


def short_run_names(headers: Sequence[Header], folders: Sequence[str | os.PathLike[str]]) -> list[str]:
    """A name for each run that no other has: of two what differs, of more the program, with its folder where needed."""
    if len(headers) == 2:
        return list(run_names(headers, folders))
    programs = [program_name(header) for header in headers]
    pairs = zip(programs, _folder_names(folders), strict=True)
    return [name if programs.count(name) == 1 else f"{name} ({place})" for name, place in pairs]


def names_by_differences(headers: Sequence[Header]) -> list[str]:
    """The same as `run_names` without folders: where nothing that is known sets runs apart, they have the same name."""
    runs = [header["identity"] for header in headers]
    lms = [run.get("lm", {}) for run in runs]
    same_steps = all(each.keys() == lms[0].keys() for each in lms)
    by_step = same_steps and any(len({lm.get("model") for lm in each.values()}) > 1 for each in lms)
    alike = all(len({repr(lm.get("decoding")) for lm in each.values()}) <= 1 for each in lms)
    same_kind = len({_kind(run) for run in runs}) == 1
    told = [dict(_respects(run, by_step=by_step, alike=alike, same_kind=same_kind)) for run in runs]
    shared = [respect for respect in told[0] if all(respect in each for each in told)]
    differing = [respect for respect in shared if len({each[respect] for each in told}) > 1]
    return [
        " ".join([program_name(header), *(each[respect] for respect in differing)])
        for header, each in zip(headers, told, strict=True)
    ]


def _respects(run: Identity, *, by_step: bool, alike: bool, same_kind: bool) -> Iterator[tuple[str, str]]:
    """All that may set a run apart from others: what it is about, which both must have, and the words for it.

    Args:
        run: The run.
        by_step: Name the LM of each step.
        alike: All steps of a run decode in the same way.
        same_kind: All runs have a retriever of the same kind.
    """
    program, lms = run.get("program", {}), run.get("lm", {})
    prompts = program.get("prompts", {}).values()
    for name, value in program.get("settings", {}).items():
        yield f"setting {name}", f"{name}={_short(value)}"
    if not by_step:
        yield "lm", f"on {', '.join(sorted({str(lm.get('model')) for lm in lms.values()})) or 'no LM'}"
    for step, lm in lms.items():
        if by_step:
            yield f"lm of {step}", f"{step} on {lm.get('model')}"
        whose = "" if alike else f"{step} "
        for name, value in lm.get("decoding", {}).items():
            yield f"{whose}decoding {name}", f"{whose}{name}={_short(value)}"
    demos = sum(len(prompt.get("demos", ())) for prompt in prompts)
    yield "demos", f"with {say_count(demos, 'demonstration')}" if demos else "without demonstrations"
    words = repr([(prompt.get("instructions"), prompt.get("fields")) for prompt in prompts])
    yield (
        f"instructions of {program.get('name')}",  # those of two programs differ by nature
        f"instructions {blake2b(words.encode(), digest_size=3).hexdigest()}",
    )
    retriever = str(run.get("retriever"))
    yield "retriever", f"over {retriever[: len(_kind(run)) + 7] if same_kind else _kind(run)}"
    yield "adapter", f"with {run.get('adapter')}"


def _kind(run: Identity) -> str:
    """The kind of the run's retriever."""
    return str(run.get("retriever")).partition("-")[0]


def _folder_names(folders: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The folders' own names; the whole paths where some of those are alike."""
    names = [Path(folder).resolve().name for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


def _short(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}:{part}" for name, part in value.items() if part is not None]
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
