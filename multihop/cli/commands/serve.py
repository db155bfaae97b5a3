"""`multihop serve`: programs that other processes and machines ask."""

import asyncio
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.amounts import AtLeastOne
from ..options.budget import DollarBudgetOptions
from ..options.corpus import CorpusOptions
from ..options.lm import StepLMOptions
from ..options.program import ProgramOptions
from ..options.single import CacheScope, InFlight

PositiveSeconds = Annotated[float, Parameter(validator=Number(gt=0))]


def serve_command(
    program: str,
    /,
    *others: str,
    corpus: CorpusOptions = CorpusOptions(),
    lm: str | None = None,
    lms: StepLMOptions = StepLMOptions(),
    settings: ProgramOptions = ProgramOptions(),
    budget: DollarBudgetOptions = DollarBudgetOptions(),
    cache: CacheScope = None,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000,
    token_env: str | None = None,
    concurrency: InFlight = 64,
    queued: Annotated[int, Parameter(validator=Number(gte=0))] = 256,
    seconds: PositiveSeconds = 300.0,
    max_bytes: AtLeastOne = 1 << 20,
    patience: PositiveSeconds = 30.0,
    fresh_every: Annotated[float, Parameter(validator=Number(gte=0))] = 2.0,
    log_texts: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Serve programs over HTTP: answers, steps as they are taken, OpenAI's chat, retrieval, and a page.

    POST /ask, /ask/stream, /v1/chat/completions and /retrieve; GET /v1/models, /healthz, /readyz, /metrics,
    /openapi.json and the page at /. SIGTERM or Ctrl-C ends it once what is under way is answered.

    For example:

        multihop serve one-step -c corpus.jsonl
        multihop serve resp.json one-step -c indexes/wiki --lm openai/gpt-4.1
        multihop serve fast=one-step careful=resp.json -c corpus.jsonl --lm lexical --token-env MULTIHOP_KEY

    Parameters
    ----------
    program
        A program's name, MODULE:CLASS of your own, or a saved program's file; as NAME=PROGRAM under another name. It
        answers where a request names none.
    others
        More programs.
    lm
        The LM of all programs, as in `ask`; by default what each was compiled for, or else "local".
    host
        Where to listen; "0.0.0.0" lets other machines ask.
    port
        The same; 0 takes a free one.
    token_env
        The environment variable with the key that clients must send as "Authorization: Bearer KEY"; several keys with
        commas between.
    queued
        Questions that wait at most; above, 429 with Retry-After.
    seconds
        Seconds within which a question must be answered; above, 504.
    max_bytes
        Bytes of a request at most.
    patience
        Seconds within which a request must be whole, and, at the end, what is under way be done.
    fresh_every
        Seconds between two looks whether the file of a saved program has changed; 0 never looks.
    log_texts
        Write questions, answers and reasons of failures into the log as well.
    """
    from ...base import missing_extra
    from ...runtime import priced_by
    from ..opening.heap import heap_at_rest
    from ..opening.inputs import tell_user
    from ..options.serving import Opening, read_keys

    try:
        from ...serve.web.application import make_application
        from ...serve.web.web_server import WebServer
    except ImportError as error:
        raise missing_extra("multihop serve", "serve", error) from None
    from ...serve.event_log import EventLog
    from ...serve.listener import address_of_socket, is_local, listening_socket
    from ...serve.service import Service, ServiceLimits

    keys = read_keys(token_env)
    with priced_by(budget.prices), listening_socket(host, port) as listener:  # refused before a corpus is indexed
        limits_of_programs = {"budget": budget.budget(), "concurrency": concurrency}
        opening = Opening(corpus.open(), lms.open(), settings, lm=lm, step_lms=lms.step_lm, limits=limits_of_programs)
        catalogue = opening.catalogue([program, *others])
        limits = ServiceLimits(
            in_flight=concurrency, queued=queued, seconds=seconds, body_bytes=max_bytes, patience=patience
        )
        service = Service(catalogue, limits, cache=cache, log=EventLog(with_texts=log_texts))
        local = is_local(host)
        application = make_application(service, keys=keys, fresh_every=fresh_every, local=local)
        server = WebServer(application, service)
        names = ", ".join(served.name for served in catalogue)
        tell_user(f"{names}: served at {address_of_socket(listener, host)}; SIGTERM or Ctrl-C ends it.")
        if not keys and not local:
            tell_user("no --token-env, so whoever reaches the port may ask.")
        with heap_at_rest():
            asyncio.run(server.serve_at(listener))
    if server.force_exit:
        raise KeyboardInterrupt("interrupted; what was under way is lost.")
