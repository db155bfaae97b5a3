"""`multihop mcp`: programs as tools of an agent, by the Model Context Protocol."""

import asyncio
from typing import Annotated

from cyclopts import Parameter

from ..options.serving import ServingOptions, read_keys, serve_until_ended


def mcp_command(
    program: str,
    /,
    *others: str,
    http: Annotated[bool, Parameter(negative=())] = False,
    serving: ServingOptions = ServingOptions(),
) -> None:
    """Give an agent the tools `ask`, `retrieve`, `search` and `fetch`, by MCP.

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
    from ...base import InputError, missing_extra
    from ...runtime import priced_by

    try:
        from ...serve.mcp_server import make_mcp_server
    except ImportError as error:
        raise missing_extra("multihop mcp", "mcp", error) from None
    from ...serve.log import unblocked_errors
    from ...serve.service import Service, ServiceLimits

    if serving.token_env is not None and not http:
        raise InputError("--token-env is for --http; standard input and output need no key.")
    host, keys = serving.host, read_keys(serving.token_env)
    limits = ServiceLimits(in_flight=serving.concurrency, seconds=serving.seconds)
    if not http:
        with priced_by(serving.budget.prices), unblocked_errors():
            service = Service(serving.catalogue([program, *others]), limits, cache=serving.cache)
            asyncio.run(make_mcp_server(service, fresh_every=serving.fresh_every).run_stdio_async())
        return
    from ...serve.guard import Guard
    from ...serve.web_server import WebServer, address_of_socket, is_local, listening_socket
    from ..opening.inputs import tell_user

    with priced_by(serving.budget.prices), listening_socket(host, serving.port) as listener:
        service = Service(serving.catalogue([program, *others]), limits, cache=serving.cache)
        guarded = Guard(
            make_mcp_server(service, fresh_every=serving.fresh_every).streamable_http_app(host=host),
            keys=keys,
            largest=limits.body_bytes,
            patience=limits.patience,
            log=service.log,
            local=is_local(host),
        )
        tell_user(f"served at {address_of_socket(listener, host)}/mcp; SIGTERM or Ctrl-C ends it.")
        serving.tell_open_port()
        serve_until_ended(WebServer(guarded, service), listener)
