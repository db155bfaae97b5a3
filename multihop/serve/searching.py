"""`POST /retrieve` on every server: Search-R1's and FlashRAG's protocol over any retriever."""

import asyncio
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pydantic import AliasChoices, BaseModel, Field, field_validator

from ..base.texts import as_json
from ..retrieval import Hit, Retriever, find, fingerprint
from .catalogue import IndexWatch
from .log import EventLog
from .refusal import Refusal, place_of

DEFAULT_K = 5
_FIRST_GUESS = 1000.0
"""Bytes of a hit as it is sent, as long as none was found."""
_AROUND = 120
"""Bytes of a hit that are none of its texts."""
_HITS_AT_ONCE = 2048
"""Hits that are searched for before the answer's size is looked at again."""
_PIECE = 1 << 16
"""Characters of an answer that are sent together."""


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """The limits of the searches by one retriever."""

    k: int = 1000
    """Hits for a query."""
    queries: int = 1024
    """Queries of one request."""
    waiting: int = 4096
    """Queries of all requests that are being searched for or wait for it; 503 with Retry-After above."""
    answer_bytes: int = 32 << 20
    """Bytes of an answer: queries times hits times the usual text; 413 above, before anything is searched for."""
    held_bytes: int = 128 << 20
    """Bytes of all answers until they are sent; 503 with Retry-After above."""
    seconds: float = 300.0
    """Seconds that searching may take; 504 above."""


class RetrieveRequest(BaseModel):
    """Some queries, and how many hits are wanted for each."""

    queries: list[str] = Field(
        validation_alias=AliasChoices("queries", "query"), min_length=1, description="What to search for."
    )
    topk: int | None = Field(
        default=None,
        validation_alias=AliasChoices("topk", "k"),
        ge=1,
        strict=True,
        description="Hits for each query; 5.",
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
        return self.topk or DEFAULT_K


class HeldBytes:
    """The bytes of all answers that are being made or sent, over all retrievers of a server."""

    def __init__(self) -> None:
        """None are."""
        self.held = 0


class Found:
    """The hits for the queries of one request, which count as held until they are released."""

    def __init__(self, asked: RetrieveRequest, holding: HeldBytes, expected: int) -> None:
        """Nothing was found yet."""
        self.rankings: list[Sequence[Hit]] = []
        self.bytes = 0
        """Bytes of what was found until now, as it is sent."""
        self._scores, self._holding, self._held = asked.return_scores, holding, 0
        self._hold(expected)

    def add(self, rankings: Sequence[Sequence[Hit]]) -> None:
        """Add the hits for further queries."""
        self.rankings += rankings
        self.bytes += sum(_AROUND + _length(hit) for hits in rankings for hit in hits)
        self._hold(max(self._held, self.bytes))

    def release(self) -> None:
        """The answer was sent, or is not wanted any more."""
        self._hold(0)

    def pieces(self) -> Iterator[str]:
        """The answer as JSON, in pieces."""
        piece = '{"result":['
        for number, hits in enumerate(self.rankings):
            piece += ",[" if number else "["
            for rank, hit in enumerate(hits):
                piece += ("," if rank else "") + as_json(_written(hit, self._scores), ascii_only=True)
                if len(piece) > _PIECE:
                    yield piece
                    piece = ""
            piece += "]"
        yield piece + "]}\n"

    def _hold(self, size: int) -> None:
        self._holding.held += size - self._held
        self._held = size


class PassageSearch:
    """Searches for what strangers ask, in one batch where they ask at the same time and the retriever takes batches."""

    def __init__(
        self,
        retriever: Retriever,
        limits: SearchLimits | None = None,
        *,
        log: EventLog | None = None,
        holding: HeldBytes | None = None,
    ) -> None:
        """Nobody has asked yet.

        Args:
            retriever: The retriever.
            limits: The limits of what is searched for.
            log: Told of searches that fail.
            holding: Counts the answers until they are sent; several searches may share it.
        """
        self.retriever, self.limits, self.log = retriever, limits or SearchLimits(), log or EventLog()
        self.waiting = 0
        """Queries that are being searched for or wait for it."""
        self._holding, self._usual_bytes = holding or HeldBytes(), _FIRST_GUESS

    async def search(self, asked: RetrieveRequest) -> Found:
        """The hits for the queries, to be released once they are sent.

        Raises:
            Refusal: Too much is asked, or the search failed.
        """
        limits, number = self.limits, len(asked.queries)
        if number > limits.queries:
            raise Refusal(413, f"{number} queries are too many at once; send at most {limits.queries}.")
        if asked.k > limits.k:
            raise Refusal(422, f"'topk' is at most {limits.k} here, not {asked.k}.")
        expected = round(number * asked.k * self._usual_bytes)
        if expected > limits.answer_bytes:
            raise self._too_long(asked, f"about {expected:,} bytes")
        if self.waiting + number > limits.waiting:
            raise Refusal(503, f"{self.waiting} queries wait already; ask again in a second.", Retry_After="1")
        if self._holding.held + expected > limits.held_bytes:
            raise Refusal(503, "other answers have not been sent yet; ask again in a second.", Retry_After="1")
        found = Found(asked, self._holding, expected)
        self.waiting += number
        try:
            async with asyncio.timeout(limits.seconds):
                await self._search(asked, found)
        except BaseException as error:
            found.release()
            if isinstance(error, TimeoutError):
                raise Refusal(504, f"the search took longer than {limits.seconds:g} s.") from None
            if isinstance(error, Refusal) or not isinstance(error, Exception):
                raise
            # whatever a retriever does wrong, nobody outside gets to see a traceback
            reason = " ".join(str(error).split())
            self.log.write("search failed", error=place_of(error), reason=f"{type(error).__name__}: {reason}")
            raise Refusal(500, "the search failed; the server's log says why.") from None
        finally:
            self.waiting -= number
        return found

    async def _search(self, asked: RetrieveRequest, found: Found) -> None:
        """Search for some queries after the other, so that an answer that gets too long is never found as a whole."""
        together, hits, retriever = max(1, _HITS_AT_ONCE // asked.k), 0, self.retriever  # which may be replaced
        for start in range(0, len(asked.queries), together):
            queries = asked.queries[start : start + together]
            rankings = await asyncio.gather(*[find(retriever, query, asked.k) for query in queries])
            found.add(rankings)
            hits += sum(map(len, rankings))
            if hits:
                self._usual_bytes = found.bytes / hits
            if found.bytes > self.limits.answer_bytes:
                raise self._too_long(asked, "longer")

    def _too_long(self, asked: RetrieveRequest, length: str) -> Refusal:
        return Refusal(
            413,
            f"an answer has at most {self.limits.answer_bytes:,} bytes, and {len(asked.queries)} queries with "
            f"{asked.k} hits each make it {length}; send fewer queries, or a smaller 'topk'.",
        )


@dataclass(frozen=True, kw_only=True)
class IndexLimits(SearchLimits):
    """The most that one server takes on; more is refused with a sentence that says what would be taken."""

    connections: int = 512
    """Clients at once: a further one takes the place of one that asks or takes nothing, or else gets 503."""
    body_bytes: int = 4 << 20
    """Bytes of a request's body; 413 above."""
    patience: float = 30.0
    """Seconds within which a request must be whole and a reply be taken, and, at the end, what is under way be done."""


class IndexService(PassageSearch):
    """Searches for what clients ask, until the server is about to end."""

    def __init__(self, retriever: Retriever, limits: IndexLimits | None = None, *, log: EventLog | None = None) -> None:
        """Nobody has asked yet."""
        super().__init__(retriever, limits := limits or IndexLimits(), log=log)
        self.limits: IndexLimits = limits
        self.draining = False
        """True once the server is about to end."""
        self._watch = IndexWatch()

    async def look(self) -> None:
        """Take over what others have changed in the index; searches under way end where they began."""
        self.retriever = await self._watch.latest(self.retriever, "index", self.log)

    def health(self) -> dict[str, Any]:
        """The passages that are searched, and how many queries wait.

        Raises:
            Refusal: The server is about to end.
        """
        if self.draining:
            raise Refusal(503, "this server is about to end.", Retry_After="1")
        size = {"passages": len(self.retriever)} if isinstance(self.retriever, Sized) else {}
        return {"status": "ok", **size, "fingerprint": fingerprint(self.retriever), "waiting": self.waiting}

    async def search(self, asked: RetrieveRequest) -> Found:
        """The hits for the queries, to be released once they are sent.

        Raises:
            Refusal: Too much is asked, the search failed, or the server is about to end.
        """
        if self.draining:
            raise Refusal(503, "this server is about to end; ask another.", Retry_After="1")
        return await super().search(asked)


def _length(hit: Hit) -> int:
    """The characters of a hit's texts, which are sent twice."""
    return 2 * (len(hit.passage.title) + len(hit.passage.text)) + len(hit.passage.id)


def _written(hit: Hit, scores: bool) -> dict[str, Any]:
    """A hit as it is sent: under "contents" the title in quotes on the first line, for those who read that."""
    passage = hit.passage
    document = {**passage._asdict(), "contents": f'"{passage.title}"\n{passage.text}'}
    return {"document": document, "score": float(hit.score)} if scores else document


def address_of(id_: str) -> str:
    """The passage's id where that is an address, as in some corpora; else one made of it.

    Examples:
        >>> from multihop.serve.searching import address_of
        >>> address_of("https://example.org/Po"), address_of("p 1")
        ('https://example.org/Po', 'passage:p%201')
    """
    return id_ if id_.startswith(("http://", "https://")) else f"passage:{quote(id_, safe='', errors='replace')}"
