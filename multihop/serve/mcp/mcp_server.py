"""Programs as tools of the Model Context Protocol: `ask`, `retrieve`, `search` and `fetch`, for agents of any make."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from ... import __version__
from ...retrieval import Passage
from ..fresh import looking
from ..passage_address import address_of
from ..refusal import Refusal
from ..searching import RetrieveRequest
from ..service import Answered, Service
from .corpus_pages import CorpusPages
from .deferred_call import current_call
from .long_calls import LongCalls
from .tool_shapes import FetchedPage, FoundPage, FoundPages, ToolAnswer, ToolPassage, ToolPassages

_MOST = 100
_PATIENCE = 5.0
_INSTRUCTIONS = (
    "Answers questions that take more than one passage, from a corpus. `ask` searches, reads and answers; `retrieve` "
    "returns passages alone; `search` and `fetch` do it in two steps, as research clients want it."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def make_mcp_server(service: Service, *, fresh_every: float = 0.0, patience: float = _PATIENCE) -> MCPServer:
    """A server with the four tools; their answers are those of the service, with its limits.

    Args:
        service: The service that answers.
        fresh_every: Seconds between two looks at the files of saved programs and at the indexes; 0 never looks.
        patience: Seconds after which a question becomes a task, for clients that take tasks.

    Examples:
        >>> import asyncio
        >>> from mcp import Client
        >>> from multihop import Direct, scripted
        >>> from multihop.serve.catalogue import Catalogue, ProgramSource, Served
        >>> from multihop.serve.mcp.mcp_server import make_mcp_server
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
        "multihop",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        lifespan=lifespan,
        extensions=[LongCalls("ask", patience=patience)],
    )
    pages = CorpusPages(service)
    names = ", ".join(served.name for served in service.catalogue)
    which = f"Programs: {names}; the first where none is named."

    @server.tool(
        description=f"Answer a question from the corpus, in as many searches as it takes. {which}", annotations=_READS
    )
    async def ask(question: str, context: Context[Any, Any], program: str | None = None) -> ToolAnswer:
        try:
            served = service.catalogue.get(program)
            steps = 0
            async with aclosing(service.stream(served, question, tokens=False)) as items:
                async for item in items:
                    if isinstance(item, Answered):
                        record = item.record
                    elif isinstance(item, dict):
                        steps += 1
                        await _tell(context, steps, item["step"])
        except Refusal as refusal:
            raise ToolError(refusal.sentence) from None
        return ToolAnswer.model_validate(record)

    @server.tool(description=f"Search the corpus; best first. {which}", annotations=_READS)
    async def retrieve(query: str, k: int = 5, program: str | None = None) -> ToolPassages:
        if not 1 <= k <= _MOST:
            raise ToolError(f"k is a number from 1 to {_MOST}, not {k}.")
        try:
            found = await service.retrieve(service.catalogue.get(program), RetrieveRequest([query], k, scores=True))
        except Refusal as refusal:
            raise ToolError(refusal.sentence) from None
        found.release()
        (hits,) = found.rankings
        return ToolPassages(passages=[ToolPassage(**hit.passage._asdict(), score=hit.score) for hit in hits])

    @server.tool(description="Search the corpus for pages; best first. `fetch` gives their texts.", annotations=_READS)
    async def search(query: str) -> FoundPages:
        try:
            found = await pages.search(query)
        except Refusal as refusal:
            raise ToolError(refusal.sentence) from None
        return FoundPages(results=[FoundPage(**_named(passage)) for passage in found])

    @server.tool(
        description="The whole text of a page of the corpus, by the id that `search` gave.", annotations=_READS
    )
    async def fetch(id: str) -> FetchedPage:  # noqa: A002  research clients name it so
        try:
            passage = await pages.fetch(id)
        except Refusal as refusal:
            raise ToolError(refusal.sentence) from None
        return FetchedPage(**_named(passage), text=passage.text)

    return server


async def _tell(context: Context[Any, Any], number: int, step: str) -> None:
    """Tell whoever waits of a step: the client, or, once the question is a task, who asks for that."""
    call = current_call()
    if call is not None:
        call.note(f"step {number}: {step}")
    if call is None or not call.deferred:
        await context.report_progress(number, message=step)


def _named(passage: Passage) -> dict[str, Any]:
    """The name of a passage, by which it is fetched and cited."""
    return {"id": passage.id, "title": passage.title or passage.id, "url": address_of(passage.id)}
