"""The passages that were removed from a part of a corpus."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Gone(NamedTuple):
    """The passages that were removed from a part, and the terms that they held where words are indexed."""

    places: "NDArray[np.int32]"
    """Their places in the part, in ascending order."""
    terms: "NDArray[np.int32]"
    """The distinct terms that they held, in ascending order."""
    counts: "NDArray[np.int32]"
    """The number of them that held each."""

    @classmethod
    def nothing(cls) -> "Gone":
        """Nothing was removed."""
        import numpy as np

        return cls(*(np.zeros(0, np.int32) for _ in cls._fields))

    def holding(self, term: int) -> int:
        """The number of removed passages that held a term."""
        at = int(self.terms.searchsorted(term))
        return int(self.counts[at]) if at < len(self.terms) and self.terms[at] == term else 0
