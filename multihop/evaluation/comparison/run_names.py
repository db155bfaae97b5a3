"""Names for runs side by side: the program, and whatever else sets one apart from the others."""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..journal.header import Header, LMIdentity, ProgramIdentity
from ..report.report import program_name

Aspect = tuple[str, ...]
"""The value of each run in one respect, such as "k=5" and "k=10"."""
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
    """A name for each run that no other has: of two what differs, of more the program, with its folder where need be.

    Examples:
        >>> from multihop.evaluation.comparison.run_names import short_run_names
        >>> headers = [{"identity": {"program": {"name": name}}} for name in ("resp", "tor", "tor")]
        >>> short_run_names(headers[:1], ["runs/a"]), short_run_names(headers, ["runs/a", "runs/b", "runs/c"])
        (['resp'], ['resp', 'tor (b)', 'tor (c)'])
    """
    if len(headers) == 2:
        return list(run_names(headers, folders))
    programs = [program_name(header) for header in headers]
    pairs = zip(programs, _folder_names(folders), strict=True)
    return [name if programs.count(name) == 1 else f"{name} ({place})" for name, place in pairs]


def names_by_differences(headers: Sequence[Header]) -> list[str]:
    """The same as `run_names` without folders: where nothing that is known sets runs apart, they have the same name."""
    programs = [program_name(header) for header in headers]
    return [" ".join(parts) for parts in zip(programs, *_differences(headers), strict=True)]


def _differences(headers: Sequence[Header]) -> list[Aspect]:
    """The respects in which the runs differ, one after the other."""
    runs = [header["identity"] for header in headers]
    programs = [run.get("program", {}) for run in runs]
    aspects = [
        *_of_settings([program.get("settings", {}) for program in programs]),
        *_of_lms([run.get("lm", {}) for run in runs]),
        *_of_prompts(programs),
        _of_retrievers([str(run.get("retriever")) for run in runs]),
        tuple(f"with {run.get('adapter')}" for run in runs),
    ]
    return [aspect for aspect in dict.fromkeys(aspects) if len(set(aspect)) > 1]


def _of_settings(runs: Sequence[dict[str, Any]]) -> Iterator[Aspect]:
    """The settings that all have: two methods' own settings differ by nature."""
    for name in runs[0]:
        if all(name in settings for settings in runs):
            values = [settings[name] for settings in runs]
            if any(value != values[0] for value in values):
                yield tuple(f"{name}={_short(value)}" for value in values)


def _of_lms(runs: Sequence[dict[str, LMIdentity]]) -> Iterator[Aspect]:
    """The models, step by step where each step has one of its own; and how they decode."""
    models = [{str(lm.get("model")) for lm in lms.values()} for lms in runs]
    if all(len(names) <= 1 for names in models) or any(lms.keys() != runs[0].keys() for lms in runs):
        yield tuple(f"on {', '.join(sorted(names)) or 'no LM'}" for names in models)
    else:
        for step in runs[0]:
            yield tuple(f"{step} on {lms[step].get('model')}" for lms in runs)
    yield from _of_decoding(runs)


def _of_decoding(runs: Sequence[dict[str, LMIdentity]]) -> Iterator[Aspect]:
    """The parameters of each step that all have; once, where all steps decode in the same way."""
    for step in [step for step in runs[0] if all(step in lms for lms in runs)]:
        ways = [lms[step].get("decoding", {}) for lms in runs]
        whose = "" if all(map(_alike, runs)) else f"{step} "
        for name in dict.fromkeys(name for way in ways for name in way):
            yield tuple(f"{whose}{name}={_short(way.get(name))}" for way in ways)


def _alike(lms: dict[str, LMIdentity]) -> bool:
    """True if all steps decode in the same way."""
    ways = [lm.get("decoding", {}) for lm in lms.values()]
    return all(way == ways[0] for way in ways)


def _of_prompts(programs: Sequence[ProgramIdentity]) -> Iterator[Aspect]:
    """The number of demonstrations that they show; and of one program, its instructions."""
    prompts = [list(program.get("prompts", {}).values()) for program in programs]
    yield tuple(_demonstrations(sum(len(prompt.get("demos", ())) for prompt in of_run)) for of_run in prompts)
    if len({program.get("name") for program in programs}) == 1:
        words = [[(prompt.get("instructions"), prompt.get("fields")) for prompt in of_run] for of_run in prompts]
        yield tuple(f"instructions {_digest(each)}" for each in words)


def _demonstrations(count: int) -> str:
    return f"with {count} demonstration{'' if count == 1 else 's'}" if count else "without demonstrations"


def _of_retrievers(fingerprints: Sequence[str]) -> Aspect:
    """Their kinds; with the beginning of their fingerprints where the kinds are the same."""
    kinds = [fingerprint.partition("-")[0] for fingerprint in fingerprints]
    digits = len(kinds[0]) + 7 if len(set(kinds)) == 1 else 0
    pairs = zip(fingerprints, kinds, strict=True)
    return tuple(f"over {fingerprint[: digits or len(kind)]}" for fingerprint, kind in pairs)


def _folder_names(folders: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The folders' own names; the whole paths where some of those are alike."""
    names = [Path(folder).resolve().name for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


def _digest(value: Any) -> str:
    return blake2b(repr(value).encode(), digest_size=3).hexdigest()


def _short(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}:{part}" for name, part in value.items() if part is not None]
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
