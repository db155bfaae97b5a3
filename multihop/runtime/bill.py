"""The bill of a run, call by call: a file that outlives any kill, and where a run keeps its answers."""

import math
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, Self, final

import ujson
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ..base import DamagedFileError, InputError
from ..base.files import RESERVE, LineFile, whole_lines
from .tokens import PriceList, TokenCounts, Tokens, book, check_priced, counts_of, current_prices, tokens_of

CALLS = "calls.jsonl"
JUDGING = "judged"
"""The role under which what judges answers is on the bill; no step of a program has that name."""


class CachedCall(TypedDict):
    """A call as it is kept."""

    outputs: list[Any] | None
    """The LM's outputs; None for a completion that could not be parsed, empty where that is forgotten."""
    tokens: tuple[Any, ...]
    """The fields of its `Tokens`, in their order; earlier versions left out the last two where nothing was told."""


class PaidForJudging(TypedDict):
    """The bill for judging answers."""

    calls: int
    """LM calls."""
    tokens: dict[str, TokenCounts]
    """Tokens by model."""


class Paid(TypedDict):
    """The bill in all."""

    calls: int
    """LM calls."""
    estimated: int
    """Calls whose tokens the LM did not tell."""
    tokens: dict[str, TokenCounts]
    """Tokens by model."""
    usd: float | None
    """The price of these tokens in dollars; None where the price of a model is not known."""
    judging: NotRequired[PaidForJudging]
    """The part of it that was paid to judge answers; missing where nothing was."""


@final
class PaidCall(TokenCounts):
    """A line of calls.jsonl for a call that was paid."""

    role: str
    """The predictor's name in its program."""
    model: str
    """The LM's name."""
    estimated: bool
    """True if the LM did not tell its tokens, so that they were estimated."""


@final
class KeptCall(TokenCounts):
    """A line of calls.jsonl for an answer that is kept for the run alone, for the same command to use again."""

    key: str
    """A key that is equal for two calls if and only if they are the same call."""
    outputs: list[Any] | None
    """The LM's outputs; None for a completion that could not be parsed, empty where that is forgotten."""
    estimated: bool
    """True if the LM did not tell its tokens, so that they were estimated."""


_LINE = TypeAdapter[PaidCall | KeptCall](PaidCall | KeptCall)


class RunBudget:
    """A budget of dollars for runs: calls answered from the cache cost nothing here."""

    def __init__(self, usd: float | None = None) -> None:
        """Nothing is paid yet; without dollars there is no limit."""
        if usd is not None and not 0 < usd < math.inf:
            raise InputError(f"a run's budget is a number of dollars above 0, not {usd!r}.")
        self.usd = usd
        self._tokens: dict[str, TokenCounts] = {}
        self._lock = threading.Lock()

    def pay(self, model: str, tokens: Tokens) -> None:
        """Book a call that was paid."""
        if self.usd is not None:
            with self._lock:
                book(self._tokens, model, tokens)

    @property
    def paid(self) -> float:
        """Dollars paid until now; refused where the price of a model that was paid is not known."""
        with self._lock:
            paid = current_prices.get().usd(self._tokens)
            check_priced(self._tokens)
        return paid or 0.0

    @property
    def is_empty(self) -> bool:
        """True if nothing is left."""
        return self.usd is not None and self.paid >= self.usd


class Bill:
    """A line for every call that was paid, written as soon as the answer is there.

    Rows of questions tell what a program costs, and a question that is killed half-way leaves none; this file tells
    what was paid. Lines are whole or not there, and there is room for them before a call is made: see `check`.
    """

    def __init__(self, folder: str | os.PathLike[str], budget: RunBudget | None = None) -> None:
        """The bill of the run in this folder, booked on that budget; nothing is opened before it is entered."""
        self.path = Path(folder) / CALLS
        self._places: dict[str, tuple[int, int]] = {}
        self._file: LineFile | None = None
        self._lock = threading.Lock()
        self._budget = budget or RunBudget()

    def __enter__(self) -> Self:
        end = 0
        for line, start, end in _lines(self.path):
            if "key" in line:
                self._places[line["key"]] = start, end
            else:
                self._budget.pay(line["model"], tokens_of(line))
        self._file = LineFile(self.path, end, reserve=RESERVE)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None

    def check(self) -> None:
        """Refuse a call before it is made, if the disk has no room to write down what it costs."""
        with self._lock:
            if self._file is not None:
                self._file.check()

    def add(self, role: str, model: str, tokens: Tokens) -> None:
        """Write down a call that was paid."""
        self._write({"role": role, "model": model, **counts_of(tokens), "estimated": tokens.estimated})
        self._budget.pay(model, tokens)

    def put(self, key: str, call: CachedCall) -> None:
        """Keep a call, for `get`; what it cost is on a line of its own."""
        tokens = Tokens(*call["tokens"])
        self._write({"key": key, **counts_of(tokens), "estimated": tokens.estimated, "outputs": call["outputs"]})

    def get(self, key: str) -> CachedCall | None:
        """The call that was paid under that key."""
        if key not in self._places or self._file is None:
            return None
        line: KeptCall = ujson.loads(self._file.read(*self._places[key]))
        return {"outputs": line["outputs"], "tokens": tuple(tokens_of(line, estimated=line["estimated"]))}

    def kept(self) -> dict[str, CachedCall]:
        """All calls that are kept, by their keys."""
        return {key: call for key in self._places if (call := self.get(key)) is not None}

    def _write(self, line: PaidCall | KeptCall) -> None:
        text = f"{ujson.dumps(line, ensure_ascii=False, escape_forward_slashes=False)}\n".encode("utf-8", "replace")
        with self._lock:
            if self._file is None:
                return  # the run has ended; what was still under way is nobody's
            start = self._file.append(text, from_reserve="key" not in line)
            if "key" in line:
                self._places[line["key"]] = start, start + len(text)


def total_paid(folder: str | os.PathLike[str], prices: PriceList | None = None) -> Paid | None:
    """Add up the bill of the run in this folder, by these prices or those of the context; None where it kept none."""
    path = Path(folder) / CALLS
    if not path.exists():
        return None
    paid: Paid = {"calls": 0, "estimated": 0, "tokens": {}, "usd": None}
    judging: PaidForJudging = {"calls": 0, "tokens": {}}
    for line, _, _ in _lines(path):
        if "model" in line:
            paid["estimated"] += line["estimated"]
            for booked in (paid, judging) if line["role"] == JUDGING else (paid,):
                booked["calls"] += 1
                book(booked["tokens"], line["model"], tokens_of(line))
    paid["usd"] = (prices or current_prices.get()).usd(paid["tokens"])
    return {**paid, "judging": judging} if judging["calls"] else paid


def _lines(path: Path) -> Iterator[tuple[PaidCall | KeptCall, int, int]]:
    """Each line with where it starts and ends; a last line that was cut off is left out."""
    if not path.exists():
        return
    start = 0
    for number, line in enumerate(whole_lines(path), 1):
        try:
            entry = _LINE.validate_json(line, strict=True)
        except ValidationError:
            raise DamagedFileError(f"{path}, line {number} is damaged; remove that line to go on.") from None
        yield entry, start, start + len(line)
        start += len(line)
