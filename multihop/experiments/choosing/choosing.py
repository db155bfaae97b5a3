"""The method to take for an LM, a corpus and a budget, from what was measured."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...base import InputError, unknown
from .lm_kind import LM_KINDS, LMKind, lm_kind
from .measured import MeasuredRow, measured_rows
from .published import PublishedFigure, published_figures

MOST_PUBLISHED = 3
CHEAP = 2.0
"""So many times the tokens of the cheapest row still count as its cost."""
FEW = 0.25
"""The share of the questions of the row that was asked most, below which a row was asked too few to be taken."""
LARGER, FURTHER = 3.0, 0.5
"""So many times as many passages, and so many more or fewer hops, are worth telling."""


@dataclass(frozen=True, slots=True)
class QuestionBudget:
    """The most that a question may take, in the mean; None for no limit."""

    calls: float | None = None
    """LM calls."""
    tokens: float | None = None
    """Tokens of prompts and completions."""
    seconds: float | None = None
    """Seconds of a question alone."""

    @property
    def is_limited(self) -> bool:
        """True if there is any limit."""
        return (self.calls, self.tokens, self.seconds) != (None, None, None)

    def excess(self, row: MeasuredRow) -> float:
        """The number of budgets that a row takes, by the limit that it exceeds most; a row without a time takes any."""
        pairs = ((row.calls, self.calls), (row.tokens, self.tokens), (row.seconds, self.seconds))
        return max(
            (math.inf if taken is None else taken / limit for taken, limit in pairs if limit is not None), default=0.0
        )

    def __str__(self) -> str:
        limits = (("LM calls", self.calls), ("tokens", self.tokens), ("seconds", self.seconds))
        return " and ".join(f"{limit:,.10g} {name}" for name, limit in limits if limit is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A method to take, and what speaks for it."""

    row: MeasuredRow
    """The row that the choice rests on."""
    fits: bool
    """True if it was measured with an LM of the same kind and stays within the budget; else it is the nearest row."""
    budget: QuestionBudget
    """The most that a question may take."""
    caveats: tuple[str, ...]
    """Everything in which the row is not what was asked for, in sentences."""
    runner_up: MeasuredRow | None = None
    """The highest F1 of the other rows within the budget; None where there is none."""
    more: MeasuredRow | None = None
    """The highest F1 beyond the budget, if it is higher than the row's; else None."""
    elsewhere: tuple[MeasuredRow, ...] = ()
    """The rows that the same rule takes on the other question sets."""
    published: tuple[PublishedFigure, ...] = ()
    """Figures of papers with LMs of the kind that was asked for, where nothing was measured with one."""


def choose(
    lm: str = "local",
    *,
    size: float | None = None,
    passages: int | None = None,
    hops: float | None = None,
    calls: float | None = None,
    tokens: float | None = None,
    seconds: float | None = None,
    retriever: str | None = None,
    rows: Iterable[MeasuredRow] | None = None,
) -> Choice:
    """Take a method for an LM, a corpus and a budget, from measured rows.

    The rule: of all rows, those of the nearest LM (of that name, else of the same kind, then of the nearest size); of
    these, those of the nearest question set (by hops, and by whole powers of ten between the sizes of the corpora; else
    the one of most rows); of these, those within the budget; of these, those that no other beats. A row is beaten where
    another's F1 is higher by more than the 95 % interval of their difference, the root of the sum of the squares of
    both halves. Of what is left, those asked of a quarter as many questions at least as the one that was asked most: a
    row of few questions is beaten by none, and shows nothing. Of these, the highest F1 is taken among those of at most
    twice the tokens of the cheapest: what was not shown to be better is not worth much more.

    Args:
        lm: The LM, as commands take it.
        size: Its billions of parameters, where its name does not tell.
        passages: The passages of the corpus.
        hops: The hops of the questions, in the mean.
        calls: LM calls that a question may take in the mean.
        tokens: Tokens, likewise.
        seconds: Seconds, likewise, as on the machine that the rows were measured on; rows without a time are left out.
        retriever: The kind of retriever that there is; any by default.
        rows: Rows to choose from in the place of those that come with the library.

    Raises:
        InputError: The LM, the retriever or the budget cannot be meant.

    Examples:
        >>> from multihop.experiments import choose
        >>> choice = choose("local", hops=2, passages=10_000, calls=3)
        >>> choice.row.program, choice.row.set, choice.fits
        ('ranked-rag', 'hotpotqa', True)
        >>> choose("local", hops=2, calls=0.5).caveats
        ('nothing measured stays within 0.5 LM calls a question; this is the nearest',)
    """
    asked, budget = lm_kind(lm, size), _budget(calls, tokens, seconds)
    given = tuple(measured_rows() if rows is None else rows)
    if retriever is not None:
        if retriever not in (kinds := {row.retriever for row in given if row.retriever}):
            raise unknown("kind of retriever that was measured", retriever, kinds)
        given = tuple(row for row in given if row.retriever in (retriever, None))
    if not given:
        raise InputError("there is no measured row to choose from.")
    nearest = min((row.kind for row in given), key=asked.distance)
    sets: dict[str, list[MeasuredRow]] = defaultdict(list)
    for row in given:
        if row.kind == nearest:
            sets[row.set].append(row)
    home = min(sets, key=lambda name: (_distance(sets[name][0], passages, hops), -len(sets[name]), sets[name][0].hops))
    within = {name: [row for row in some if budget.excess(row) <= 1] for name, some in sets.items()}
    fitting, measured = within[home], nearest.kind == asked.kind
    row = best_row(fitting) if fitting else min(sets[home], key=lambda each: (budget.excess(each), each.tokens))
    others = [each for each in fitting if each.key != row.key]
    beyond = [each for each in sets[home] if each not in fitting and each.f1.mean > row.f1.mean and each != row]
    return Choice(
        row=row,
        fits=bool(fitting) and measured,
        budget=budget,
        caveats=tuple(_caveats(row, asked, budget, passages, hops)),
        runner_up=max(others, key=_by_f1, default=None),
        more=max(beyond, key=_by_f1, default=None),
        elsewhere=tuple(best_row(some) for name, some in sorted(within.items()) if some and name != home),
        published=() if measured else tuple(published_figures(home, asked.kind)[:MOST_PUBLISHED]),
    )


def best_row(rows: Sequence[MeasuredRow]) -> MeasuredRow:
    """Of the rows that no other beats and that were asked enough questions, the highest F1 of about the lowest cost."""
    unbeaten = [row for row in rows if not any(is_better(other, row) for other in rows)]
    most = max(row.n for row in unbeaten)
    known = [row for row in unbeaten if row.n >= FEW * most]
    cheapest = min(row.tokens for row in known)
    return max((row for row in known if row.tokens <= CHEAP * cheapest), key=_by_f1)


def is_better(one: MeasuredRow, other: MeasuredRow) -> bool:
    """True if the one's F1 is higher by more than the 95 % interval of the difference."""
    return one.f1.mean - other.f1.mean > math.hypot(one.f1.half, other.f1.half)


def _by_f1(row: MeasuredRow) -> tuple[float, float]:
    return row.f1.mean, -row.tokens


def _budget(calls: float | None, tokens: float | None, seconds: float | None) -> QuestionBudget:
    for name, limit in (("calls", calls), ("tokens", tokens), ("seconds", seconds)):
        if limit is not None and not limit > 0:
            raise InputError(f"{name} is what a question may take, a number above 0, not {limit:g}.")
    return QuestionBudget(calls, tokens, seconds)


def _distance(row: MeasuredRow, passages: int | None, hops: float | None) -> float:
    """The distance of a set: hops apart, and whole powers of ten between the sizes of the corpora."""
    apart = 0.0 if hops is None else abs(hops - row.hops)
    return apart + (0.0 if passages is None else round(abs(math.log10(max(passages, 1) / row.passages))))


def _caveats(
    row: MeasuredRow, asked: LMKind, budget: QuestionBudget, passages: int | None, hops: float | None
) -> Iterable[str]:
    if row.kind.kind != asked.kind:
        yield f"no {LM_KINDS[asked.kind]} was measured; the nearest is {row.lm}"
    elif row.lm.lower() != asked.name.lower():
        yield f"measured with {row.lm}, not with {asked.name}"
    if budget.excess(row) > 1:
        untimed = ", of which no time was measured" if budget.seconds is not None and row.seconds is None else ""
        yield f"nothing measured stays within {budget} a question; this is the nearest{untimed}"
    if passages is not None and max(passages / row.passages, row.passages / max(passages, 1)) > LARGER:
        change = "less" if passages > row.passages else "more"
        yield f"measured over {row.passages:,} passages, not {passages:,}: expect {change} to be found"
    if hops is None:
        yield f"nothing tells the hops of your questions; those of {row.set_title} have {row.hops:.1f}"
    elif abs(hops - row.hops) > FURTHER:
        yield f"the questions of {row.set_title} have {row.hops:.1f} hops, yours {hops:.1f}"
