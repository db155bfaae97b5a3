"""`POST /retrieve` on every server: Search-R1's and FlashRAG's protocol over any retriever."""

import asyncio
from collections.abc import Sequence, Sized
from typing import Any
from urllib.parse import quote

from pydantic import AliasChoices, BaseModel, Field, field_validator

from ..retrieval import Hit, Retriever, find, fingerprint
from .catalogue import newest_of
from .limits import Limits
from .log import EventLog
from .refusal import Refusal, place_of


class RetrieveRequest(BaseModel):
    """Some queries, and how many hits are wanted for each."""

    queries: list[str] = Field(
        validation_alias=AliasChoices("queries", "query"), min_length=1, description="What to search for."
    )
    topk: int | None = Field(
        default=None, validation_alias=AliasChoices("topk", "k"), ge=1, strict=True, description="Hits for a query; 5."
    )
    return_scores: bool = Field(
        default=False, strict=True, description="Whether hits are wanted with their scores, or the documents alone."
    )

    @field_validator("queries", mode="before")
    @classmethod
    def one_query_alone(cls, value: Any) -> Any:
        """A text is a list of one."""
        return [value] if isinstance(value, str) else value

    @property
    def k(self) -> int:
        """Hits for each query."""
        return self.topk or 5

    def answer(self, rankings: Sequence[Sequence[Hit]]) -> dict[str, Any]:
        """The hits as they are sent: under "contents" the title in quotes on the first line, for those who read it."""

        def written(hit: Hit) -> dict[str, Any]:
            passage = hit.passage
            document = {**passage._asdict(), "contents": f'"{passage.title}"\n{passage.text}'}
            return {"document": document, "score": float(hit.score)} if self.return_scores else document

        return {"result": [[written(hit) for hit in hits] for hits in rankings]}


class Searching:
    """Searches for what strangers ask, in one batch where they ask at the same time and the retriever takes batches."""

    def __init__(self, limits: Limits, log: EventLog) -> None:
        """Nobody has asked yet."""
        self.limits, self.log = limits, log
        self.waiting = 0
        """Queries that are being searched for or wait for it."""

    async def find(self, retriever: Retriever, asked: RetrieveRequest) -> list[list[Hit]]:
        """The hits for each query.

        Raises:
            Refusal: Too much is asked, or the search failed.
        """
        limits, number, k = self.limits, len(asked.queries), asked.k
        if number > limits.queries:
            raise Refusal(413, f"{number} queries are too many at once; send at most {limits.queries}.")
        if k > limits.k:
            raise Refusal(422, f"'topk' is at most {limits.k} here, not {k}.")
        if number * k > limits.hits:
            raise Refusal(413, f"{number} queries with {k} hits each are more than {limits.hits} hits; ask for fewer.")
        if self.waiting + number > limits.waiting:
            raise Refusal(503, f"{self.waiting} queries wait already; ask again in a second.", Retry_After="1")
        self.waiting += number
        try:
            async with asyncio.timeout(limits.seconds):
                return await asyncio.gather(*[find(retriever, query, k) for query in asked.queries])
        except TimeoutError:
            raise Refusal(504, f"the search took longer than {limits.seconds:g} s.") from None
        except Exception as error:  # whatever a retriever does wrong, no traceback gets outside
            reason = " ".join(str(error).split())
            self.log.write("search failed", error=place_of(error), reason=f"{type(error).__name__}: {reason}")
            raise Refusal(500, "the search failed; the server's log says why.") from None
        finally:
            self.waiting -= number


class IndexService:
    """Searches one retriever for clients."""

    def __init__(self, retriever: Retriever, limits: Limits | None = None, *, log: EventLog | None = None) -> None:
        """Nobody has asked yet."""
        self.retriever, self.limits, self.log = retriever, limits or Limits(body_bytes=4 << 20), log or EventLog()
        self._searching = Searching(self.limits, self.log)

    async def look(self) -> None:
        """Take over what others have changed in the index; searches under way end where they began."""
        self.retriever = await newest_of(self.retriever, "index", self.log)

    def health(self) -> dict[str, Any]:
        """The passages that are searched, and how many queries wait."""
        size = {"passages": len(self.retriever)} if isinstance(self.retriever, Sized) else {}
        known = fingerprint(self.retriever)
        return {"status": "ok", **size, "fingerprint": known, "waiting": self._searching.waiting}

    async def search(self, asked: RetrieveRequest) -> list[list[Hit]]:
        """The hits for each query.

        Raises:
            Refusal: Too much is asked, or the search failed.
        """
        return await self._searching.find(self.retriever, asked)


def address_of(id_: str) -> str:
    """The passage's id where that is an address, as in some corpora; else one made of it."""
    return id_ if id_.startswith(("http://", "https://")) else f"passage:{quote(id_, safe='', errors='replace')}"
