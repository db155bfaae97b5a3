"""An answer in the shapes of OpenAI's chat: a completion, and the chunks of one."""

from typing import Any, cast

from ...runtime import StopStep, TrajectoryStep
from ...runtime.program.answer_record import AnswerRecord
from ..passage_address import address_of


def completion(id_: str, created: int, model: str, record: AnswerRecord) -> dict[str, Any]:
    """The answer as a whole; its citations are annotations, and the field `multihop` has what OpenAI's has not."""
    message = {"role": "assistant", "content": record["answer"], "refusal": None, "annotations": annotations(record)}
    return {
        "id": id_,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage(record),
        "multihop": all_but_steps(record),
    }


def chunk(id_: str, created: int, model: str, delta: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """One chunk; without a delta it has no choice, as the one that tells the usage."""
    finish = more.pop("finish_reason", None)
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {
        "id": id_,
        "object": "chat.completion.chunk",
        "created": created,
        "model": model,
        "choices": [] if delta is None else [choice],
        **more,
    }


def annotations(record: AnswerRecord) -> list[dict[str, Any]]:
    """The sentences that bear the answer, as OpenAI's citations of the whole of it, each with its `sentence`."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": 0,
                "end_index": len(record["answer"]),
                "title": each["title"] or each["passage"],
                "url": address_of(each["passage"]),
                "sentence": each["sentence"],
            },
        }
        for each in record["citations"]
    ]


def usage(record: AnswerRecord) -> dict[str, int]:
    """The tokens of all LM calls that the answer took."""
    spent = record["cost"]["tokens"].values()
    into, out = sum(each["in"] for each in spent), sum(each["out"] for each in spent)
    return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}


def all_but_steps(record: AnswerRecord) -> dict[str, Any]:
    """The fields of a record besides its answer, the steps left out."""
    names = {"program", "full_question", "passages", "evidence", "cost", "over_budget", "citations"}
    return {name: value for name, value in record.items() if name in names}


def step_in_words(step: TrajectoryStep) -> str:
    """A step in one line, for clients that show what a model thinks.

    Examples:
        >>> from multihop.serve.web.chat_shapes import step_in_words
        >>> step_in_words({"step": "find", "query": "Night Train", "k": 5, "hits": [{"title": "Jerzy Kowal"}]})
        'find: Night Train → Jerzy Kowal'
        >>> step_in_words({"step": "judge", "inputs": {}, "outputs": {"enough": False, "query": "Who?"}})
        'judge: enough False; query Who?'
        >>> step_in_words({"step": "stop", "outputs": {"rule": "nothing-new", "why": "All that was found was known."}})
        'ended early: All that was found was known.'
    """
    if "query" in step:
        titles = [hit["title"] or hit["id"] for hit in step.get("hits", ())]
        return f"{step['step']}: {_short(step['query'])} → {_short(' · '.join(titles) or 'nothing')}"
    if step["step"] == "stop":
        return f"ended early: {_short(cast(StopStep, step)['outputs']['why'])}"
    outputs: dict[str, Any] = cast(dict[str, Any], step).get("outputs") or {}
    said = [f"{name} {_short(value)}" for name, value in outputs.items() if value not in ("", None, [], {})]
    return f"{step['step']}: {'; '.join(said)}" if said else step["step"]


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else f"{text[:199]}…"
