"""Questions answered for clients: admitted, limited in time, counted, logged, and cancelled when nobody waits."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import uuid4

import dspy

from ..programs import FollowUp, Turn
from ..runtime import Program, Scope, TrajectoryStep, caching, check_question, steps_beside, token_count
from ..runtime.program.answer_record import AnswerRecord, to_answer_record
from .admission import Admission, Place
from .answer_tokens import AnswerToken, with_tokens
from .catalogue import Catalogue, Served
from .log import EventLog
from .metrics import Metrics
from .refusal import Refusal, as_refusal, place_of
from .searching import Found, HeldBytes, PassageSearch, RetrieveRequest, SearchLimits


@dataclass(frozen=True, kw_only=True)
class ServiceLimits:
    """The limits of one server."""

    in_flight: int = 64
    """Questions that are answered at once."""
    queued: int = 256
    """Questions that wait; 429 with Retry-After above."""
    seconds: float = 300.0
    """Seconds that answering a question, or searching, may take, waiting not included; 504 above."""
    body_bytes: int = 1 << 20
    """Bytes of a request's body; 413 above."""
    patience: float = 30.0
    """Seconds within which a request must be whole and a reply be taken, and, at the end, what is under way be done."""
    connections: int = 4096
    """Clients at once: a further one takes the place of one that asks or takes nothing, or else gets 503."""


class Answered(NamedTuple):
    """The end of a question."""

    record: AnswerRecord
    """The record that `multihop ask --json` prints."""


class Service:
    """Answers questions with the programs of a catalogue.

    Examples:
        >>> import asyncio
        >>> from multihop import Direct, scripted
        >>> from multihop.serve.catalogue import Catalogue, Served, ProgramSource
        >>> from multihop.serve.service import Service
        >>> served = Served(name="direct", program=Direct(), lm=scripted([{"answer": "Po"}]))
        >>> service = Service(Catalogue([ProgramSource("direct", lambda: served)]))
        >>> asyncio.run(service.ask(served, "Which river?")).record["answer"]
        'Po'
    """

    def __init__(
        self,
        catalogue: Catalogue,
        limits: ServiceLimits | None = None,
        *,
        cache: Scope | None = None,
        log: EventLog | None = None,
    ) -> None:
        """A service that is ready.

        Args:
            catalogue: The programs.
            limits: The limits of the server.
            cache: The kept answers of LMs that are used; None leaves it to the LM.
            log: The log in which every question leaves a line.
        """
        self.catalogue, self.limits = catalogue, limits or ServiceLimits()
        self.log = log or EventLog()
        self.admission = Admission(in_flight=self.limits.in_flight, queued=self.limits.queued)
        self.metrics = Metrics(self.admission)
        self._cache = cache
        self._searches: dict[int, PassageSearch] = {}
        self._holding = HeldBytes()
        self.draining = False
        """True once the server is about to end."""

    async def ask(self, served: Served, question: str, *, earlier: Sequence[Turn] = ()) -> Answered:
        """The answer.

        Args:
            served: The program.
            question: The question.
            earlier: The turns of the conversation before it, the latest last.

        Raises:
            Refusal: There is none; its status says whose fault that is.
        """
        async with self._asking(served, question) as asked:
            return await asked.answer(await self._within(served, earlier).acall(question=question))

    def stream(
        self,
        served: Served,
        question: str,
        *,
        earlier: Sequence[Turn] = (),
        tokens: bool = True,
        place: Place | None = None,
    ) -> AsyncGenerator[TrajectoryStep | AnswerToken | Answered, None]:
        """Every step as it is finished, the tokens of answers as they come, and the answer last.

        Who leaves early cancels the question's calls.

        Args:
            served: The program.
            question: The question.
            earlier: The turns of the conversation before it, the latest last.
            tokens: True if tokens are wanted too.
            place: The place that `place` gave; by default one is asked for when the first item is.
        """
        return steps_beside(self._tokens(served, question, earlier, tokens, place))

    async def _tokens(
        self, served: Served, question: str, earlier: Sequence[Turn], tokens: bool, place: Place | None
    ) -> AsyncGenerator[AnswerToken | Answered, None]:
        async with self._asking(served, question, place) as asked:
            within = self._within(served, earlier)
            if not tokens:
                yield await asked.answer(await within.acall(question=question))
                return
            async with aclosing(with_tokens(served.program, question, within=within)) as items:
                async for item in items:
                    yield await asked.answer(item) if isinstance(item, dspy.Prediction) else item

    def _within(self, served: Served, earlier: Sequence[Turn]) -> Program:
        """The program, in the conversation if there is one."""
        return FollowUp(served.program, earlier) if earlier else served.program

    def place(self, question: str) -> Place:
        """A place for the question, taken at once; whoever asked for it leaves it where the question is not asked.

        Raises:
            Refusal: It cannot be asked, or not now.
        """
        self._check_open()
        try:
            check_question(question)
        except Exception as error:
            raise as_refusal(error) from None
        return self.admission.place()

    async def retrieve(self, served: Served, asked: RetrieveRequest) -> Found:
        """The hits for some queries, to be released once they are sent.

        A request is let in as a question is, and has as long.

        Raises:
            Refusal: The program searches nothing, too much is asked, or the search failed.
        """
        self._check_open()
        search = self._search_of(served)
        async with self.admission.place().slot():
            return await search.search(asked)

    async def look(self) -> None:
        """Take over what has changed in the files of saved programs and in the indexes."""
        await self.catalogue.reload(self.log, self.metrics)

    def _search_of(self, served: Served) -> PassageSearch:
        retriever = served.program.retriever
        if retriever is None:
            raise Refusal(404, f"the program '{served.name}' searches nothing.")
        known = {id(each.program.retriever) for each in self.catalogue}
        self._searches = {key: search for key, search in self._searches.items() if key in known}
        if id(retriever) not in self._searches:
            limits = SearchLimits(seconds=self.limits.seconds)
            self._searches[id(retriever)] = PassageSearch(retriever, limits, log=self.log, holding=self._holding)
        return self._searches[id(retriever)]

    def _check_open(self) -> None:
        if self.draining:
            raise Refusal(503, "this server is about to end; ask another.", Retry_After="1")

    @asynccontextmanager
    async def _asking(
        self, served: Served, question: str, place: Place | None = None
    ) -> AsyncIterator["_AskedQuestion"]:
        """The context in which one question is answered, and the account of what became of it."""
        asked = _AskedQuestion(served, question)
        try:
            place = place or self.place(question)
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(place.slot())
                asked.waited = asked.seconds
                await stack.enter_async_context(asyncio.timeout(self.limits.seconds))
                stack.enter_context(dspy.context(lm=served.lm, disable_history=True, trace=None))
                stack.enter_context(caching(self._cache))
                yield asked
            asked.status = "over budget" if asked.answered.record["over_budget"] else "answered"
        except (asyncio.CancelledError, GeneratorExit):
            asked.status = "left"
            raise
        except TimeoutError as error:
            asked.status, asked.error = "too slow", place_of(error)
            raise Refusal(504, f"there was no answer within {self.limits.seconds:g} s.") from None
        except Exception as error:
            refusal = as_refusal(error)
            asked.status = "refused" if refusal is error or refusal.status < 500 else "failed"
            asked.error = place_of(error) if refusal.status == 500 else type(error).__name__
            asked.reason = str(error)
            raise refusal from None
        finally:
            self._account(asked)

    def _account(self, asked: "_AskedQuestion") -> None:
        name = asked.served.name
        self.metrics.questions.labels(asked.status, name).inc()
        fields: dict[str, object] = {"error": asked.error} if asked.error else {}
        private = {"question": asked.question, **({"reason": asked.reason} if asked.reason else {})}
        if asked.status in ("answered", "over budget"):
            record = asked.answered.record
            cost = record["cost"]
            self.metrics.answered(name, asked.seconds, record)
            fields = {name: cost.get(name) for name in ("calls", "retrievals", "usd")}
            fields["tokens"] = token_count(cost["tokens"])
            private["answer"] = record["answer"]
        times = {"seconds": round(asked.seconds, 3), "waited": round(asked.waited, 3)}
        self.log.write(asked.status, id=asked.id, program=name, **times, **fields, private=private)


@dataclass
class _AskedQuestion:
    """One question, from its coming to its end."""

    served: Served
    question: str
    id: str = field(default_factory=lambda: uuid4().hex)
    started: float = field(default_factory=time.monotonic)
    waited: float = 0.0
    status: str = "failed"
    error: str = ""
    reason: str = ""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    async def answer(self, prediction: dspy.Prediction) -> Answered:
        program, lm = self.served.program, self.served.lm.model
        self.answered = Answered(await asyncio.to_thread(to_answer_record, self.question, program, lm, prediction))
        return self.answered
