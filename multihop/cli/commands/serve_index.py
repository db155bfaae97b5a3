"""`multihop serve-index`: an index that other processes and machines search."""

from pathlib import Path
from typing import Any

from ..options.amounts import AtLeastOne
from ..options.corpus import SearchOptions
from ..options.serving import AddressOptions, needing_extra, serve_until_ended


def serve_index_command(
    corpus: str,
    /,
    *,
    address: AddressOptions = AddressOptions(),
    search: SearchOptions = SearchOptions(),
    max_k: AtLeastOne = 1000,
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
    """
    from ...data.little.little import is_little

    with needing_extra("serve-index"):
        from ...serve.application import make_index_application
        from ...serve.web_server import is_local
    from ...serve.operation import Limits
    from ...serve.service import IndexService

    limits = Limits(k=max_k, body_bytes=4 << 20)
    inputs = search.searching(None)
    name = corpus if Path(corpus).exists() or is_little(corpus) else "the retriever"

    def make() -> Any:
        service = IndexService(inputs.retriever(corpus), limits)
        return make_index_application(service, fresh_every=address.fresh_every, local=is_local(address.host)), limits

    serve_until_ended(address, make, lambda place: f"{name} is served at {place} (POST /retrieve, GET /healthz)")
