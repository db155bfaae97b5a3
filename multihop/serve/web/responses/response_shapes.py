"""An answer in the shapes of OpenAI's responses: the steps are a reasoning item, the answer is a message."""

from collections.abc import Sequence
from typing import Any

from ....runtime.program.answer_record import AnswerRecord
from ...refusal import Refusal
from ..chat_shapes import all_but_steps, cited_pages, step_in_words, usage
from .response_body import ResponseBody


class ResponseShapes:
    """The shapes of one response, from its beginning to its end."""

    def __init__(self, id_: str, created: int, model: str, body: ResponseBody) -> None:
        """Nothing was answered yet.

        Args:
            id_: What the ids of the response and its items have in common.
            created: The time, in seconds since 1970.
            model: The program's name.
            body: The request.
        """
        self.id, self._id, self._created, self._model, self._body = f"resp_{id_}", id_, created, model, body

    def response(self, status: str, output: Sequence[dict[str, Any]] = (), **more: Any) -> dict[str, Any]:
        """The response; what more is known of it takes the place of what stands there by default."""
        body = self._body
        return {
            "id": self.id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "instructions": body.instructions,
            "max_output_tokens": None,
            "metadata": body.metadata or {},
            "model": self._model,
            "output": list(output),
            "parallel_tool_calls": False,
            "previous_response_id": body.previous_response_id,
            "reasoning": {"effort": None, "summary": None},
            "store": body.store is not False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            **more,
        }

    def completed(self, record: AnswerRecord, steps: Sequence[str] | None = None) -> dict[str, Any]:
        """The response with the answer; the field `multihop` has what OpenAI's has not.

        Args:
            record: The answer.
            steps: The steps in words, as they were streamed; by default those of the record.
        """
        told = list(map(step_in_words, record["trajectory"])) if steps is None else steps
        output = [*([self.reasoning(told, "completed")] if told else []), self.message("completed", record)]
        spent = usage(record)
        tokens = {
            "input_tokens": spent["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": spent["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": spent["total_tokens"],
        }
        return self.response("completed", output, usage=tokens, multihop=all_but_steps(record))

    def failed(self, refusal: Refusal) -> dict[str, Any]:
        """The response without an answer."""
        codes = {429: "rate_limit_exceeded"}
        code = codes.get(refusal.status, "server_error" if refusal.status >= 500 else "invalid_prompt")
        return self.response("failed", error={"code": code, "message": refusal.sentence})

    def reasoning(self, steps: Sequence[str], status: str) -> dict[str, Any]:
        """The item with the steps."""
        summary = [summary_part("\n".join(steps))] if steps else []
        return {"id": f"rs_{self._id}", "type": "reasoning", "status": status, "summary": summary}

    def message(self, status: str, record: AnswerRecord | None = None) -> dict[str, Any]:
        """The item with the answer, once there is one."""
        content = [text_part(record)] if record is not None else []
        return {"id": f"msg_{self._id}", "type": "message", "status": status, "role": "assistant", "content": content}


def summary_part(text: str) -> dict[str, Any]:
    """The text of a reasoning item."""
    return {"type": "summary_text", "text": text}


def text_part(record: AnswerRecord | None = None) -> dict[str, Any]:
    """The text of a message with its citations; without a record, an empty one."""
    cited = [] if record is None else [{"type": "url_citation", **each} for each in cited_pages(record)]
    return {"type": "output_text", "text": record["answer"] if record else "", "annotations": cited, "logprobs": []}
