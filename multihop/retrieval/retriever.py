"""The protocol of every retriever: a batch of queries in, a ranking per query out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from typing_extensions import TypeAliasType  # with a name that signatures show

from ..base import InputError
from .passage import Hit, Passage


@runtime_checkable
class Retriever(Protocol):
    """Anything that searches; `as_retriever` makes one of what searches in another way.

    A retriever may also have a `fingerprint: str` that identifies its corpus and settings; runs and
    artefacts record it. One that waits for a network may have `async def asearch`, with the arguments of
    `search`; `find` then prefers it. One whose corpus others change may have `latest()`: itself, or another that
    searches the corpus as it is now, for which servers ask. It should define `__deepcopy__` to return itself, since
    optimizers copy programs.
    """

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        ...


class Searching(Protocol):
    """An object with a `search` of any kind: async or not, of one query or of several, with any kind of hits."""

    @property
    def search(self) -> Callable[..., Any]:
        """A function of a query, or of several, and mostly of the number of hits to return."""


class SearchingAsync(Protocol):
    """An object with an `asearch`, which is awaited."""

    @property
    def asearch(self) -> Callable[..., Any]:
        """A function of a query, or of several, and mostly of the number of hits to return."""
        ...


RetrieverLike = TypeAliasType("RetrieverLike", Retriever | Searching | SearchingAsync | Callable[..., Any])
"""Everything that `as_retriever` takes; what programs take."""


class Index(Retriever, Protocol):
    """A retriever that lives in a folder and gives its passages back."""

    @property
    def fingerprint(self) -> str:
        """Identifies the corpus and the settings."""
        ...

    def __len__(self) -> int:
        """The number of passages."""
        ...

    def __iter__(self) -> Iterator[Passage]:
        """The passages, in the order of the corpus."""
        ...


def check_search(queries: Sequence[str], k: int) -> None:
    """Refuse what no retriever can search for.

    Raises:
        InputError: The queries are one text, or `k` is below 1.
    """
    if isinstance(queries, str):
        raise InputError(f"search takes a list of queries, not one text; write search([{queries!r:.40}], k={k}).")
    if k < 1:
        raise InputError(f"k must be at least 1, not {k}.")


def fingerprint(retriever: Retriever) -> str:
    """The identity of a retriever in runs and artefacts: its own `fingerprint`, or the name of its class.

    Examples:
        >>> from multihop.retrieval import fingerprint
        >>> class Nothing:
        ...     def search(self, queries, k):
        ...         return [[] for _ in queries]
        >>> fingerprint(Nothing())
        'Nothing'
    """
    return str(getattr(retriever, "fingerprint", "") or type(retriever).__name__)
