"""The outcomes of variants on the dev split: scored, or voted on by the recorded answers of others, without a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import dspy

from ..data import Question
from ..evaluation.comparison import compare
from ..evaluation.journal import read_header, read_rows
from ..evaluation.report import show_n
from ..evaluation.row import Row
from ..evaluation.statistics import Mean
from ..evaluation.summary import Interval, Summary, summarize, usd_a_question
from ..runtime import token_count
from .variants import ENSEMBLE, ZERO_SHOT
from .work_folder import WorkFolder

FEWEST = 3
"""Voters that can come to a majority; of two that differ, the first would always win."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one variant."""

    variant: str
    f1: Interval
    """Mean, low and high of answer F1 on the dev split."""
    em: Interval
    calls: float
    """LM calls a question."""
    tokens: float
    """Tokens a question."""
    compile_calls: int
    """LM calls that compiling took; answers from a cache are none."""
    usd: float | None = 0.0
    """Dollars a question; None where a price is not known."""
    voters: tuple[str, ...] = ()
    """The variants that vote, in an ensemble; no one file holds them."""
    n: int = 0
    """The dev questions that were answered, which are those of both means."""

    @property
    def rank(self) -> tuple[float, float]:
        """The highest is the best: by F1; of equals by fewer calls."""
        return self.f1["mean"], -self.calls

    def in_a_line(self, dev: Sequence[Question]) -> str:
        """The scores, for people."""
        means = f"f1 {100 * self.f1['mean']:.1f}, em {100 * self.em['mean']:.1f}"
        return f"{self.variant}: {means}{show_n(self.n, len(dev))}"


class Gain(NamedTuple):
    """The gain of the best variant over zero-shot, and its price in tokens."""

    f1: Mean
    """The paired difference, question by question."""
    tokens: float
    """Its tokens, as a multiple of those of zero-shot."""

    @property
    def is_seen(self) -> bool:
        """True if the questions tell the two apart: the interval does not hold 0."""
        return not self.f1.low <= 0 <= self.f1.high


def gain_of(best: Outcome, outcomes: Sequence[Outcome], work: WorkFolder) -> Gain | None:
    """The gain of the best of these outcomes over zero-shot; None where zero-shot is the best, or was not scored."""
    plain = next((each for each in outcomes if each.variant == ZERO_SHOT), None)
    if plain is None or plain is best:
        return None
    change = compare(work.run(ZERO_SHOT), work.run(best.variant)).metrics["f1"].change
    return Gain(change, best.tokens / max(plain.tokens, 1.0))


def outcome_of_run(variant: str, summary: Summary, compile_calls: int) -> Outcome:
    """The outcome of a variant whose run on the dev split is summarized."""
    metrics, cost = summary["metrics"], summary["cost"]
    tokens = token_count(cost["tokens"]) / max(1, summary["n"])
    f1, em = (
        Interval(mean=each["mean"], low=each["low"], high=each["high"]) for each in (metrics["f1"], metrics["em"])
    )
    return Outcome(
        variant, f1, em, cost["calls"]["mean"], round(tokens, 1), compile_calls, usd_a_question(summary),
        n=metrics["f1"]["n"],
    )  # fmt: skip


def outcome_of_vote(outcomes: Sequence[Outcome], dev: Sequence[Question], work: WorkFolder) -> Outcome:
    """The outcome of the ensemble of all these, from what each has answered; it costs what they cost together."""
    rows = [{row["id"]: row for row in read_rows(work.run(each.variant))} for each in outcomes]
    header = read_header(work.run(outcomes[0].variant))
    summary = summarize(voted(rows, [question.id for question in dev]), header)
    best = outcome_of_run(ENSEMBLE, summary, 0)
    dollars = [each.usd for each in outcomes if each.usd is not None]
    return replace(
        best,
        calls=sum(each.calls for each in outcomes),
        tokens=round(sum(each.tokens for each in outcomes), 1),
        usd=sum(dollars) if len(dollars) == len(outcomes) else None,
        voters=tuple(each.variant for each in outcomes),
    )


def voted(runs: Sequence[Mapping[str, Row]], ids: Sequence[str]) -> list[Row]:
    """For each question, the row of the first run whose answer most runs give; runs that failed on it do not vote.

    It is the answer of `dspy.Ensemble(reduce_fn=dspy.majority)` over the programs, in the order of the runs.
    """
    return [_winner([run[each] for run in runs]) for each in ids]


def _winner(rows: Sequence[Row]) -> Row:
    voting = [row for row in rows if row["status"] != "error"]
    if not voting:
        return rows[0]
    answers = [dspy.Prediction(answer=str(row["answer"])) for row in voting]
    answer = dspy.majority(answers, field="answer").answer
    return next(row for row in voting if str(row["answer"]) == answer)
