"""DSPy's own retrievers: how each is called, and what identifies it."""

import copy
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any

from ...base import InputError
from .search_call import SearchCall

_BATCH_SEARCH = "_batch_forward"
"""The one private name of DSPy that is used: `dspy.Embeddings` searches by it for many queries in one call of its
embedder, and tells scores; by its public name for one query at a time, without scores."""


def call(wrapped: Any, name: str) -> SearchCall | None:
    """The call of one of DSPy's retrievers or modules; None for anything else.

    Raises:
        InputError: It comes from DSPy and does not search.
    """
    dspy = sys.modules.get("dspy")  # what comes from DSPy has imported it
    if dspy is None:
        return None
    if isinstance(wrapped, dspy.Embedder | dspy.BaseLM):
        raise InputError(f"{name} is no retriever: it does not search; dspy.Embeddings makes one of an embedder.")
    if isinstance(wrapped, dspy.Embeddings):
        own = type(wrapped).forward not in (dspy.Embeddings.forward, dspy.retrievers.EmbeddingsWithScores.forward)
        if not own and hasattr(wrapped, _BATCH_SEARCH):
            return SearchCall(partial(_search_embeddings, wrapped), name, batch=True, waits=False, k_name="")
        return SearchCall.read(wrapped, name, batch=False, like=wrapped.forward)
    if isinstance(wrapped, dspy.Retrieve):
        function = partial(_retrieve, wrapped) if _reads_settings(wrapped) else wrapped
        return replace(SearchCall.read(function, name, batch=False, like=wrapped.forward), batch=False)
    if isinstance(wrapped, dspy.Module):
        if hasattr(wrapped, "aforward"):
            return replace(SearchCall.read(wrapped.acall, name, batch=False, like=wrapped.aforward), waits=True)
        if hasattr(wrapped, "forward"):
            return SearchCall.read(wrapped, name, batch=False, like=wrapped.forward)
    return None


def retriever_identity(wrapped: Any, identify: Callable[[Any], str]) -> str:
    """The identity of one of DSPy's retrievers: its class and what it searches; empty for anything else."""
    dspy = sys.modules.get("dspy")
    if dspy is None:
        return ""
    name = type(wrapped).__name__
    if isinstance(wrapped, dspy.Embeddings):
        # Not the vectors: those of a hosted embedder differ in their last digits from call to call.
        parts = [_embedder(wrapped.embedder), str(wrapped.normalize), *wrapped.corpus]
    elif isinstance(wrapped, dspy.ColBERTv2):
        parts = [wrapped.url]  # as a digest, since an address may hold a password
    elif _reads_settings(wrapped):
        rm = dspy.settings.rm
        return f"{name}({identify(rm)})" if rm else name
    else:
        return ""
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d " % len(content) + content)
    return f"{name}-{digest.hexdigest()}"


def _reads_settings(wrapped: Any) -> bool:
    dspy = sys.modules.get("dspy")
    return dspy is not None and isinstance(wrapped, dspy.Retrieve) and type(wrapped).forward is dspy.Retrieve.forward


def _retrieve(retrieve: Any, query: str, k: int) -> Any:
    if not sys.modules["dspy"].settings.rm:
        raise InputError("dspy.Retrieve has nothing to search; name a retrieval model with dspy.configure(rm=...).")
    return retrieve(query, k=k)


def _search_embeddings(embeddings: Any, queries: Sequence[str], k: int) -> list[Any]:
    """All queries in one call of the embedder, and as many hits as are asked for, whatever the retriever's own k."""
    twin = copy.copy(embeddings)
    twin.k = k
    search = getattr(twin, _BATCH_SEARCH)
    return [list(zip(passages, scores, strict=True)) for passages, _, scores in search(list(queries))]


def _embedder(embedder: Any) -> str:
    """The name of the model, or of the function, that embeds; `dspy.Embedder` holds either."""
    model = getattr(embedder, "model", embedder)
    return model if isinstance(model, str) else str(getattr(model, "__qualname__", type(model).__name__))
