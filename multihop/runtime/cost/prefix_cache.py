"""The tokens of a question's prompts that a prefix cache serves: as the LM reports them, else computed.

Computed is what an unlimited cache of the question's own prompts serves, in whole blocks. The messages before the last
one are known to it from the start: they are a step's instructions and demonstrations, which all questions send. What
the last messages of different questions have in common is next to nothing. So the figure of a question depends on its
calls alone: not on their order, nor on which questions came before it.
"""

from dataclasses import dataclass, field
from typing import Any

from .tokens import CHARACTERS, Tokens, text_of

BLOCK = 16
"""The tokens of a block, as servers have it."""
_LENGTH = BLOCK * CHARACTERS


@dataclass(slots=True, eq=False)
class PrefixCache:
    """A count of what a prefix cache serves, call by call.

    Examples:
        >>> from multihop.runtime import PrefixCache, Tokens
        >>> system, path = {"role": "system", "content": "Judge it. " * 64}, "Ada Lovelace was born in London."
        >>> cache = PrefixCache()
        >>> cache.add("m", [system, {"role": "user", "content": path * 10}], Tokens(240, 5))
        >>> cache.tokens  # the instructions
        160
        >>> cache.add("m", [system, {"role": "user", "content": path * 20}], Tokens(320, 5))
        >>> cache.tokens - 160, cache.estimated  # the instructions, and the path so far
        (240, 2)
        >>> cache.add("m", [system], Tokens(160, 5, prompt_cached=0))  # the LM says that it had nothing
        >>> cache.tokens, cache.estimated
        (400, 2)
    """

    estimated: int = 0
    """The calls for which it is computed."""
    _reported: int = 0
    _into: int = 0
    """The tokens of the prompts for which it is computed."""
    _characters: int = 0
    """Their characters."""
    _whole: int = 0
    """Their whole blocks."""
    _blocks: set[int] = field(default_factory=set)
    """The different ones of these that are not known from the start, each as a hash of all that it ends."""

    def add(self, model: str, prompt: Any, tokens: Tokens) -> None:
        """Count a call.

        Args:
            model: The LM's name: each has a cache of its own.
            prompt: The messages, or a text; None where nobody knows, which counts only what the LM reports.
            tokens: The tokens that the call took.
        """
        if tokens.prompt_cached is not None:
            self._reported += tokens.prompt_cached
            return
        text = text_of(prompt)
        if not text:
            return
        known = len(text_of(prompt[:-1])) if isinstance(prompt, list) else 0
        known -= known % _LENGTH
        above = hash((model, text[:known]))
        for start in range(known, len(text) - _LENGTH + 1, _LENGTH):
            above = hash((above, text[start : start + _LENGTH]))
            self._blocks.add(above)
        self.estimated += 1
        self._into += tokens.into
        self._characters += len(text)
        self._whole += len(text) // _LENGTH

    @property
    def tokens(self) -> int:
        """The tokens that were served."""
        if not self._characters:
            return self._reported
        share = _LENGTH * (self._whole - len(self._blocks)) / self._characters
        return self._reported + round(share * self._into)
