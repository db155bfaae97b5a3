"""`multihop serve`: programs that other processes and machines ask."""

from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.serving import ServingOptions, needing_extra, read_keys, serve_until_ended, split_name


def serve_command(
    program: str,
    /,
    *others: str,
    serving: ServingOptions = ServingOptions(),
    queued: Annotated[int, Parameter(validator=Number(gte=0))] = 256,
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
    log_texts
        Write questions, answers and reasons of failures into the log as well.
    examples
        A question file, of which the page offers three; by default the corpus's own, or questions about its passages.
    """
    from ...runtime import priced_by

    with needing_extra("serve"):
        from ...serve.application import make_application
        from ...serve.web_server import is_local
    from ...serve.operation import EventLog, Limits
    from ...serve.service import Service

    keys = read_keys(serving.token_env)
    limits = Limits(in_flight=serving.concurrency, queued=queued, seconds=serving.seconds)
    names = [split_name(each)[0] for each in (program, *others)]

    def make() -> Any:
        catalogue = serving.catalogue([program, *others])
        service = Service(catalogue, limits, cache=serving.cache, log=EventLog(with_texts=log_texts))
        application = make_application(
            service,
            keys=keys,
            fresh_every=serving.fresh_every,
            local=is_local(serving.host),
            examples=serving.examples(examples, program),
        )
        return application, limits

    with priced_by(serving.budget.prices):
        serve_until_ended(serving, make, lambda address: f"{', '.join(names)}: served at {address}")
