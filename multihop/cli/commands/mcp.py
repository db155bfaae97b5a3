"""`multihop mcp`: programs as tools of an agent, by the Model Context Protocol."""

import asyncio
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.budget import DollarBudgetOptions
from ..options.corpus import CorpusOptions
from ..options.lm import StepLMOptions
from ..options.program import ProgramOptions
from ..options.single import CacheScope, InFlight


def mcp_command(
    program: str,
    /,
    *others: str,
    corpus: CorpusOptions = CorpusOptions(),
    lm: str | None = None,
    lms: StepLMOptions = StepLMOptions(),
    settings: ProgramOptions = ProgramOptions(),
    budget: DollarBudgetOptions = DollarBudgetOptions(),
    cache: CacheScope = None,
    http: Annotated[bool, Parameter(negative=())] = False,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000,
    token_env: str | None = None,
    concurrency: InFlight = 64,
    seconds: Annotated[float, Parameter(validator=Number(gt=0))] = 300.0,
) -> None:
    """Give an agent the tools `ask` and `retrieve`, by the Model Context Protocol.

    For example:

        multihop mcp one-step -c corpus.jsonl
        multihop mcp resp.json -c indexes/wiki --lm openai/gpt-4.1 --http --port 8765

    Parameters
    ----------
    program
        A program's name, MODULE:CLASS of your own, or a saved program's file; as NAME=PROGRAM under another name.
    others
        More programs.
    lm
        The LM of all programs, as in `ask`; by default what each was compiled for, or else "local".
    http
        Serve streamable HTTP at http://HOST:PORT/mcp; by default, standard input and output are spoken on.
    host
        Where to listen with --http.
    port
        The same; 0 takes a free one.
    token_env
        With --http, the environment variable with the key that clients must send as "Authorization: Bearer KEY".
    seconds
        Seconds within which a question must be answered.
    """
    from ...base import InputError, missing_extra
    from ...runtime import priced_by
    from ..options.serving import Opening, read_keys

    try:
        from ...serve.mcp_server import make_mcp_server
    except ImportError as error:
        raise missing_extra("multihop mcp", "mcp", error) from None
    from ...serve.service import Service, ServiceLimits

    if token_env is not None and not http:
        raise InputError("--token-env is for --http; standard input and output need no key.")
    keys = read_keys(token_env)
    limits_of_programs = {"budget": budget.budget(), "concurrency": concurrency}
    opening = Opening(corpus.open(), lms.open(), settings, lm=lm, step_lms=lms.step_lm, limits=limits_of_programs)
    limits = ServiceLimits(in_flight=concurrency, seconds=seconds)
    if not http:
        with priced_by(budget.prices):
            service = Service(opening.catalogue([program, *others]), limits, cache=cache)
            asyncio.run(make_mcp_server(service).run_stdio_async())
        return
    from ...serve.listener import address_of_socket, is_local, listening_socket
    from ...serve.web.guard import Guard
    from ...serve.web.web_server import WebServer
    from ..opening.inputs import tell_user

    with priced_by(budget.prices), listening_socket(host, port) as listener:
        service = Service(opening.catalogue([program, *others]), limits, cache=cache)
        application = make_mcp_server(service).streamable_http_app(host=host)
        guarded = Guard(
            application,
            keys=keys,
            largest=limits.body_bytes,
            patience=limits.patience,
            log=service.log,
            local=is_local(host),
        )
        tell_user(f"served at {address_of_socket(listener, host)}/mcp; SIGTERM or Ctrl-C ends it.")
        if not keys and not is_local(host):
            tell_user("no --token-env, so whoever reaches the port may ask.")
        asyncio.run(WebServer(guarded, service).serve_at(listener))
