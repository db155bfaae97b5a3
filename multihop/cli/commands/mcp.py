"""`multihop mcp`: programs as tools of an agent, by the Model Context Protocol."""

import asyncio
from typing import Annotated, Any

from cyclopts import Parameter

from ..options.serving import ServingOptions, needing_extra, read_keys, serve_until_ended


def mcp_command(
    program: str,
    /,
    *others: str,
    http: Annotated[bool, Parameter(negative=())] = False,
    serving: ServingOptions = ServingOptions(),
) -> None:
    """Give an agent the tools `ask`, `search` and `fetch`, by MCP.

    For example:

        multihop mcp one-step -c corpus.jsonl
        multihop mcp resp.json -c indexes/wiki --lm openai/gpt-4.1 --http --port 8765

    Parameters
    ----------
    program
        A program's name, MODULE:CLASS of your own, or a saved program's file; as NAME=PROGRAM under another name.
    others
        More programs.
    http
        Serve streamable HTTP at http://HOST:PORT/mcp, to clients with the key of --token-env; by default, standard
        input and output are spoken on.
    """
    from ...base import InputError
    from ...runtime import priced_by

    with needing_extra("mcp"):
        from ...serve.mcp_server import make_mcp_server
        from ...serve.web_server import Gate, is_local
    from ...serve.operation import Limits
    from ...serve.service import Service

    if serving.token_env is not None and not http:
        raise InputError("--token-env is for --http; standard input and output need no key.")
    keys = read_keys(serving.token_env)
    limits = Limits(in_flight=serving.concurrency, seconds=serving.seconds)

    def tools() -> tuple[Any, Service]:
        service = Service(serving.catalogue([program, *others]), limits, cache=serving.cache)
        return make_mcp_server(service, fresh_every=serving.fresh_every), service

    def make() -> Any:
        server, service = tools()
        application = server.streamable_http_app(host=serving.host)
        local = is_local(serving.host)
        return Gate(application, keys=keys, largest=limits.body_bytes, log=service.log, local=local), limits

    with priced_by(serving.budget.prices):
        if http:
            serve_until_ended(serving, make, lambda address: f"served at {address}/mcp")
        else:
            asyncio.run(tools()[0].run_stdio_async())
