"""Programs as tools of the Model Context Protocol, for agents of any make: `ask`, `search` and `fetch`."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from .. import __version__
from ..retrieval import Passage
from ..retrieval.documents import source_of
from .catalogue import Served, looking
from .operation import Refusal
from .service import RetrieveRequest, Service, address_of

_FOUND = 10
"""Passages that `search` finds at most."""
_REMEMBERED = 10_000
"""Passages that `fetch` knows again, of a retriever that gives none by its id."""
_INSTRUCTIONS = (
    "Answers questions that take more than one passage, from a corpus. `ask` searches, reads and answers; `search` "
    "finds passages, and `fetch` gives the text of one."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ANSWER = ("answer", "citations", "passages", "over_budget", "cost")


def make_mcp_server(service: Service, *, fresh_every: float = 0.0) -> MCPServer:
    """A server with the three tools; their answers are those of the service, with its limits."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Any]) -> AsyncIterator[None]:
        async with looking(fresh_every, service.look):
            yield

    server: MCPServer[Any] = MCPServer(
        "multihop", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING", lifespan=lifespan
    )
    seen: dict[str, Passage] = {}
    names = ", ".join(served.name for served in service.catalogue)
    answers = (
        "Answer a question from the corpus, in as many searches as it takes: the answer, the sentences that bear it, "
        f"the passages it rests on, best first, and what it cost. Programs: {names}; the first where none is named."
    )

    @server.tool(description=answers, annotations=_READS)
    async def ask(question: str, context: Context[Any, Any], program: str | None = None) -> dict[str, Any]:
        steps, record = 0, None
        with _refusals_told():
            served = service.catalogue.get(program)
            async with aclosing(service.stream(served, question, tokens=False)) as events:
                async for name, content in events:
                    if name == "step":
                        steps += 1
                        await context.report_progress(steps, message=content["step"])
                    else:
                        record = content
        return {name: record[name] for name in _ANSWER if record is not None}

    @server.tool(description="Search the corpus for pages; best first. `fetch` gives their texts.", annotations=_READS)
    async def search(query: str) -> dict[str, Any]:
        with _refusals_told():
            (hits,) = await service.retrieve(_searching(service), RetrieveRequest(queries=[query], topk=_FOUND))
        passages = [hit.passage for hit in hits]
        for passage in passages:
            seen.pop(passage.id, None)  # the oldest is the first
            seen[passage.id] = passage
        for id_ in [*seen][: max(0, len(seen) - _REMEMBERED)]:
            del seen[id_]
        return {"results": [_named(passage) for passage in passages]}

    @server.tool(
        description="The whole text of a page of the corpus, by the id that `search` gave.", annotations=_READS
    )
    async def fetch(id: str) -> dict[str, Any]:  # noqa: A002  research clients name it so
        with _refusals_told():
            get = getattr(_searching(service).program.retriever, "get", None)
        found = seen if get is None else await asyncio.to_thread(get, [id])
        if id not in found:
            advice = "search for it again" if get is None else "`search` gives the ids there are"
            raise ToolError(f"there is no passage with the id '{id:.80}'; {advice}.")
        return {**_named(found[id]), "text": found[id].text, "metadata": source_of(id)}

    return server


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Tell the agent in one sentence why the service refuses."""
    try:
        yield
    except Refusal as refusal:
        raise ToolError(refusal.sentence) from None


def _searching(service: Service) -> Served:
    """The first program that searches a corpus, which is the one that `search` and `fetch` read."""
    for served in service.catalogue:
        if served.program.retriever is not None:
            return served
    raise Refusal(404, "no program here searches anything.")


def _named(passage: Passage) -> dict[str, Any]:
    """The name of a passage, by which it is fetched and cited."""
    return {"id": passage.id, "title": passage.title or passage.id, "url": address_of(passage.id)}
