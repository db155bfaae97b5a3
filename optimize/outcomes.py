"""The outcomes of variants on the dev split, and the gain of the best of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..base import InputError
from ..evaluation import Evaluation
from ..evaluation.comparison import Difference, compare
from ..evaluation.row import cause_of, failure_of
from ..evaluation.statistics import Mean, excludes_zero
from ..evaluation.summary import Interval, Summary, usd_a_question
from ..runtime import token_count
from .variants import ZERO_SHOT
from .work_folder import WorkFolder


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
    n: int = 0
    """The dev questions that were answered, which are those of both means."""

    @classmethod
    def of_run(cls, variant: str, summary: Summary, compile_calls: int) -> "Outcome":
        """The outcome of a variant whose run on the dev split is summarized."""
        metrics, cost = summary["metrics"], summary["cost"]
        f1, em = (
            Interval(mean=each["mean"], low=each["low"], high=each["high"]) for each in (metrics["f1"], metrics["em"])
        )
        calls, tokens = cost["calls"]["mean"], round(token_count(cost["tokens"]) / max(1, summary["n"]), 1)
        return cls(variant, f1, em, calls, tokens, compile_calls, usd_a_question(summary), metrics["f1"]["n"])


class Gain(NamedTuple):
    """The gain of the highest variant over zero-shot, and its price in tokens."""

    f1: Mean
    """The paired difference, question by question."""
    tokens: float
    """The tokens of the highest variant, as a multiple of those of zero-shot."""


@dataclass(frozen=True, slots=True)
class Study:
    """All variants compared, and the best of them in a file."""

    outcomes: list[Outcome]
    best: str
    """The variant that is saved: of those that the dev questions cannot tell from the highest F1, the one that takes
    the fewest tokens."""
    artefact: Path
    stopped: bool = False
    """True if the calls ran out before every variant was done."""
    calls: int = 0
    """LM calls that this invocation made."""
    calls_in_all: int = 0
    """LM calls of all invocations that went on with the same work."""
    skipped: list[str] = field(default_factory=list)
    """Variants that were not finished."""
    gain: Gain | None = None
    """The gain of the highest over zero-shot; None where that is the highest or was not scored."""
    highest: str = ""
    """The variant with the highest F1."""
    failed: dict[str, str] = field(default_factory=dict)
    """The reason for which a variant could not be compiled, by its name."""


def cheapest_of_the_best(
    outcomes: Sequence[Outcome], folder: Callable[[str], Path], near: float = 1.0
) -> tuple[Outcome, Outcome]:
    """The cheapest outcome that the questions cannot tell from the highest F1, and that with the highest F1.

    `folder` gives the run of each by its name; up to `near` times the fewest tokens are as cheap.
    """
    highest = max(outcomes, key=lambda outcome: (outcome.f1["mean"], -outcome.calls))  # of equals the fewest calls

    def is_alike(each: Outcome) -> bool:
        return not excludes_zero(f1_difference(folder(each.variant), folder(highest.variant)).change)

    alike = [each for each in outcomes if each is highest or is_alike(each)]
    fewest = min(each.tokens for each in alike)
    cheap = [each for each in alike if each.tokens <= near * fewest]
    return max(cheap, key=lambda outcome: (outcome.f1["mean"], -outcome.tokens)), highest


def program_to_take(runs: Mapping[str, Evaluation]) -> tuple[Outcome, Outcome] | None:
    """The program to keep, and that with the highest F1; up to a tenth more tokens are as good as none.

    None where nothing speaks for one: too few answers are known for an interval, or none is right.
    """
    f1 = [run.summary["metrics"].get("f1") for run in runs.values()]
    if not all(each and each["low"] is not None for each in f1) or not any(each and each["mean"] for each in f1):
        return None
    outcomes = [Outcome.of_run(name, run.summary, 0) for name, run in runs.items()]
    return cheapest_of_the_best(outcomes, lambda name: runs[name].folder, near=1.1)


def gain_of(best: Outcome, outcomes: Sequence[Outcome], work: WorkFolder) -> Gain | None:
    """The gain of an outcome over zero-shot; None where it is zero-shot, or that was not scored."""
    plain = next((each for each in outcomes if each.variant == ZERO_SHOT), None)
    if plain is None or plain is best:
        return None
    f1 = f1_difference(work.run(plain.variant), work.run(best.variant)).change
    return Gain(f1, best.tokens / max(plain.tokens, 1.0))


def f1_difference(one: Path, other: Path) -> Difference:
    """The paired difference in F1, the other run's less the one's."""
    return compare(one, other).metrics["f1"]


def why_left_out(error: Exception) -> str:
    """The reason for which a variant is left out: of ours all that it says, which may be what to do."""
    return str(error) if isinstance(error, InputError) else cause_of(failure_of(error))
