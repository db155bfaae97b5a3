"""A JSON schema as a grammar: the tokens that may come next so that the answer fits it, and ends in time."""

from __future__ import annotations

import ctypes
import functools
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base import InputError
from ..in_process.model import Logits
from .model import ModelFile, llama

_ROW = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_CLOSING = ('"', "]", "}", ",")
"""The marks that end the part of a JSON text that is being written, in the order in which they are tried."""
CLOSING_TOKENS = 12
"""Tokens that it takes to end one field at most: its value, the next one's name, and the marks around them."""


@functools.lru_cache(maxsize=256)
def grammar_of(schema: str) -> str:
    """The grammar of a JSON schema, in llama.cpp's notation.

    Raises:
        InputError: The schema says what no grammar can.
    """
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        return str(json_schema_to_gbnf(schema))
    except (AssertionError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"this JSON schema cannot be made a grammar: {error}.") from None


JSON_OBJECT = json.dumps({"type": "object", "additionalProperties": True})


class Grammar:
    """The state of a grammar in one answer."""

    def __init__(self, model: ModelFile, schema: str) -> None:
        """At the beginning of the answer.

        Args:
            model: The model whose tokens are chosen.
            schema: The JSON schema.

        Raises:
            InputError: It cannot be made a grammar.
        """
        self._llama: Any = llama()
        self._model = model
        text = grammar_of(schema).encode()
        self._pointer = self._llama.llama_sampler_init_grammar(model.vocabulary, text, b"root")
        if not self._pointer:
            raise InputError("llama.cpp cannot read the grammar that was made of this JSON schema.")
        self._closing = [int(model.tokenize(mark)[0]) for mark in _CLOSING]
        self.reserve = CLOSING_TOKENS * (1 + schema.count('"type"'))
        """The tokens that are kept to end the answer."""

    def close(self) -> None:
        """Give the memory back."""
        if self._pointer:
            self._llama.llama_sampler_free(self._pointer)
            self._pointer = None

    def allows(self, token: int) -> bool:
        """True if the token may come next."""
        return bool(self._apply(np.array([(token, 0.0, 0.0)], _ROW))["logit"][0] > -np.inf)

    def which(self, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each of some tokens, true if it may come next."""
        rows = np.zeros(len(tokens), _ROW)
        rows["id"] = tokens
        allowed: NDArray[np.bool_] = np.isfinite(self._apply(rows)["logit"])
        return allowed

    def mask(self, logits: Logits) -> Logits:
        """The logits, with minus infinity for what may not come next."""
        rows = np.zeros(len(logits), _ROW)
        rows["id"], rows["logit"] = np.arange(len(logits)), logits
        return self._apply(rows)["logit"]

    def closing(self) -> int | None:
        """A token that ends what is being written; None where only the grammar itself can go on."""
        return next((token for token in self._closing if self.allows(token)), None)

    def accept(self, token: int) -> None:
        """The token was chosen."""
        self._llama.llama_sampler_accept(self._pointer, token)

    def _apply(self, rows: NDArray[Any]) -> NDArray[Any]:
        pointer = rows.ctypes.data_as(self._llama.llama_token_data_p)
        candidates = self._llama.llama_token_data_array(pointer, len(rows), -1, False)
        self._llama.llama_sampler_apply(self._pointer, ctypes.byref(candidates))
        return rows
