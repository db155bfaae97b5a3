"""A program's confidence fitted on dev questions, with its worth on questions that it was not fitted on.

A logistic regression of "right" on the signals of each answer (`multihop.runtime.grounds.signals`). Its weights are
held near those of the usual confidence (a ridge around `USUAL`), as firmly as makes answers that are left out
likeliest, so that few dev questions do. The worth is measured in folds that are all right as often: each answer has the
confidence that a fit on the other folds gives it.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base import InputError, MismatchError
from ..evaluation.journal.header import DataIdentity, program_identity
from ..evaluation.journal.journal import read_header
from ..evaluation.journal.row import Row
from ..evaluation.report.confidence import RIGHT, ConfidenceFigures, confidence_figures
from ..evaluation.runner import open_run
from ..runtime import Program
from ..runtime.grounds.confidence import USUAL, Calibration, Weight

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 30
"""Answers that a calibration takes at least."""
EACH = 5
"""Right answers among them at least, and wrong ones."""
GIVEN = 10
"""Answers given at least, so that a share of them that is right means something."""
FOLDS = 5
RIDGES = (3.0, 10.0, 30.0, 100.0, 1000.0)
"""Precisions with which weights may be expected around the usual ones, each signal scaled to its standard deviation."""
SEED = 0
_ROUNDS = 50
_OF_ANSWERS = ("grounds", "abstain_below", "calibration")
"""Settings that a program may have otherwise than the run that it is calibrated on."""
_SCALARS = ("ece", "brier", "auroc", "f1", "f1_at_80", "f1_at_50", "risk_coverage_area")


class Abstaining(NamedTuple):
    """The answers that are given where those of a lower confidence are withheld."""

    below: float
    """The confidence: the setting `abstain_below`."""
    answered: float
    """The share of the questions that is answered."""
    right: float
    """The share of the answers given that is right; 0 where none is given."""


@dataclass(frozen=True)
class FittedConfidence:
    """A calibration and its worth."""

    calibration: Calibration
    """The setting `calibration` of the program."""
    before: ConfidenceFigures
    """The worth of the confidence that the answers came with."""
    after: ConfidenceFigures
    """That of a fitted one, out of sample."""
    confidences: tuple[float, ...]
    """Each answer's confidence, out of sample."""
    right: tuple[bool, ...]
    """Whether each answer is right."""
    data: DataIdentity
    """The questions, as the run's header has them."""

    def abstaining(self, below: float) -> Abstaining:
        """The answers that are given with this setting of `abstain_below`."""
        given = [right for sure, right in zip(self.confidences, self.right, strict=True) if sure >= below]
        return Abstaining(below, len(given) / len(self.right), sum(given) / len(given) if given else 0.0)

    def least_for(self, right: float) -> float:
        """The lowest confidence at which the answers given, ten or more, are right with this share.

        Raises:
            InputError: There is none.
        """
        choices = [self.abstaining(below) for below in sorted(set(self.confidences))]
        choices = [each for each in choices if each.answered * len(self.right) >= GIVEN - 0.5]
        found = next((each.below for each in choices if each.right >= right), None)
        if found is None:
            most = max(each.right for each in choices)
            raise InputError(f"at no confidence are {right:.0%} of the answers right; the most is {most:.0%}.")
        return found

    def about(self) -> dict[str, Any]:
        """The facts that a saved program keeps: what it was fitted on, and its worth before and after."""
        return {
            "lm": self.calibration.lm,
            "questions": self.calibration.questions,
            "dev": self.data,
            "before": {name: self.before[name] for name in _SCALARS},  # type: ignore[literal-required]
            "after": {name: self.after[name] for name in _SCALARS},  # type: ignore[literal-required]
        }


def calibrate(run: str | os.PathLike[str], program: Program | None = None) -> FittedConfidence:
    """The confidence fitted on the answers of a run, of which one is right if its F1 is at least half.

    Nothing is asked: all that counts is in the run's rows. The run is best made with `grounds=True`, as are the answers
    that will be given with it.

    Args:
        run: A finished run over dev questions, or its folder.
        program: The program that is to be given the calibration, to make sure that the run is one of it.

    Raises:
        InputError: There are too few answers, all are right or all wrong, they have no signals, or some were withheld;
            or the run is of another program.

    Examples:
        >>> import dspy
        >>> from multihop import evaluate, scripted
        >>> from multihop.optimize import calibrate
        >>> from multihop.programs import Direct
        >>> program = Direct()
        >>> dev = [{"id": str(number), "question": "Who wrote it?", "answer": "Ada"} for number in range(40)]
        >>> answers = [{"answer": "Ada" if number % 3 else "nobody that I know"} for number in range(40)]
        >>> with dspy.context(lm=scripted(answers)):
        ...     fitted = calibrate(evaluate(program, dev, concurrency=1), program)
        >>> fitted.after["auroc"], fitted.abstaining(0.5)
        (1.0, Abstaining(below=0.5, answered=0.65, right=1.0))
        >>> program.calibration = fitted.calibration
    """
    opened = open_run(run)
    identity = read_header(opened.folder)["identity"]
    if program is not None:
        _check_same(program, identity["program"], opened.folder)
    lms = Counter(lm["model"] for lm in identity["lm"].values())
    return fit_rows(list(opened.rows()), lm=lms.most_common(1)[0][0] if lms else "", data=identity["data"])


def _check_same(program: Program, asked: Mapping[str, Any], folder: os.PathLike[str]) -> None:
    """Refuse the run of another program: one of another name, other settings, or other prompts."""
    own = program_identity(program)
    if own["name"] != asked["name"]:
        raise MismatchError(f"{os.fspath(folder)} is a run of {asked['name']}, not of {own['name']}.")
    names = [name for name in {**own["settings"], **asked["settings"]} if name not in _OF_ANSWERS]
    for name in names:
        here, there = own["settings"].get(name), asked["settings"].get(name)
        if here != there:
            raise MismatchError(f"{os.fspath(folder)} was made with {name} = {there}, and the program has {here}.")
    if own["prompts"] != asked["prompts"]:
        raise MismatchError(f"{os.fspath(folder)} was made with other prompts than the program has.")


def fit_rows(rows: Sequence[Row], *, lm: str, data: DataIdentity) -> FittedConfidence:
    """The confidence fitted on rows; see `calibrate`."""
    in_order = sorted(rows, key=lambda row: row["id"])  # rows come as they are finished, and folds depend on it
    answers = [row for row in in_order if row["status"] != "error" and row["metrics"].get("f1") is not None]
    f1 = [float(row["metrics"]["f1"] or 0.0) for row in answers]
    right = [score >= RIGHT for score in f1]
    _check(answers, sum(right))
    signals: list[Mapping[str, Any]] = [row["signals"] for row in answers]
    confidences = out_of_sample(signals, right)
    return FittedConfidence(
        fit(signals, right, lm=lm),
        confidence_figures([row["confidence"] for row in answers], right, f1),
        confidence_figures(confidences, right, f1),
        tuple(confidences),
        tuple(right),
        data,
    )


def _check(answers: Sequence[Row], right: int) -> None:
    """Refuse answers that nothing can be fitted on."""
    if withheld := sum("best_guess" in row for row in answers):
        raise InputError(f"{withheld:,} of the answers were withheld; calibrate on a run with abstain_below=0.")
    if any("signals" not in row or "confidence" not in row for row in answers):
        raise InputError("the answers have no signals: they are of an earlier version, or of no multihop program.")
    if len(answers) < FEWEST:
        raise InputError(f"a calibration takes {FEWEST} answers or more that have an F1; there are {len(answers)}.")
    for count, what in ((right, "right"), (len(answers) - right, "wrong")):
        if count < EACH:
            raise InputError(
                f"of {len(answers):,} answers {count} are {what}; a calibration takes {EACH} right and {EACH} wrong "
                "ones or more."
            )


def out_of_sample(
    signals: Sequence[Mapping[str, float]], right: Sequence[bool], *, usual: Calibration = USUAL, seed: int = SEED
) -> list[float]:
    """The confidence of each answer by a fit on the other folds, which are drawn by the seed."""
    confidences = [0.0] * len(right)
    for known, left_out in _folds(right, seed):
        fitted = fit([signals[number] for number in known], [right[number] for number in known], usual=usual)
        for number in left_out:
            confidences[number] = fitted.confidence(signals[number])  # type: ignore[arg-type]
    return confidences


def _folds(right: "Sequence[bool] | NDArray[np.float64]", seed: int = SEED) -> Iterator[tuple[list[int], list[int]]]:
    """The places of the other folds' answers, and those of a fold's own, fold by fold; all are right as often."""
    import numpy as np

    drawn = np.random.default_rng(seed).permutation(len(right))
    folds = np.empty(len(right), int)
    folds[drawn[np.argsort(np.asarray(right)[drawn], kind="stable")]] = np.arange(len(right)) % FOLDS
    for fold in range(FOLDS):
        yield np.flatnonzero(folds != fold).tolist(), np.flatnonzero(folds == fold).tolist()


def fit(
    signals: Sequence[Mapping[str, float]], right: Sequence[bool], *, lm: str = "", usual: Calibration = USUAL
) -> Calibration:
    """The likeliest calibration; a missing signal counts as its mean, and one that never varies is left out.

    Args:
        signals: The signals of each answer.
        right: Whether it is right.
        lm: The LM that answered.
        usual: The weights that are expected.
    """
    import numpy as np

    names = sorted({name for each in signals for name in each})
    table = np.array([[each.get(name, np.nan) for name in names] for each in signals], dtype=np.float64)
    means, scales = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    varying = np.flatnonzero(scales > 1e-9)
    scaled = np.nan_to_num((table[:, varying] - means[varying]) / scales[varying])
    slopes = [each.weight / each.scale if (each := usual.weights.get(name)) else 0.0 for name in names]
    expected = np.array(slopes)[varying] * scales[varying]
    *weights, bias = _fitted(scaled, np.asarray(right, dtype=np.float64), expected)
    kept = {
        names[at]: Weight(*(_short(each) for each in (weight, means[at], scales[at])))
        for at, weight in zip(varying, weights, strict=True)
    }
    return Calibration(kept, bias=_short(bias), lm=lm, questions=len(right))


def _fitted(
    table: "NDArray[np.float64]", right: "NDArray[np.float64]", expected: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """The weight of each column, and last the bias, held as firmly as makes answers that are left out likeliest."""
    import numpy as np

    def surprise(ridge: float) -> float:
        """The surprise of the answers that are left out."""
        total = 0.0
        for known, left_out in _folds(right):
            weights = _logistic(table[known], right[known], expected, ridge)
            odds = np.clip(table[left_out] @ weights[:-1] + weights[-1], -30, 30)
            total += float(np.logaddexp(0, np.where(right[left_out] > 0, -odds, odds)).sum())
        return total

    return _logistic(table, right, expected, min(RIDGES, key=surprise))


def _logistic(
    table: "NDArray[np.float64]", right: "NDArray[np.float64]", expected: "NDArray[np.float64]", ridge: float
) -> "NDArray[np.float64]":
    """The same with weights held so firmly, and the bias by nothing, by Newton's method."""
    import numpy as np

    columns = np.column_stack([table, np.ones(len(table))])
    held, around = np.diag([*[ridge] * table.shape[1], 1e-6]), np.append(expected, 0.0)
    weights = np.zeros(columns.shape[1])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        bend = (columns * (likely * (1 - likely))[:, None]).T @ columns + held
        step = np.linalg.solve(bend, columns.T @ (right - likely) - held @ (weights - around))
        weights = weights + step
        if abs(step).max() < 1e-9:
            break
    return weights


def _short(value: float) -> float:
    """The number in six digits, as a saved program has it."""
    return float(f"{value:.6g}")
