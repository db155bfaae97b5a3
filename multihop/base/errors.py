"""The library's errors by their cause, and the one door for what is told and written of LMs: no key passes it."""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

HIDDEN = "***"
"""Stands where a secret stood."""
OTHERS = "others"
"""The name under which a digest stands for all parameters that are not written down."""
_PUBLIC = frozenset(
    (
        "temperature", "top_p", "top_k", "min_p", "typical_p", "n", "best_of", "seed", "max_tokens",
        "max_completion_tokens", "max_output_tokens", "min_tokens", "num_predict", "num_ctx",
        "presence_penalty", "frequency_penalty", "repetition_penalty", "logprobs", "top_logprobs", "reasoning",
        "reasoning_effort", "effort", "summary", "verbosity", "thinking", "type", "budget_tokens", "enabled",
        "enable_thinking", "chat_template_kwargs", "extra_body", "service_tier", "rollout_id", "timeout",
        "num_retries", "api_version",
        OTHERS,
    )
)  # fmt: skip
"""The parameters of an LM that are written down: how it decodes, and what may hold such parameters."""
_WORD = re.compile(r"[a-z_-]{1,24}|20\d\d-\d\d-\d\d[a-z-]{,10}|[0-9a-f]{4}")
"""A text that is written down: a word such as "low", a date, and a digest."""
_OF_PATHS = re.compile(
    r"|v\d\w{0,5}|api|openai|compatible-mode|compat|engines|llama\.cpp|inference|paas|ai|retrieve|search"
)
"""The parts of a path that are written down; any other may be a key."""
_VARIABLE = re.compile(r"[A-Z]+|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_TELLING = re.compile(r"key|token(?!iz)|secret|passw|credential|auth(?!or(?!i))|cookie|bearer")
_SHORTEST = 8
"""Characters that a key has at least: a shorter value, such as "EMPTY", may be a word of any sentence."""
_LOGIN = re.compile(r"(?<=//)[^\s/?#'\"]+@")
_PIECE = re.compile(r"[^\s\"',:;={}/?#@&]*\d[^\s\"',:;={}/?#@&]*")
_HOST = re.compile(r"(?:.*?//)?(\S*@)?[^/?#@]*", re.DOTALL)
_SENT = re.compile(
    r"(?i)(?P<kept>\bBearer +(?=[\w.~+/-]{12})|\bAuthorization: *Basic +"
    r"|[?&][\w-]*(?:key|token|secret|password|signature)=)"
    r"(?!\*\*\*)[^\s'\"&,;)}\]]+"
)
_KEY = re.compile(
    r"\bsk-(?:(?=[\w-]*\d)[\w-]{6,}|[\w-]{16,})"  # OpenAI, Anthropic, OpenRouter
    r"|\b(?:hf_|gsk_|gh[pousr]_|xai-|r8_|pplx-)\w{16,}|\bAIza[\w-]{30,}|\bAKIA[A-Z0-9]{16}\b|\beyJ[\w-]{8,}\.[\w.-]{8,}"
)
"""The forms in which providers write their keys."""
_given: set[str] = set()
"""The secrets that were given in code."""
_untold: set[str] = set()
"""Other texts given in code that no file or sentence repeats."""


class MultihopError(Exception):
    """Everything that multihop itself raises; what an LM's provider raises comes through as DSPy has it.

    Examples:
        >>> import multihop
        >>> try:
        ...     multihop.load("no-such-file.json")
        ... except multihop.MultihopError as error:
        ...     print(type(error).__name__, "-", error)
        InputError - no-such-file.json cannot be read: No such file or directory.
    """

    def __init__(self, *arguments: object) -> None:
        """An error whose words hold no key and no password."""
        super().__init__(*(hide_secrets(each) if isinstance(each, str) else each for each in arguments))


class InputError(MultihopError, ValueError):
    """Something the caller gave cannot be used: a file, a name, a setting, a question.

    The command line prints the message as one line and exits with code 2. The four kinds below are bad input too, so
    `except InputError` takes them all.
    """


class MismatchError(InputError):
    """Two things that were given do not go together, such as a saved program and another corpus than its own."""


class DamagedFileError(InputError):
    """A file was cut off, edited, or is not of the format that it should have."""


class MissingExtraError(InputError):
    """A package that only some need is not installed; the message says with which command it is."""

    extra: str = ""
    """The name of the extra, such as "train"."""


class MissingKeyError(InputError):
    """A provider's LM was named and its key is nowhere to be found."""

    variables: tuple[str, ...] = ()
    """The environment variables; one of them is to hold the key, or each where the provider asks for several."""


class RunFailed(MultihopError):
    """The input was fine and the work still came to nothing; the command line exits with code 1."""


def unknown(kind: str, name: str, valid: Iterable[str]) -> InputError:
    """The error for an unknown name: it suggests the nearest one and lists them all."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    return InputError(f"unknown {kind} '{name}'{hint} Valid: {', '.join(names) or 'none'}")


def check_known(kind: str, name: str, valid: Collection[str]) -> None:
    """Refuse a name that is none of the valid ones."""
    if name not in valid:
        raise unknown(kind, name, valid)


def missing_extra(what: str, extra: str, reason: object = "") -> MissingExtraError:
    """The error for what needs an extra that is not installed."""
    because = f" ({reason})" if reason else ""
    error = MissingExtraError(f"{what} needs the extra [{extra}]{because}: pip install 'multihop[{extra}]'.")
    error.extra = extra
    return error


@contextmanager
def needing_extra(what: str, extra: str) -> Iterator[None]:
    """A block whose imports are of an extra, which is named where it is not installed."""
    try:
        yield
    except ImportError as error:
        raise missing_extra(what, extra, error) from None


def missing_key(what: str, variables: Iterable[str], *, also: str = "") -> MissingKeyError:
    """The error for what lacks the key of a provider; `also` says where else than in the environment it may stand."""
    names = tuple(variables)
    error = MissingKeyError(f"{what} needs a key: set {' or '.join(names)} in the environment{also}.")
    error.variables = names
    return error


def first_line(error: Exception) -> str:
    """The first line of an error of a library whose errors have many lines; the error's kind if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def without_remedies(error: Exception) -> str:
    """The words of an LM's error, without the list of remedies that DSPy lets them end with."""
    return str(error).partition("\n\n  To fix:\n")[0]


def names_secret(name: str) -> bool:
    """True if a parameter of that name holds a key; a count of tokens does not."""
    return not name.lower().endswith("tokens") and _TELLING.search(name.lower()) is not None


def without_secrets(value: Any) -> Any:
    """The value without those of its parts that hold a key, told by their names."""
    if isinstance(value, list | tuple):
        return [without_secrets(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    return {name: without_secrets(part) for name, part in value.items() if not names_secret(str(name))}


def public_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """An LM's parameters as files keep them: those on a list, and a digest too short to tell a key for all others."""
    kept: dict[str, Any] = {}
    for name, value in parameters.items():
        if name in _PUBLIC and isinstance(value, Mapping):
            kept[name] = public_parameters(value)
        elif name in _PUBLIC and (isinstance(value, int | float) or _WORD.fullmatch(str(value))):
            kept[name] = value
    others = without_secrets({name: value for name, value in parameters.items() if name not in kept})
    if others:
        kept[OTHERS] = blake2b(json.dumps(others, sort_keys=True).encode(), digest_size=2).hexdigest()
    return kept


def hide_login(text: str) -> str:
    """The text with nothing between "//" and "@", even where a password breaks the address, no query, no fragment."""
    place, slashes, rest = text.partition("//")
    if slashes:
        rest = rest.rpartition("@")[2].partition("#")[0]
    return f"{place}{slashes}{rest}".partition("?")[0]


def public_address(address: str) -> str:
    """The address as files keep it: what may be a key is left out, and of its path the usual parts are kept."""
    found = re.fullmatch("(https?://[^/]*)(.*)", hide_login(address))
    parts = found[2].split("/") if found else [HIDDEN]
    return (found[1] if found else "") + "/".join(each if _OF_PATHS.fullmatch(each) else HIDDEN for each in parts)


def shown_variable(name: str) -> str:
    """The name of a variable as a sentence tells it; what is not written as one may be a key, and is not repeated."""
    if _VARIABLE.fullmatch(name):
        return name
    remember_secret(name)
    return "what is not written as a variable's name (not shown: it may be the key)"


def check_lm_name(name: str) -> None:
    """Refuse a key in the place of an LM's name, which files keep and pages show."""
    if _KEY.search(name):
        raise InputError("a key stands where the name of an LM should: keys are put into the environment.")


def remember_secret(value: str | None) -> None:
    """Have `hide_secrets` know a secret that is in no variable of the environment."""
    if value is not None and len(value) >= _SHORTEST:
        _given.add(value)


def remember_secrets(parameters: Mapping[str, Any]) -> None:
    """Have `hide_secrets` know the keys of an LM or a client, and all other texts and names that are no plain words."""
    for name, value in parameters.items():
        _remember_odd(() if _WORD.fullmatch(name.lower()) else [name])
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, Mapping):
                remember_secrets(each)
            elif isinstance(each, str) and name in ("api_base", "base_url"):
                _remember_odd(_PIECE.findall(unquote(_HOST.sub(r"\1", each, count=1))))
            elif isinstance(each, str):
                _remember_odd([each, *_PIECE.findall(each)])
                remember_secret(each if names_secret(name) else None)


def _remember_odd(texts: Iterable[str]) -> None:
    _untold.update(each for each in texts if len(each) >= _SHORTEST and not _WORD.fullmatch(each))


def hide_secrets(text: str) -> str:
    """The text without any key: the environment's, those that are remembered, and what is written as one."""
    for secret in sorted({*known_secrets(), *_untold}, key=len, reverse=True):
        for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1]):
            if form in text:
                text = text.replace(form, HIDDEN)
    text = _SENT.sub(rf"\g<kept>{HIDDEN}", _LOGIN.sub("", text))
    return _KEY.sub(HIDDEN, text)


def known_secrets() -> dict[str, str]:
    """Each secret, with the name of the environment's variable that holds it; empty for one that was given in code."""
    variables = {
        value: name
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and names_secret(name) and not value.startswith("/")  # a file that holds it is none
    }
    return {**dict.fromkeys(_given, ""), **variables}


def hide_in_error(error: BaseException) -> None:
    """Cut secrets out of an error's words and those of its causes, where they stand."""
    found: list[BaseException] = [error]
    for each in found:  # grows on the way
        each.args = tuple(_hidden(argument) for argument in each.args)
        for name, value in vars(each).items():
            vars(each)[name] = _hidden(value)
        found += [cause for cause in (each.__cause__, each.__context__) if cause is not None and cause not in found]


def _hidden(value: Any) -> Any:
    """The value with nothing secret in its texts; of what is no plain value, the value itself."""
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(map(_hidden, value))
    return {name: _hidden(part) for name, part in value.items()} if type(value) is dict else value
