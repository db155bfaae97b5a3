"""One question answered and measured: a plain function of the program and the question, and the row it gives."""

import asyncio
from collections.abc import Collection, Iterable
from numbers import Real
from pathlib import Path
from sysconfig import get_path
from traceback import extract_tb
from typing import Any, Literal, NotRequired, cast

import dspy
from typing_extensions import TypedDict  # which pydantic can read a row as

from ..base.errors import hide_secrets
from ..base.files import MOST
from ..base.texts import in_short, plain_value
from ..data import Question
from ..retrieval import Passage
from ..runtime import Cost, CostRecord, TrajectoryStep, searches
from .metrics import Metric, Unmeasured
from .metrics.answer import answer_of
from .metrics.passages import match_gold

Status = Literal["ok", "over_budget", "error"]
"""Answered, answered when the budget ran out, or failed."""
ROW_COSTS = ("calls", "cached", "estimated", "retrievals", "parse_failures", "chain", "seconds")
"""Numbers that the cost of every row has."""
LIBRARIES = (get_path("stdlib"), get_path("purelib"), str(Path(__file__).parents[1]))
"""The folders of code that is not a program's own."""
LONGEST = 300
"""Characters of a failure that are told in one line."""


class Failure(TypedDict):
    """The failure by which a question has no answer, or an answer no number."""

    type: str
    """The error's name, such as "TimeoutError"."""
    message: str
    """The error's message; the first 2,000 characters."""


class Returned(TypedDict):
    """A program's result, with all that a metric needs to be measured again."""

    passages: list[dict[str, str]]
    """The passages, best first, each with its "id", "title" and "text"."""
    fields: dict[str, Any]
    """All further fields of the prediction that no other field of the row has, as plain values."""


class Row(TypedDict):
    """One finished question: a line of questions.jsonl.

    A question that failed and was asked again has several rows; the last one counts.
    """

    id: str
    """The question's id in its set."""
    question: str
    """The question."""
    type: str
    """The question's type in its set, such as "bridge"; may be empty."""
    hops: int
    """The question's number of hops; 0 where unknown."""
    answers: list[str]
    """The accepted answers; empty where none is known."""
    answerable: NotRequired[bool]
    """False where the question cannot be answered, and a refusal is the right answer; else missing."""
    supporting: list[str]
    """The ids of the gold passages; empty where none is known."""
    status: Status
    """"ok", "over_budget" (answered with what was found until then) or "error"."""
    error: Failure | None
    """The failure, where there is no answer; None where there is one."""
    answer: str | None
    """The program's answer; None in an error."""
    matched_by: NotRequired[str]
    """The way in which gold passages were recognised: "id", "text" or "title", else why not; missing in an error."""
    metrics: dict[str, float | None]
    """Each metric's number by its name, None where it does not apply or failed; empty in an error."""
    unmeasured: NotRequired[dict[str, Failure]]
    """The failures of metrics on this answer, by the metric's name."""
    returned: NotRequired[Returned]
    """The program's result, in full; only where a metric failed, which the same command then measures again."""
    passages: list[tuple[str, float | None]]
    """The passages returned, best first: pairs of id and the best score that a retrieval gave it, None without one."""
    evidence: list[Any]
    """The support that the program gives for its answer: conclusions ("analysis") with the ids of their passages, or
    the sub-questions of a searched path (see `PathStepRecord`)."""
    trajectory: list[TrajectoryStep]
    """Every step taken."""
    cost: CostRecord
    """The cost of the question."""
    counts: NotRequired[dict[str, int | float]]
    """The method's own counters, such as "rounds", by name; missing in an error."""
    run_seconds: float
    """Seconds that the run had been at work when this question was finished, in all calls of the command."""


_KEPT = frozenset(
    {"answer", "passages", "evidence", "trajectory", "cost", "counts", "over_budget", "retrieves", "reads"}
)
"""The fields of a prediction that a row has under the same name, or that are known without it."""


async def answer_question(
    program: Any,
    question: Question,
    metrics: Iterable[Metric],
    *,
    timeout: float | None = None,
    earlier: Row | None = None,
) -> Row:
    """The journal's row for one question; a failure is told in it, one of a metric beside the answer."""
    if earlier is not None:
        return await _measure_again(earlier, program, question, metrics, timeout)
    row = _begun(question)  # what is missing is filled in below, whether it goes well or not
    prediction = None
    try:
        async with asyncio.timeout(timeout):
            prediction = await program.acall(question=question.question)
        row |= {"status": "over_budget" if prediction.over_budget else "ok", "error": None}
        prediction.retrieves, prediction.reads = _retrieves(program), getattr(program, "reads", True)
        row["answer"], row["matched_by"] = answer_of(prediction), match_gold(question, prediction).by
        row["metrics"] = {}  # measured last, in its place in the row
        row |= {"passages": _ranking(prediction), "evidence": prediction.evidence}
        counts = prediction.get("counts", {})
        if "rounds" in counts and row["matched_by"] == "id":
            counts = {**counts, "over_planning": over_planning(prediction.trajectory, question.supporting)}
        row |= {"trajectory": prediction.trajectory, "cost": prediction.cost, "counts": counts}
    except Exception as error:
        row |= failed_row(question, error)
        paid_for = error if prediction is None else prediction  # what it returned may be no answer
        row |= {"trajectory": getattr(paid_for, "trajectory", []), "cost": getattr(paid_for, "cost", row["cost"])}
        return row
    await _measure(row, question, prediction, metrics, timeout)
    return row


async def _measure_again(
    row: Row, program: Any, question: Question, metrics: Iterable[Metric], timeout: float | None
) -> Row:
    returned, failed = row["returned"], row["unmeasured"]
    kept = {name: value for name, value in row.items() if name in _KEPT}
    passages = [Passage(**passage) for passage in returned["passages"]]
    prediction = dspy.Prediction(**returned["fields"], **{**kept, "passages": passages})
    prediction.over_budget = row["status"] == "over_budget"
    prediction.retrieves, prediction.reads = _retrieves(program), getattr(program, "reads", True)
    again = cast(Row, {name: value for name, value in row.items() if name not in ("unmeasured", "returned")})
    again["metrics"] = dict(row["metrics"])
    await _measure(again, question, prediction, [metric for metric in metrics if metric.name in failed], timeout)
    return again


async def _measure(
    row: Row, question: Question, prediction: dspy.Prediction, metrics: Iterable[Metric], timeout: float | None
) -> None:
    """Write each metric's number into the row, None where it does not apply or failed, and why it failed."""
    failed: dict[str, Failure] = {}
    for metric in metrics:
        row["metrics"][metric.name] = None
        try:
            async with asyncio.timeout(timeout):
                row["metrics"][metric.name] = _checked(metric, await metric.ameasure(question, prediction))
        except Exception as error:
            failed[metric.name] = failure_of(error)
    if failed:
        passages = [each._asdict() for each in prediction.passages]
        fields = {name: plain_value(value) for name, value in prediction.items() if name not in _KEPT}
        row |= {"unmeasured": failed, "returned": {"passages": passages, "fields": fields}}


def _checked(metric: Metric, value: Any) -> float | None:
    """The number, if it is one that can be added up."""
    if value is None:
        return None
    if not isinstance(value, Real) or not abs(float(value)) < MOST:
        raise Unmeasured(f"{metric.name} gave {value!r:.60}, which is no number below 10^12.")
    return float(value)


def _retrieves(program: Any) -> bool:
    return program.retriever is not None and bool(program.retrieves)


def failed_row(question: Question, error: Exception) -> Row:
    """The row of a question that has no answer, and cost nothing that is known of."""
    row = _begun(question)
    row |= {"status": "error", "error": failure_of(error)}
    row |= {"answer": None, "metrics": {}, "passages": [], "evidence": []}
    row |= {"trajectory": [], "cost": Cost().to_dict()}
    return row


def _begun(question: Question) -> Row:
    inputs = {
        "id": question.id,
        "question": question.question,
        "type": question.type,
        "hops": question.hops,
        "answers": list(question.answers),
        "supporting": list(question.supporting),
    }
    if not question.answerable:
        inputs["answerable"] = False
    return cast(Row, inputs)


def over_planning(trajectory: Iterable[TrajectoryStep], supporting: Collection[str]) -> int:
    """The retrievals made after all gold passages had been found."""
    missing, after = set(supporting), 0
    for step in trajectory:
        if "query" in step:
            after += not missing
            missing -= {hit["id"] for hit in step.get("hits", ())}
    return after


def _ranking(prediction: dspy.Prediction) -> list[tuple[str, float | None]]:
    """The passages' ids, best first, each with the best score that a retrieval gave it."""
    scores: dict[str, float] = {}
    for step in searches(prediction.trajectory):
        for hit in step.get("hits", ()):
            scores[hit["id"]] = max(hit["score"], scores.get(hit["id"], hit["score"]))
    return [(passage.id, scores.get(passage.id)) for passage in prediction.passages]


def failure_of(error: Exception) -> Failure:
    """The error as a row has it; one of a program's own code is told with its place."""
    message = str(error)
    if isinstance(error, AttributeError | NameError | TypeError):
        frames = [each for each in extract_tb(error.__traceback__) if not each.filename.startswith(LIBRARIES)]
        message += "".join(f" ({Path(each.filename).name}, line {each.lineno})" for each in frames[-1:])
    return {"type": type(error).__name__, "message": hide_secrets(message)[:2000]}


def cause_of(failure: Failure) -> str:
    """The failure in one line."""
    lines = failure["message"].strip().splitlines()
    if not lines:
        return failure["type"]
    line = in_short(lines[0], LONGEST)
    return line if failure["type"] == "Unmeasured" else f"{failure['type']}: {line}"  # its message says it all
