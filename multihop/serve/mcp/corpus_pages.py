"""The corpus as research clients read it: passages found by a query, and each given by its id."""

import asyncio
from collections import OrderedDict
from typing import Any

from ...retrieval import Passage
from ..catalogue import Served
from ..refusal import Refusal
from ..searching import RetrieveRequest
from ..service import Service

FOUND = 10
"""Passages that a search finds at most."""
_REMEMBERED = 10_000


class CorpusPages:
    """The passages that the first program searches, of those that search any.

    Examples:
        >>> import asyncio
        >>> from multihop import BM25, OneStep, Passage, lexical
        >>> from multihop.serve.catalogue import Catalogue, ProgramSource, Served
        >>> from multihop.serve.mcp.corpus_pages import CorpusPages
        >>> from multihop.serve.service import Service
        >>> corpus = BM25.build([Passage("p1", "Po", "A river of Italy.")])
        >>> served = Served(name="one-step", program=OneStep(corpus), lm=lexical())
        >>> async def main():
        ...     pages = CorpusPages(Service(Catalogue([ProgramSource("one-step", lambda: served)])))
        ...     (found,) = await pages.search("rivers")
        ...     return await pages.fetch(found.id)
        >>> asyncio.run(main())
        Passage(id='p1', title='Po', text='A river of Italy.')
    """

    def __init__(self, service: Service) -> None:
        """Nothing was found yet."""
        self._service = service
        self._seen: OrderedDict[str, Passage] = OrderedDict()

    async def search(self, query: str) -> list[Passage]:
        """The passages for a query, best first.

        Raises:
            Refusal: No program searches anything, or the search failed.
        """
        served = self._served()
        found = await self._service.retrieve(served, RetrieveRequest([query], FOUND, scores=True))
        found.release()
        (hits,) = found.rankings
        passages = [hit.passage for hit in hits]
        if _getter_of(served.program.retriever) is None:
            self._remember(passages)
        return passages

    async def fetch(self, id_: str) -> Passage:
        """The passage with this id: of the index itself; of a retriever that cannot tell, one that was found lately.

        Raises:
            Refusal: There is none, or no program searches anything.
        """
        get = _getter_of(self._served().program.retriever)
        found = self._seen if get is None else await asyncio.to_thread(get, [id_])
        if id_ not in found:
            advice = "search for it again" if get is None else "`search` gives the ids there are"
            raise Refusal(404, f"there is no passage with the id '{id_:.80}'; {advice}.")
        return found[id_]

    def _served(self) -> Served:
        for served in self._service.catalogue:
            if served.program.retriever is not None:
                return served
        raise Refusal(404, "no program here searches anything.")

    def _remember(self, passages: list[Passage]) -> None:
        for passage in passages:
            self._seen[passage.id] = passage
            self._seen.move_to_end(passage.id)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)


def _getter_of(retriever: Any) -> Any:
    """The function that gives passages by their ids, of the retriever or of the one that it orders anew; else None."""
    while retriever is not None and not hasattr(retriever, "get"):
        retriever = getattr(retriever, "retriever", None)
    return None if retriever is None else retriever.get
