"""The parts of a model, and of a grammar, that an answer is made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int32]
Logits = NDArray[np.float32]


class Model(Protocol):
    """A model in memory, with its words and its chat template."""

    path: Path
    """The file or the folder it was opened from."""

    def render(self, messages: Sequence[Mapping[str, str]], **switches: Any) -> str:
        """The prompt of a conversation, up to where the answer begins."""

    def tokenize(self, text: str) -> Tokens:
        """The tokens of such a prompt."""

    def piece(self, token: int) -> bytes:
        """The bytes of one token; nothing for a special one."""

    def ends(self, token: int) -> bool:
        """True if the token ends an answer."""


class AnswerGrammar(Protocol):
    """The tokens that may come next in an answer that is held to a form."""

    reserve: int
    """Tokens that are needed to end the answer from here."""

    def allows(self, token: int) -> bool:
        """True if the token may come next."""

    def which(self, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The ones of these that may."""

    def mask(self, logits: Logits) -> Logits:
        """The logits, with what may not come ruled out."""

    def closing(self) -> int | None:
        """The token with which what is being written ends soonest; None if the model has none for it."""

    def accept(self, token: int) -> None:
        """Go on behind this token."""

    def close(self) -> None:
        """Give the memory back."""
