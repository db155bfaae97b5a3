"""`multihop serve-index`: an index that other processes and machines search."""

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..terminal.options import CorpusFields, RerankingCheckpoint, RetrieverName, SkipBad

Positive = Annotated[int, Parameter(validator=Number(gte=1))]


def serve_index_command(
    corpus: str,
    /,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000,
    retriever: RetrieverName = None,
    rerank_with: RerankingCheckpoint = None,
    field: CorpusFields = None,
    skip_bad: SkipBad = 0,
    max_k: Positive = 1000,
    max_waiting: Positive = 4096,
    max_bytes: Positive = 4 << 20,
    patience: Annotated[float, Parameter(validator=Number(gt=0))] = 30.0,
) -> None:
    """Serve an index over HTTP: `POST /retrieve`, as Search-R1 and FlashRAG ask it.

    Another process then searches it with `--corpus http://HOST:PORT`. SIGTERM or Ctrl-C ends it once what is under way
    is answered.

    For example:

        multihop serve-index indexes/wiki
        multihop serve-index indexes/wiki --host 0.0.0.0 --port 8893 --max-k 100
        multihop serve-index corpus.jsonl --retriever dense

    Parameters
    ----------
    corpus
        An index folder; or "world" or a corpus, which is indexed first.
    host
        Where to listen; "0.0.0.0" lets other machines ask, and whoever reaches the port can.
    port
        The same; 0 takes a free one.
    max_k
        Hits for a query at most.
    max_waiting
        Queries under way at most, over all clients; above, 503 with Retry-After.
    max_bytes
        Bytes of a request at most.
    patience
        Seconds within which a request must be whole, and, at the end, what is under way be done.
    """
    from ..base import heap_at_rest
    from ..serve.index_server import IndexServer, ServerLimits
    from ..terminal.inputs import Inputs, tell_user

    limits = ServerLimits(k=max_k, waiting=max_waiting, body_bytes=max_bytes, patience=patience)
    server = IndexServer(
        Inputs(field, skip_bad, retriever=retriever, rerank_with=rerank_with).retriever(corpus), limits
    )
    name = corpus if Path(corpus).exists() or corpus == "world" else "the retriever"

    def tell(address: str) -> None:
        tell_user(f"{name} is served at {address} (POST /retrieve, GET /healthz); SIGTERM or Ctrl-C ends it.")

    try:
        with heap_at_rest():
            asyncio.run(server.run(host, port, tell))
    except asyncio.CancelledError:
        raise KeyboardInterrupt("interrupted; what was under way is lost.") from None
