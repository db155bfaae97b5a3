"""What every index of ours can do beside searching: give its passages back, and not be copied."""

from collections.abc import Iterator
from typing import Any, Self

from .corpus_check import Passages
from .passage import Passage


class CorpusIndex:
    """An index over passages that it holds or reads from its folder."""

    _passages: Passages

    def __iter__(self) -> Iterator[Passage]:
        """The passages, in the order of the corpus."""
        return (self._passages[position] for position in range(len(self)))

    def __len__(self) -> int:
        """How many passages there are."""
        return len(self._passages)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: optimizers copy programs, and an index must not be copied with them."""
        return self
