"""The beginnings of prompts that were computed before, each with the network's memory of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..in_process.model import Tokens

Memory = list[tuple[Any, Any]]
"""For each layer, the keys and the values of every token."""


@dataclass(slots=True, eq=False)
class Kept:
    """A prompt that was computed."""

    tokens: Tokens
    memory: Memory
    used: int
    """When it was used last, as a number that grows."""


class Start(NamedTuple):
    """The place from which a prompt need be computed."""

    memory: Memory | None
    shared: int
    """The tokens before it."""


class Prefixes:
    """Computed prompts, up to so many tokens of all together; those go first that were used longest ago.

    Examples:
        >>> import numpy as np
        >>> from multihop.lms.transformers_engine.prefixes import Prefixes
        >>> prefixes = Prefixes(10)
        >>> prefixes.add(np.array([1, 2, 3], np.int32), [])
        >>> prefixes.find(np.array([1, 2, 9], np.int32)).shared
        2
    """

    def __init__(self, tokens: int) -> None:
        self.room = tokens
        """The most tokens that are kept."""
        self._all: list[Kept] = []
        self._clock = 0

    def find(self, prompt: Tokens) -> Start:
        """The longest beginning of the prompt that was computed; its last token is always computed anew."""
        best, shared = None, 0
        for kept in self._all:
            length = min(common_beginning(kept.tokens, prompt), len(prompt) - 1)
            if length > shared:
                best, shared = kept, length
        if best is None:
            return Start(None, 0)
        self._clock += 1
        best.used = self._clock
        return Start(best.memory, shared)

    def add(self, tokens: Tokens, memory: Memory) -> None:
        """Keep what was computed, in the place of what is a beginning of it."""
        if len(tokens) > self.room or any(common_beginning(each.tokens, tokens) == len(tokens) for each in self._all):
            return
        self._all = [each for each in self._all if common_beginning(each.tokens, tokens) < len(each.tokens)]
        self._clock += 1
        self._all.append(Kept(tokens, memory, self._clock))
        while sum(len(each.tokens) for each in self._all) > self.room:
            self._all.remove(min(self._all, key=lambda each: each.used))


def common_beginning(one: Tokens, other: Tokens) -> int:
    """The number of tokens with which both begin."""
    length = min(len(one), len(other))
    same = one[:length] == other[:length]
    return length if same.all() else int(np.argmin(same))
