"""The tools of agents over HTTP on 127.0.0.1, for the length of an `async with` block."""

import asyncio
from contextlib import asynccontextmanager

from multihop.serve.mcp_server import make_mcp_server
from multihop.serve.web_server import Gate, WebServer, address_of_socket, listening_socket


@asynccontextmanager
async def mcp_over_http(service, *, keys=()):
    """Their address."""
    with listening_socket("127.0.0.1", 0) as listener:
        tools = make_mcp_server(service).streamable_http_app()
        gate = Gate(tools, keys=keys, largest=10_000, log=service.log, local=True)
        server = WebServer(gate, service.limits)
        serving = asyncio.create_task(server.serve_at(listener))
        try:
            yield f"{address_of_socket(listener, '127.0.0.1')}/mcp"
        finally:
            server.end()
            await serving
