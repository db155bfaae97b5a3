"""`multihop serve`: programs that other processes and machines ask."""

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.amounts import AtLeastOne
from ..options.serving import ServingOptions, read_keys, serve_until_ended


def serve_command(
    program: str,
    /,
    *others: str,
    serving: ServingOptions = ServingOptions(),
    queued: Annotated[int, Parameter(validator=Number(gte=0))] = 256,
    max_bytes: AtLeastOne = 1 << 20,
    patience: Annotated[float, Parameter(validator=Number(gt=0))] = 30.0,
    log_texts: Annotated[bool, Parameter(negative=())] = False,
    examples: str | None = None,
) -> None:
    """Serve programs over HTTP, and a page on which to ask them.

    POST /ask, /ask/stream, /v1/chat/completions and /retrieve; GET /v1/models, /healthz, /readyz, /metrics,
    /openapi.json; in a browser the page at /. A question that takes longer than --seconds is answered by 504. SIGTERM
    or Ctrl-C ends it once what is under way is answered.

    For example:

        multihop serve one-step -c corpus.jsonl
        multihop serve resp.json one-step -c indexes/wiki --lm openai/gpt-4.1
        multihop serve fast=one-step careful=resp.json -c corpus.jsonl --lm local --token-env MULTIHOP_KEY

    Parameters
    ----------
    program
        A program's name, MODULE:CLASS of your own, or a saved program's file; as NAME=PROGRAM under another name. It
        answers where a request names none.
    others
        More programs.
    queued
        Questions that wait at most; above, 429 with Retry-After.
    max_bytes
        Bytes of a request at most.
    patience
        Seconds within which a request must be whole and a reply be taken, and, at the end, what is under way be done.
    log_texts
        Write questions, answers and reasons of failures into the log as well.
    examples
        A question file, of which the page offers three; by default the corpus's own, or questions about its passages.
    """
    from ...base import missing_extra
    from ...runtime import priced_by
    from ..opening.inputs import tell_user

    try:
        from ...serve.application import make_application
        from ...serve.web_server import WebServer
    except ImportError as error:
        raise missing_extra("multihop serve", "serve", error) from None
    from ...serve.log import EventLog
    from ...serve.service import Service, ServiceLimits
    from ...serve.web_server import address_of_socket, is_local, listening_socket

    host, keys = serving.host, read_keys(serving.token_env)
    limits = ServiceLimits(
        in_flight=serving.concurrency, queued=queued, seconds=serving.seconds, body_bytes=max_bytes, patience=patience
    )
    with (
        priced_by(serving.budget.prices),
        listening_socket(host, serving.port) as listener,  # refused before a corpus is indexed
    ):
        catalogue = serving.catalogue([program, *others])
        log = EventLog(with_texts=log_texts)
        service = Service(catalogue, limits, cache=serving.cache, log=log)
        offered = serving.examples(examples, program)
        application = make_application(
            service, keys=keys, fresh_every=serving.fresh_every, local=is_local(host), examples=offered
        )
        names = ", ".join(served.name for served in catalogue)
        tell_user(f"{names}: served at {address_of_socket(listener, host)}; SIGTERM or Ctrl-C ends it.")
        serving.tell_open_port()
        serve_until_ended(WebServer(application, service), listener)
