"""`multihop serve-index`: an index that other processes and machines search."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.amounts import AtLeastOne
from ..options.corpus import SearchOptions
from ..options.serving import AddressOptions, serve_until_ended


def serve_index_command(
    corpus: str,
    /,
    *,
    address: AddressOptions = AddressOptions(),
    search: SearchOptions = SearchOptions(),
    max_k: AtLeastOne = 1000,
    max_waiting: AtLeastOne = 4096,
    max_bytes: AtLeastOne = 4 << 20,
    patience: Annotated[float, Parameter(validator=Number(gt=0))] = 30.0,
) -> None:
    """Serve an index over HTTP, as Search-R1 and FlashRAG ask it.

    Another process then searches it with `--corpus http://HOST:PORT`. No key is asked for: whoever reaches the port can
    search. SIGTERM or Ctrl-C ends it once what is under way is answered.

    For example:

        multihop serve-index indexes/wiki
        multihop serve-index indexes/wiki --host 0.0.0.0 --port 8893 --max-k 100
        multihop serve-index corpus.jsonl --retriever dense

    Parameters
    ----------
    corpus
        An index folder; or "little" or a corpus, which is indexed first.
    max_k
        Hits for a query at most.
    max_waiting
        Queries under way at most, over all clients; above, 503 with Retry-After.
    max_bytes
        Bytes of a request at most.
    patience
        Seconds within which a request must be whole and a reply be taken, and, at the end, what is under way be done.
    """
    from ...base import missing_extra
    from ...data.little.little import is_little
    from ..opening.inputs import tell_user

    try:
        from ...serve.application import make_index_application
        from ...serve.searching import IndexLimits, IndexService
        from ...serve.web_server import WebServer
    except ImportError as error:
        raise missing_extra("multihop serve-index", "serve", error) from None
    from ...serve.web_server import address_of_socket, is_local, listening_socket

    limits = IndexLimits(k=max_k, waiting=max_waiting, body_bytes=max_bytes, patience=patience)
    inputs = search.searching(None)
    with listening_socket(address.host, address.port) as listener:  # refused before a corpus is indexed
        service = IndexService(inputs.retriever(corpus), limits)
        application = make_index_application(service, fresh_every=address.fresh_every, local=is_local(address.host))
        server = WebServer(application, service)
        name = corpus if Path(corpus).exists() or is_little(corpus) else "the retriever"
        place = address_of_socket(listener, address.host)
        tell_user(f"{name} is served at {place} (POST /retrieve, GET /healthz); SIGTERM or Ctrl-C ends it.")
        serve_until_ended(server, listener)
