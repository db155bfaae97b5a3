"""Decisions as chat fine-tuning files: for each step, the very messages it is asked with, and its answer."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import dspy
import ujson

from ...runtime import Decision, Program
from ...runtime.lm_call.plain_texts import keeping_texts


def chat_rows(program: Program, decisions: Iterable[Decision]) -> dict[str, list[dict[str, Any]]]:
    """For each step, its decisions as conversations of system, user and assistant; no demonstrations.

    Rows are grouped by the step's name. The instructions and fields are those of the program that is to be driven by
    the fine-tuned model, so that it is asked exactly as it was trained.

    Examples:
        >>> from multihop import Direct
        >>> from multihop.optimize import chat_rows
        >>> from multihop.runtime import Decision
        >>> rows = chat_rows(Direct(), [Decision("answer", {"question": "Who?"}, {"answer": "Ada"})])
        >>> [message["role"] for message in rows["answer"][0]["messages"]]
        ['system', 'user', 'assistant']
    """
    adapter = keeping_texts(dspy.ChatAdapter())
    signatures = {name.partition(".")[0]: predictor.signature for name, predictor in program.named_predictors()}
    rows: dict[str, list[dict[str, Any]]] = {}
    for step, inputs, outputs in decisions:
        conversation = adapter.format_finetune_data(signatures[step], demos=[], inputs=inputs, outputs=outputs)
        rows.setdefault(step, []).append(conversation)
    return rows


def training_digest(model: str, rows: Iterable[dict[str, Any]], options: Mapping[str, Any]) -> str:
    """A digest of a training: of the model that it starts from, of the conversations and of the options.

    Examples:
        >>> from multihop.optimize.finetuning.chat_file import training_digest
        >>> training_digest("base", [], {}) == training_digest("base", [], {"seed": 1})
        False
    """
    asked = ujson.dumps([model, list(rows), dict(options)], sort_keys=True).encode()
    return blake2b(asked, digest_size=16).hexdigest()


def chat_lines(rows: Iterable[dict[str, Any]]) -> str:
    """The rows as JSON lines, as fine-tuning takes them."""
    return "".join(ujson.dumps(row, ensure_ascii=False, escape_forward_slashes=False) + "\n" for row in rows)
