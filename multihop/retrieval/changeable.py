"""The base class of what passages are added to and removed from."""

from collections.abc import Iterable, Sequence

from .living.corpus import check_passages
from .passage import Passage


class Changeable:
    """A corpus that changes: passages are added, removed and replaced."""

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages, after those that are there.

        Raises:
            InputError: Something is no passage, or an id is given twice or is in the index already; nothing is added.

        Examples:
            >>> from multihop.retrieval import BM25, Passage
            >>> retriever = BM25.build([Passage("p1", "Po", "A river of Italy.")])
            >>> retriever.add([Passage("p2", "Etna", "A volcano of Italy.")])
            >>> [hit.passage.id for hit in retriever.search(["volcanoes in Italy"], k=5)[0]]
            ['p2', 'p1']
        """
        self._change([], check_passages(passages))

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the passages with these ids.

        Raises:
            InputError: One is not in the index, or given twice, or none would be left; nothing is removed.

        Examples:
            >>> from multihop.retrieval import BM25, Passage
            >>> retriever = BM25.build([Passage("p1", "Po", "A river."), Passage("p2", "Inn", "A river.")])
            >>> retriever.remove(["p1"])
            >>> [hit.passage.id for hit in retriever.search(["rivers"], k=5)[0]]
            ['p2']
        """
        self._change(ids, [])

    def update(self, passages: Iterable[Passage]) -> None:
        """Put passages in the place of those with the same ids; they stand last, as if they were new.

        Raises:
            InputError: Something is no passage, or an id is given twice or is not in the index; nothing is changed.

        Examples:
            >>> from multihop.retrieval import BM25, Passage
            >>> retriever = BM25.build([Passage("p1", "Po", "A river.")])
            >>> retriever.update([Passage("p1", "Po", "The longest river of Italy.")])
            >>> retriever.search(["Italy"], k=1)[0][0].passage.text
            'The longest river of Italy.'
        """
        listed = check_passages(passages)
        self._change([passage.id for passage in listed], listed)

    def exchange(self, ids: Iterable[str], passages: Iterable[Passage]) -> None:
        """Remove the passages with these ids and add others, in one step.

        Raises:
            InputError: As for `remove` and `add`; nothing is changed.
        """
        self._change(ids, check_passages(passages))

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids.

        Examples:
            >>> from multihop.retrieval import BM25, Passage
            >>> BM25.build([Passage("p1", "Po", "A river.")]).get(["p1", "p2"])
            {'p1': Passage(id='p1', title='Po', text='A river.')}
        """
        raise NotImplementedError

    def count(self) -> int:
        """The number of passages."""
        raise NotImplementedError

    def compact(self) -> None:
        """Make searches as fast as in an index built anew; they find the same."""
        raise NotImplementedError

    def reload(self) -> bool:
        """Take over what others have changed; returns True if they had."""
        raise NotImplementedError

    def wait(self) -> None:
        """Wait until what goes on in the background, if there is something, is done."""

    def _change(self, ids: Iterable[str], added: list[Passage]) -> None:
        """Remove and add in one step."""
        raise NotImplementedError
