"""What two runs are called side by side: the program, and whatever else sets the one apart from the other."""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from .header import Header, LMIdentity, ProgramIdentity
from .report import program_name

NamedSetting = tuple[str, str]
LONGEST = 24
"""Characters of a setting's value that a head shows."""


def run_names(headers: Sequence[Header], folders: Sequence[str | os.PathLike[str]]) -> tuple[str, str]:
    """A name for each of two runs that says what differs; their folders' names where nothing does.

    Examples:
        >>> from multihop.evaluation.run_names import run_names
        >>> programs = [{"name": "one-step", "settings": {"k": k, "retries": 2}} for k in (5, 10)]
        >>> headers = [{"identity": {"program": program}} for program in programs]
        >>> run_names(headers, ["runs/first", "runs/second"])
        ('one-step k=5', 'one-step k=10')
        >>> run_names([headers[0]] * 2, ["runs/first", "runs/second"])
        ('one-step (first)', 'one-step (second)')
    """
    names = [program_name(header) for header in headers]
    a, b = ([names[which], *parts] for which, parts in enumerate(_differences(*headers)))
    if a == b:
        folder_names = _folder_names(*folders)
        return f"{names[0]} ({folder_names[0]})", f"{names[1]} ({folder_names[1]})"
    return " ".join(a), " ".join(b)


def _differences(*headers: Header) -> tuple[list[str], list[str]]:
    """What sets each run apart, in words, one after the other."""
    a, b = (header["identity"] for header in headers)
    programs = a.get("program", {}), b.get("program", {})
    pairs = [
        *_of_settings(*(program.get("settings", {}) for program in programs)),
        *_of_lms(a.get("lm", {}), b.get("lm", {})),
        *_of_prompts(*programs),
        _of_retrievers(str(a.get("retriever")), str(b.get("retriever"))),
        (f"with {a.get('adapter')}", f"with {b.get('adapter')}"),
    ]
    pairs = [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
    return [of_a for of_a, _ in pairs], [of_b for _, of_b in pairs]


def _of_settings(a: dict[str, Any], b: dict[str, Any]) -> Iterator[NamedSetting]:
    """The settings that both have: two methods' own settings differ by nature."""
    for name in a:
        if name in b and a[name] != b[name]:
            yield f"{name}={_short(a[name])}", f"{name}={_short(b[name])}"


def _of_lms(a: dict[str, LMIdentity], b: dict[str, LMIdentity]) -> Iterator[NamedSetting]:
    """The models; step by step where each step has one of its own; and how they decode."""
    models = [{str(lm.get("model")) for lm in lms.values()} for lms in (a, b)]
    if all(len(names) <= 1 for names in models) or a.keys() != b.keys():
        yield f"on {', '.join(sorted(models[0])) or 'no LM'}", f"on {', '.join(sorted(models[1])) or 'no LM'}"
    else:
        for step in a:
            yield f"{step} on {a[step].get('model')}", f"{step} on {b[step].get('model')}"
    for step in [step for step in a if step in b]:
        ways = [lms[step].get("decoding", {}) for lms in (a, b)]
        whose = "" if _alike(a) and _alike(b) else f"{step} "
        for name in dict.fromkeys([*ways[0], *ways[1]]):
            yield f"{whose}{name}={_short(ways[0].get(name))}", f"{whose}{name}={_short(ways[1].get(name))}"


def _alike(lms: dict[str, LMIdentity]) -> bool:
    """Whether all steps decode in the same way."""
    ways = [lm.get("decoding", {}) for lm in lms.values()]
    return all(way == ways[0] for way in ways)


def _of_prompts(a: ProgramIdentity, b: ProgramIdentity) -> Iterator[NamedSetting]:
    """How many demonstrations they show; and of one program, which instructions."""
    prompts = [list(program.get("prompts", {}).values()) for program in (a, b)]
    counts = [sum(len(prompt.get("demos", ())) for prompt in of_run) for of_run in prompts]
    yield _demonstrations(counts[0]), _demonstrations(counts[1])
    if a.get("name") == b.get("name"):
        words = [[(prompt.get("instructions"), prompt.get("fields")) for prompt in of_run] for of_run in prompts]
        yield f"instructions {_digest(words[0])}", f"instructions {_digest(words[1])}"


def _demonstrations(count: int) -> str:
    return f"with {count} demonstration{'' if count == 1 else 's'}" if count else "without demonstrations"


def _of_retrievers(a: str, b: str) -> NamedSetting:
    """Their kinds; with the beginning of their fingerprints where the kinds are the same."""
    kinds = [name.partition("-")[0] for name in (a, b)]
    digits = len(kinds[0]) + 7 if kinds[0] == kinds[1] else 0
    names = [name[: digits or len(kind)] for name, kind in zip((a, b), kinds, strict=True)]
    return f"over {names[0]}", f"over {names[1]}"


def _folder_names(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> tuple[str, str]:
    """The folders' own names; the whole paths where those are alike."""
    paths = Path(a), Path(b)
    if paths[0].resolve().name != paths[1].resolve().name:
        return paths[0].resolve().name, paths[1].resolve().name
    return str(paths[0]), str(paths[1])


def _digest(value: Any) -> str:
    return blake2b(repr(value).encode(), digest_size=3).hexdigest()


def _short(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}:{part}" for name, part in value.items() if part is not None]
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
