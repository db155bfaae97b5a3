"""The measured rows: what each method reached and cost, with which LM, on which questions.

benchmarks/measured_rows.py gathers them from the folders of runs, and leaves out those that were simulated.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ...data.formats.cards import CARDS
from .lm_kind import BUILT_IN, LMKind, kind_of_size

FILE = Path(__file__).parents[1] / "measured.json"
ZERO_SHOT = "zero-shot"


class MeasuredFigure(NamedTuple):
    """A mean in percent, and its 95 % interval."""

    mean: float
    """The mean over all questions, one that failed as 0."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end."""

    @property
    def half(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRow:
    """One method, measured with one LM on one question set."""

    program: str
    """The program, as commands take it."""
    settings: dict[str, Any]
    """Its settings that are not the default; of a budget the limits that there were."""
    variant: str
    """The way it was compiled, as `multihop compile` names it, or "zero-shot"."""
    lm: str
    """The LM's name, without provider, folder and address."""
    size: float | None
    """Its billions of parameters; None for a hosted LM that does not tell."""
    structured: str
    """The form in which it was asked: "text", "json" or "schema"."""
    set: str
    """The question set's short name."""
    retriever: str | None
    """The kind of retriever, such as "bm25"; None for a program that does not retrieve."""
    passages: int
    """The passages of the corpus."""
    hops: float
    """The hops of the set's questions, in the mean."""
    n: int
    """The questions that were asked."""
    em: MeasuredFigure
    """Exact match."""
    f1: MeasuredFigure
    """F1."""
    calls: float
    """LM calls a question."""
    tokens_in: float
    """Tokens of prompts a question."""
    tokens_out: float
    """Tokens of completions a question."""
    prefix_cached: float | None
    """The share of the prompts' tokens that a prefix cache serves; None where the run does not say."""
    seconds: float | None
    """Seconds that a question takes alone; None where the machine had other work."""
    unreadable: int
    """Completions of all questions together that could not be read."""
    measured: str
    """The day of the run."""

    @property
    def tokens(self) -> float:
        """Tokens a question."""
        return self.tokens_in + self.tokens_out

    @property
    def title(self) -> str:
        """The method in words.

        Examples:
            >>> from multihop.experiments.choosing.measured import measured_rows
            >>> "one-step over bm25" in {row.title for row in measured_rows()}
            True
        """
        settings = " ".join(
            " ".join(f"at most {limit} {of}" for of, limit in value.items())
            if name == "budget"
            else f"{name}={plain_setting(value)}"
            for name, value in self.settings.items()
        )
        variant = "" if self.variant == ZERO_SHOT else f", {self.variant}"
        over = "" if self.retriever is None else f" over {self.retriever}"
        return f"{self.program}{f' ({settings})' if settings else ''}{over}{variant}"

    @property
    def set_title(self) -> str:
        """The set's own name."""
        return CARDS[self.set].title if self.set in CARDS else self.set

    @property
    def kind(self) -> LMKind:
        """The LM."""
        return LMKind(self.lm, self.size, BUILT_IN if self.lm in ("local", "lexical") else kind_of_size(self.size))

    @property
    def key(self) -> tuple[Any, ...]:
        """Everything that makes it another row than others, not another measurement of the same."""
        settings = ujson.dumps(self.settings, sort_keys=True)
        return self.lm, self.set, self.program, settings, self.variant, self.retriever or "", self.structured


@cache
def measured_rows() -> tuple[MeasuredRow, ...]:
    """All measured rows that come with the library.

    Examples:
        >>> from multihop.experiments.choosing.measured import measured_rows
        >>> sorted({row.set for row in measured_rows()})
        ['2wikimultihopqa', 'hotpotqa', 'musique']
    """
    return parse_rows(FILE.read_text(encoding="utf-8"))


def parse_rows(text: str) -> tuple[MeasuredRow, ...]:
    """The rows of a file's text."""
    figures = ("em", "f1")
    return tuple(
        MeasuredRow(**{**row, **{name: MeasuredFigure(*row[name]) for name in figures}}) for row in ujson.loads(text)
    )


def plain_setting(value: Any) -> str:
    """A setting's value as `--set` takes it."""
    return value if isinstance(value, str) else ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False)
