"""Decisions of a step as a chat fine-tuning file: the very messages it is asked with, and its answer."""

from collections.abc import Iterable
from typing import Any

import dspy
import ujson

from ...runtime import Decision, Program
from ...runtime.texts import keeping_texts


def chat_rows(program: Program, decisions: Iterable[Decision]) -> list[dict[str, Any]]:
    """Each decision as a conversation: the very messages its step is asked with, and the answer; no demonstrations.

    Examples:
        >>> from multihop.optimize import chat_rows
        >>> from multihop.programs import Direct
        >>> from multihop.runtime import Decision
        >>> (row,) = chat_rows(Direct(), [Decision("answer", {"question": "Who?"}, {"answer": "Ada"})])
        >>> [message["role"] for message in row["messages"]]
        ['system', 'user', 'assistant']
    """
    adapter = keeping_texts(dspy.ChatAdapter())
    signatures = {name.partition(".")[0]: predictor.signature for name, predictor in program.named_predictors()}
    return [
        adapter.format_finetune_data(signatures[step], demos=[], inputs=inputs, outputs=outputs)
        for step, inputs, outputs in decisions
    ]


def chat_lines(rows: Iterable[dict[str, Any]]) -> str:
    """The rows as JSON lines, as fine-tuning takes them."""
    return "".join(ujson.dumps(row, ensure_ascii=False, escape_forward_slashes=False) + "\n" for row in rows)
