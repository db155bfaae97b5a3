"""Programs as tools of the Model Context Protocol: `ask`, `retrieve`, `search` and `fetch`, for agents of any make."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from .. import __version__
from ..retrieval import Passage
from .catalogue import Served, looking
from .refusal import Refusal
from .searching import RetrieveRequest, address_of
from .service import Answered, Service

_LARGEST_K = 100
_FOUND = 10
"""Passages that `search` finds at most."""
_REMEMBERED = 10_000
"""Passages that `fetch` knows again, of a retriever that gives none by its id."""
_INSTRUCTIONS = (
    "Answers questions that take more than one passage, from a corpus. `ask` searches, reads and answers; `retrieve` "
    "returns passages alone; `search` and `fetch` do it in two steps, as research clients want it."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class ToolPassage(BaseModel):
    """A passage."""

    id: str = Field(description="Its id in the corpus.")
    title: str = Field(description="Its title; may be empty.")
    text: str = Field(description="Its text.")
    score: float | None = Field(
        default=None, description="The retriever's score; none of a passage that an answer rests on."
    )


class ToolCitation(BaseModel):
    """A sentence that bears the answer."""

    passage: str = Field(description="The passage's id.")
    title: str = Field(description="The passage's title.")
    sentence: str = Field(description="The sentence.")
    start: int = Field(description="Where it begins in the passage's text.")
    end: int = Field(description="Where it ends.")


class ToolAnswer(BaseModel):
    """An answer."""

    answer: str = Field(description="The answer.")
    citations: list[ToolCitation] = Field(description="The sentences that bear it, likeliest first.")
    passages: list[ToolPassage] = Field(description="The passages it rests on, best first.")
    over_budget: bool = Field(description="Whether the search was cut short.")
    cost: dict[str, Any] = Field(description="What it cost: LM calls, retrievals, tokens, seconds.")


class ToolPassages(BaseModel):
    """The result of a search."""

    passages: list[ToolPassage] = Field(description="The passages, best first.")


class FoundPage(BaseModel):
    """A passage that was found, without its text."""

    id: str = Field(description="Its id; `fetch` takes it.")
    title: str = Field(description="Its title, or its id where it has none.")
    url: str = Field(description="Its address, to cite it by.")


class FoundPages(BaseModel):
    """The result of a search, as research clients read it."""

    results: list[FoundPage] = Field(description="The passages, best first.")


class FetchedPage(FoundPage):
    """A passage, as research clients read it."""

    text: str = Field(description="Its whole text.")
    metadata: dict[str, str] = Field(default={}, description="What else is known of it; nothing.")


def make_mcp_server(service: Service, *, fresh_every: float = 0.0) -> MCPServer:
    """A server with the four tools; their answers are those of the service, with its limits.

    Args:
        service: The service that answers.
        fresh_every: Seconds between two looks at the files of saved programs and at the indexes; 0 never looks.

    Examples:
        >>> import asyncio
        >>> from mcp import Client
        >>> from multihop import Direct, scripted
        >>> from multihop.serve.catalogue import Catalogue, ProgramSource, Served
        >>> from multihop.serve.mcp_server import make_mcp_server
        >>> from multihop.serve.service import Service
        >>> served = Served(name="direct", program=Direct(), lm=scripted([{"answer": "Po"}]))
        >>> async def main():
        ...     service = Service(Catalogue([ProgramSource("direct", lambda: served)]))
        ...     async with Client(make_mcp_server(service)) as client:
        ...         return await client.call_tool("ask", {"question": "Which river?"})
        >>> asyncio.run(main()).structured_content["answer"]
        'Po'
    """

    @asynccontextmanager
    async def lifespan(_: MCPServer[Any]) -> AsyncIterator[None]:
        async with looking(fresh_every, service.look):
            yield

    server: MCPServer[Any] = MCPServer(
        "multihop", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING", lifespan=lifespan
    )
    seen: OrderedDict[str, Passage] = OrderedDict()
    names = ", ".join(served.name for served in service.catalogue)
    which = f"Programs: {names}; the first where none is named."

    @server.tool(
        description=f"Answer a question from the corpus, in as many searches as it takes. {which}", annotations=_READS
    )
    async def ask(question: str, context: Context[Any, Any], program: str | None = None) -> ToolAnswer:
        steps = 0
        with _refusals_told():
            served = service.catalogue.get(program)
            async with aclosing(service.stream(served, question, tokens=False)) as items:
                async for item in items:
                    if isinstance(item, Answered):
                        record = item.record
                    elif isinstance(item, dict):
                        steps += 1
                        await context.report_progress(steps, message=item["step"])
        return ToolAnswer.model_validate(record)

    @server.tool(description=f"Search the corpus; best first. {which}", annotations=_READS)
    async def retrieve(query: str, k: int = 5, program: str | None = None) -> ToolPassages:
        if not 1 <= k <= _LARGEST_K:
            raise ToolError(f"k is a number from 1 to {_LARGEST_K}, not {k}.")
        with _refusals_told():
            found = await service.retrieve(service.catalogue.get(program), RetrieveRequest(queries=[query], topk=k))
        found.release()
        (hits,) = found.rankings
        return ToolPassages(passages=[ToolPassage(**hit.passage._asdict(), score=hit.score) for hit in hits])

    @server.tool(description="Search the corpus for pages; best first. `fetch` gives their texts.", annotations=_READS)
    async def search(query: str) -> FoundPages:
        with _refusals_told():
            found = await service.retrieve(_searching(service), RetrieveRequest(queries=[query], topk=_FOUND))
        found.release()
        (hits,) = found.rankings
        passages = [hit.passage for hit in hits]
        for passage in passages:
            seen[passage.id] = passage
            seen.move_to_end(passage.id)
        while len(seen) > _REMEMBERED:
            seen.popitem(last=False)
        return FoundPages(results=[FoundPage(**_named(passage)) for passage in passages])

    @server.tool(
        description="The whole text of a page of the corpus, by the id that `search` gave.", annotations=_READS
    )
    async def fetch(id: str) -> FetchedPage:  # noqa: A002  research clients name it so
        with _refusals_told():
            get = _getter_of(_searching(service).program.retriever)
        found = seen if get is None else await asyncio.to_thread(get, [id])
        if id not in found:
            advice = "search for it again" if get is None else "`search` gives the ids there are"
            raise ToolError(f"there is no passage with the id '{id:.80}'; {advice}.")
        return FetchedPage(**_named(found[id]), text=found[id].text)

    return server


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Tell the agent in one sentence why the service refuses."""
    try:
        yield
    except Refusal as refusal:
        raise ToolError(refusal.sentence) from None


def _searching(service: Service) -> Served:
    """The first program that searches a corpus, which is the one that `search` and `fetch` read.

    Raises:
        Refusal: There is none.
    """
    for served in service.catalogue:
        if served.program.retriever is not None:
            return served
    raise Refusal(404, "no program here searches anything.")


def _getter_of(retriever: Any) -> Any:
    """The function that gives passages by their ids, of the retriever or of the one that it orders anew; else None."""
    while retriever is not None and not hasattr(retriever, "get"):
        retriever = getattr(retriever, "retriever", None)
    return None if retriever is None else retriever.get


def _named(passage: Passage) -> dict[str, Any]:
    """The name of a passage, by which it is fetched and cited."""
    return {"id": passage.id, "title": passage.title or passage.id, "url": address_of(passage.id)}
