"""Programs as tools of the Model Context Protocol: `ask` and `retrieve`, for agents of any make."""

from contextlib import aclosing
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from .. import __version__
from .refusal import Refusal
from .searching import RetrieveRequest
from .service import Answered, Service

_MOST = 100
_INSTRUCTIONS = (
    "Answers questions that take more than one passage, from a corpus. `ask` searches, reads and answers; `retrieve` "
    "returns passages alone."
)


class ToolPassage(BaseModel):
    """A passage."""

    id: str = Field(description="Its id in the corpus.")
    title: str = Field(description="Its title; may be empty.")
    text: str = Field(description="Its text.")
    score: float | None = Field(
        default=None, description="The retriever's score; none of a passage that an answer rests on."
    )


class ToolCitation(BaseModel):
    """A claim, and the sentence that bears it."""

    claim: str = Field(description="The answer, or a step on the way to it.")
    verdict: str = Field(description="Whether the passages bear it: supported, contradicted or not found.")
    passage: str = Field(description="The passage's id; empty where nothing was found.")
    title: str = Field(description="The passage's title.")
    sentence: str = Field(description="The sentence.")
    start: int = Field(description="Where it begins in the passage's text.")
    end: int = Field(description="Where it ends.")


class ToolAnswer(BaseModel):
    """An answer."""

    answer: str = Field(description="The answer.")
    confidence: float | None = Field(default=None, description="The probability that it is right.")
    calibrated: bool = Field(default=False, description="Whether that was fitted; if not, it only ranks answers.")
    abstained: bool = Field(default=False, description="Whether the answer is that there is none.")
    reason: str = Field(default="", description="Why an answer was withheld.")
    best_guess: str = Field(default="", description="The answer that was withheld.")
    citations: list[ToolCitation] = Field(default=[], description="The sentences that bear it, where looked for.")
    passages: list[ToolPassage] = Field(description="The passages it rests on, best first.")
    over_budget: bool = Field(description="Whether the search was cut short.")
    cost: dict[str, Any] = Field(description="What it cost: LM calls, retrievals, tokens, seconds.")


class ToolPassages(BaseModel):
    """The result of a search."""

    passages: list[ToolPassage] = Field(description="The passages, best first.")


def make_mcp_server(service: Service) -> MCPServer:
    """A server with the two tools; their answers are those of the service, with its limits.

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
    server: MCPServer[Any] = MCPServer("multihop", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    names = ", ".join(served.name for served in service.catalogue)
    which = f"Programs: {names}; the first where none is named."

    @server.tool(description=f"Answer a question from the corpus, in as many searches as it takes. {which}")
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
                        await context.report_progress(steps, message=item["step"])
        except Refusal as refusal:
            raise ToolError(refusal.sentence) from None
        return ToolAnswer.model_validate(record)

    @server.tool(description=f"Search the corpus; best first. {which}")
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

    return server
