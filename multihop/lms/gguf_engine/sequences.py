"""The sequences of a context: what each holds, which is free, and where a new prompt can begin."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..in_process.model import Tokens

WORTH_WAITING = 8
"""Tokens that must be shared with a prompt that is being computed, for another to wait for them."""


@dataclass(slots=True, eq=False)
class Sequence:
    """One row of the context's memory."""

    number: int
    """Its number in the context."""
    tokens: list[int] = field(default_factory=list)
    """The tokens that are computed and kept."""
    prompt: Tokens = field(default_factory=lambda: np.zeros(0, np.int32))
    """The tokens of the prompt that it is computing, or has computed last."""
    busy: bool = False
    """True while a call is answered in it."""
    used: int = 0
    """When it was used last, as a number that grows."""


class Start(NamedTuple):
    """The beginning of computing a prompt."""

    sequence: Sequence
    """The sequence that answers."""
    source: Sequence
    """The sequence that has the shared tokens; may be the same."""
    shared: int
    """The tokens that need not be computed again."""


class Sequences:
    """The sequences of one context; a prompt starts from the longest beginning that any of them has computed.

    Examples:
        >>> import numpy as np
        >>> from multihop.lms.gguf_engine.sequences import Sequences
        >>> sequences = Sequences(2)
        >>> first = sequences.begin(np.array([1, 2, 3, 4], np.int32))
        >>> first.sequence.tokens = [1, 2, 3, 4]
        >>> sequences.end(first.sequence)
        >>> second = sequences.begin(np.array([1, 2, 9], np.int32))
        >>> second.sequence.number, second.source.number, second.shared
        (1, 0, 2)
    """

    def __init__(self, count: int, *, block: int = 1) -> None:
        """All are empty and free.

        Args:
            count: How many there are.
            block: Tokens are shared in multiples of this number.
        """
        self._block = block
        self._all = [Sequence(number) for number in range(count)]
        self._clock = 0

    def begin(self, prompt: Tokens) -> Start | None:
        """A free sequence for a prompt, and what it can begin from; None where it is better to wait, or none is free.

        It is better to wait where a call that is computed now will soon have a longer beginning than any that is
        there: so of several calls that begin alike, one computes the beginning and the others share it.
        """
        free = [each for each in self._all if not each.busy]
        if not free:
            return None
        most = len(prompt) - 1  # the last token is always computed: the answer's first comes out of it
        shared = {each.number: min(_shared(each.tokens, prompt), most) for each in self._all}
        source = max(self._all, key=lambda each: (shared[each.number], not each.busy, -each.number))
        best = shared[source.number] // self._block * self._block
        coming = self._block * max(
            (min(_shared(each.prompt, prompt), most) // self._block for each in self._all if each.busy), default=0
        )
        if coming >= best + WORTH_WAITING:
            return None
        whole = not source.busy and best == len(source.tokens)  # nothing is lost by going on in the same sequence
        sequence = source if whole and best else min(free, key=lambda each: (best > 0 and each is source, each.used))
        sequence.busy, sequence.prompt = True, prompt
        self._touch(sequence)
        return Start(sequence, source if best else sequence, best)

    def end(self, sequence: Sequence) -> None:
        """The call is answered; what was computed is kept until the room is needed."""
        sequence.busy = False
        self._touch(sequence)

    def oldest_kept(self) -> Sequence | None:
        """The free sequence that was used longest ago among those that hold something; None if there is none."""
        kept = [each for each in self._all if not each.busy and each.tokens]
        return min(kept, key=lambda each: each.used, default=None)

    def _touch(self, sequence: Sequence) -> None:
        self._clock += 1
        sequence.used = self._clock


def _shared(tokens: "list[int] | Tokens", prompt: Tokens) -> int:
    """The length of the common beginning."""
    length = min(len(tokens), len(prompt))
    if not length or tokens[0] != prompt[0]:
        return 0
    same = np.asarray(tokens[:length], np.int32) == prompt[:length]
    return length if same.all() else int(same.argmin())
