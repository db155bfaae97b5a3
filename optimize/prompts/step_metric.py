"""Scores a step's answer against the right one, field by field, with an explanation that an optimizer can use."""

from typing import Any

from ...evaluation.metrics.answer import f1
from ...evaluation.metrics.metric import Score
from ...programs.shared.path import read_score

ACCEPT = 0.7
"""The score from which a step's answer may become a demonstration."""
_FREE = frozenset({"reasoning", "thought"})
"""Fields in which any wording will do."""


def step_metric(gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None) -> Score:
    """The mean over the output fields that the example gives: equality for verdicts, shared words for texts."""
    wanted = {name: value for name, value in gold.labels().items() if name not in _FREE}
    scores = {name: _field(name, value, pred) for name, value in wanted.items()}
    missed = [name for name, score in scores.items() if score < ACCEPT]
    wrong = [f"{name} is {pred.get(name)!r} and should be {wanted[name]!r}" for name in missed]
    mean = sum(scores.values()) / len(scores) if scores else 0.0
    return Score(score=mean, feedback="; ".join(wrong) or "everything is as it should be", accept=ACCEPT)


def _field(name: str, wanted: Any, pred: Any) -> float:
    if name != "score":
        return _agreement(wanted, pred.get(name))
    try:
        return 1 - abs(read_score(pred) - float(wanted) / 10)
    except ValueError:
        return 0.0


def _agreement(wanted: Any, said: Any) -> float:
    if said is None:
        return 0.0
    if isinstance(wanted, bool):
        return float(bool(said) == wanted)
    if isinstance(wanted, list):
        found = [max((_agreement(each, other) for other in said), default=0.0) for each in wanted]
        return sum(found) / len(found) if found else float(not said)
    if not str(wanted).strip():
        return float(not str(said).strip())
    return f1(str(said), str(wanted))
