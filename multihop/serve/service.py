"""Questions answered and passages searched for clients: admitted, limited in time, counted, logged, and cancelled."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence, Sized
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import dspy
from dspy.streaming import StreamResponse
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from ..programs import FollowUp, Turn
from ..retrieval import Hit, Retriever, find, fingerprint
from ..retrieval.documents import source_of
from ..runtime import Program, Scope, caching, check_question, steps_beside, token_count
from ..runtime.adapters import asks_for_text_alone
from ..runtime.answer_record import AnswerRecord, to_answer_record
from ..runtime.streaming import FieldListener
from .catalogue import Catalogue, Served, newest_of
from .operation import Admission, EventLog, Limits, Metrics, Refusal, as_refusal, place_of

_FIELD = "answer"
DOCUMENTS = "documents/"
"""The address at which documents are, from where the page is."""


class Event(NamedTuple):
    """Something that happens while a question is answered."""

    name: str
    """The kind: "step" (of the trajectory), "token" (of what a step answers, before the step is finished and anybody
    has checked it) or "result" (the record, last)."""
    content: Any
    """The step, the token or the record."""


async def with_tokens(
    program: Program, question: str, *, within: Program | None = None
) -> AsyncGenerator[Event | dspy.Prediction, None]:
    """The tokens of every step that writes an `answer`, where its LM streams, and the prediction last.

    Where such a step is asked several times at once, the tokens of one call come after those of the other.
    """
    listeners = [
        FieldListener(
            _FIELD,
            predictor,
            step := name.partition(".")[0],
            alone=asks_for_text_alone(predictor.signature, program.lm_of(name), tuned=step in program.cloned),
        )
        for name, predictor in program.named_predictors()
        if _FIELD in predictor.signature.output_fields
    ]
    stream = dspy.streamify(within or program, stream_listeners=listeners, is_async_program=True)
    async for item in stream(question=question):
        if isinstance(item, dspy.Prediction):
            yield item
        elif isinstance(item, StreamResponse) and item.chunk:
            yield Event("token", {"step": item.predict_name, "text": item.chunk})


class RetrieveRequest(BaseModel):
    """Some queries, and how many hits are wanted for each."""

    queries: Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)] = Field(
        validation_alias=AliasChoices("queries", "query"), min_length=1, description="What to search for."
    )
    topk: int | None = Field(
        default=None, validation_alias=AliasChoices("topk", "k"), ge=1, strict=True, description="Hits for a query; 5."
    )
    return_scores: bool = Field(
        default=False, strict=True, description="Whether hits are wanted with their scores, or the documents alone."
    )

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
        self.limits, self.log = limits, log
        self.waiting = 0
        """Queries that are being searched for or wait for it."""

    async def find(self, retriever: Retriever, asked: RetrieveRequest) -> list[list[Hit]]:
        """The hits for each query; a Refusal where too much is asked, or the search failed."""
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


class IndexService(Searching):
    """Searches one retriever for clients."""

    def __init__(self, retriever: Retriever, limits: Limits | None = None, *, log: EventLog | None = None) -> None:
        super().__init__(limits or Limits(body_bytes=4 << 20), log or EventLog())
        self.retriever = retriever

    async def look(self) -> None:
        """Take over what others have changed in the index; searches under way end where they began."""
        self.retriever = await newest_of(self.retriever, "index", self.log)

    def health(self) -> dict[str, Any]:
        """The passages that are searched, and how many queries wait."""
        size = {"passages": len(self.retriever)} if isinstance(self.retriever, Sized) else {}
        known = fingerprint(self.retriever)
        return {"status": "ok", **size, "fingerprint": known, "waiting": self.waiting}


def address_of(id_: str, base: str = "") -> str:
    """The passage's id where that is an address, as in some corpora; else that of its document, or one made of it."""
    if id_.startswith(("http://", "https://")):
        return id_
    if base and (source := source_of(id_)):
        page = f"#page={source['page']}" if "page" in source else ""
        return f"{base}{quote(str(source['file']), errors='replace')}{page}"
    return f"passage:{quote(id_, safe='', errors='replace')}"


class Service:
    """Answers questions with the programs of a catalogue."""

    def __init__(
        self,
        catalogue: Catalogue,
        limits: Limits | None = None,
        *,
        cache: Scope | None = None,
        log: EventLog | None = None,
        documents: Path | None = None,
    ) -> None:
        """A service that is ready; `cache` says which kept answers of LMs are used, None leaves it to the LM.

        `documents` is the folder whose documents are searched, and may be opened by who asks.
        """
        self.catalogue, self.limits, self.log = catalogue, limits or Limits(), log or EventLog()
        self.documents = documents
        self.admission = Admission(self.limits)
        self.metrics = Metrics(self.admission)
        self._cache, self._searching = cache, Searching(self.limits, self.log)

    async def ask(self, served: Served, question: str, *, earlier: Sequence[Turn] = ()) -> AnswerRecord:
        """The record that `multihop ask --json` prints, or a Refusal; the latest of the earlier turns is the last."""
        async with self._asking(served, question) as asked:
            return await asked.answer(await _within(served, earlier).acall(question=question))

    async def stream(
        self, served: Served, question: str, *, earlier: Sequence[Turn] = (), tokens: bool = True
    ) -> AsyncGenerator[Event, None]:
        """Every step as it is finished, tokens of answers as they come, and the record last; a Refusal without one."""
        async with aclosing(steps_beside(self._events(served, question, earlier, tokens))) as items:
            async for item in items:
                yield item if isinstance(item, Event) else Event("step", item)

    async def _events(
        self, served: Served, question: str, earlier: Sequence[Turn], tokens: bool
    ) -> AsyncGenerator[Event, None]:
        async with self._asking(served, question) as asked:
            within = _within(served, earlier)
            if not tokens:
                yield Event("result", await asked.answer(await within.acall(question=question)))
                return
            async with aclosing(with_tokens(served.program, question, within=within)) as items:
                async for item in items:
                    yield Event("result", await asked.answer(item)) if isinstance(item, dspy.Prediction) else item

    def check(self, question: str) -> None:
        """Refuse a question before its stream begins, where it cannot be asked, or not now."""
        try:
            check_question(question)
        except Exception as error:
            raise as_refusal(error) from None
        self.admission.check()

    async def retrieve(self, served: Served, asked: RetrieveRequest) -> list[list[Hit]]:
        """The hits for some queries, or a Refusal; a request is let in as a question is, and has as long."""
        retriever = served.program.retriever
        if retriever is None:
            raise Refusal(404, f"the program '{served.name}' searches nothing.")
        async with self.admission.slot():
            return await self._searching.find(retriever, asked)

    async def look(self) -> None:
        """Take over what others have changed in the indexes."""
        await self.catalogue.look(self.log)

    @asynccontextmanager
    async def _asking(self, served: Served, question: str) -> AsyncIterator["_AskedQuestion"]:
        """The context in which one question is answered, and the account of what became of it."""
        asked = _AskedQuestion(served, question)
        try:
            check_question(question)
            async with self.admission.slot(), asyncio.timeout(self.limits.seconds):
                asked.waited = asked.seconds
                with dspy.context(lm=served.lm, disable_history=True, trace=None), caching(self._cache):
                    yield asked
            asked.status = "answered"
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
        name, record = asked.served.name, asked.record
        fields: dict[str, object] = {"error": asked.error} if asked.error else {}
        private = {"question": asked.question, **({"reason": asked.reason} if asked.reason else {})}
        if asked.status == "answered" and record is not None:
            asked.status = "over budget" if record["over_budget"] else "answered"
            cost = record["cost"]
            self.metrics.answered(name, asked.seconds, record)
            fields = {name: cost.get(name) for name in ("calls", "retrievals", "usd")}
            fields["tokens"] = token_count(cost["tokens"])
            private["answer"] = record["answer"]
        self.metrics.questions.labels(asked.status, name).inc()
        times = {"seconds": round(asked.seconds, 3), "waited": round(asked.waited, 3)}
        self.log.write(asked.status, id=asked.id, program=name, **times, **fields, private=private)


def _within(served: Served, earlier: Sequence[Turn]) -> Program:
    """The program, in the conversation if there is one."""
    return FollowUp(served.program, earlier) if earlier else served.program


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
    record: AnswerRecord | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    async def answer(self, prediction: dspy.Prediction) -> AnswerRecord:
        program, lm = self.served.program, self.served.lm.model
        record = await asyncio.to_thread(to_answer_record, self.question, program, lm, prediction)
        self.record = record
        return record
