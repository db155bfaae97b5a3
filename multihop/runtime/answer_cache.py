"""Decides which answers of LMs are kept, in which store, and when two calls are the same call.

Two calls are the same if everything that changes the answer is the same: the server's address, the model, the messages,
the decoding parameters, and the draw. DSPy's own cache leaves the address out, keeps completions that cannot be parsed,
and forgets what an answer cost; so a program's calls pass it by and are kept here.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary

import dspy
import ujson
from pydantic import BaseModel

from ..base import unknown
from .bill import Bill
from .stores import DSPyCache, Memory, Store

Scope = Literal["off", "run", "shared"]
"""The source of answers: nowhere, this run alone, or whatever this machine has kept."""

Place = Any
"""The name of a store: "run", "shared", or the engine object whose answers it keeps."""
_NOT_IN_KEY = frozenset({"api_key", "cache", "num_retries", "timeout", "azure_ad_token", "azure_ad_token_provider"})
"""Parameters of an LM that change no answer."""
_ADDRESS = ("api_base", "base_url")


@dataclass(frozen=True, slots=True)
class Caching:
    """The settings under which the calls of a context are kept."""

    scope: Scope | None = None
    """None leaves it to the LM: `shared` for a provider's, `run` for one on a server of your own, whose weights may be
    others tomorrow under the same name."""
    draw: int = 0
    """Repeats of the same questions with different draws share no answers."""
    bill: Bill | None = None
    """The run's bill, which is also where a run keeps its answers."""


current_caching: ContextVar[Caching] = ContextVar("multihop_caching", default=Caching())  # noqa: B039 - it is frozen


@contextmanager
def caching(scope: Scope | None = None, *, draw: int = 0, bill: Bill | None = None) -> Iterator[None]:
    """A block in which LM calls are kept that way.

    Args:
        scope: "off", "run" or "shared"; None leaves it to the LM.
        draw: Another number draws anew.
        bill: The bill in which paid calls are written down.

    Examples:
        >>> from multihop import caching
        >>> with caching("off"):
        ...     pass  # every call in here is paid

    Raises:
        InputError: There is no such scope.
    """
    if scope is not None and scope not in get_args(Scope):
        raise unknown("cache", scope, get_args(Scope))
    outer = current_caching.set(Caching(scope, draw, bill))
    try:
        yield
    finally:
        current_caching.reset(outer)


def store_for(lm: dspy.BaseLM) -> Store | None:
    """The store of this LM's calls in this context; None where they are not kept.

    An LM made with `cache=False` is never cached. An engine object's answers stay in memory for as long as it lives: it
    may know more than its name says.
    """
    caching = current_caching.get()
    if caching.scope == "off" or not _cacheable(lm):
        return None
    place = caching.scope or ("run" if address_of(lm) else "shared")
    return _open_store(place if isinstance(lm.engine, str) else lm.engine)


def _open_store(place: Place) -> Store:
    if place == "shared":
        return _shared
    if place != "run":
        return _of_engines.setdefault(place, Store(Memory()))
    bill = current_caching.get().bill
    return _of_process if bill is None else Store(bill)


def apart_from_dspy(lm: dspy.LM) -> dspy.LM:
    """The LM for those who call it themselves, such as DSPy's optimizers.

    DSPy's cache knows no addresses, so an LM with an address is asked anew each time.
    """
    return lm.copy(cache=False) if address_of(lm) or current_caching.get().scope == "off" else lm


def key_of(lm: dspy.BaseLM, messages: Any, settings: Mapping[str, Any]) -> str:
    """A key that is equal for two calls if and only if they are the same call."""
    request = {name: value for name, value in {**lm.kwargs, **settings}.items() if value is not None}
    request = {
        "format": 2,
        "model": lm.model,
        "type": lm.model_type,
        "address": address_of(lm),
        "messages": messages,
        "settings": {name: value for name, value in request.items() if name not in (*_NOT_IN_KEY, *_ADDRESS)},
        "draw": current_caching.get().draw,
    }
    text = ujson.dumps(request, default=_plain, sort_keys=True, ensure_ascii=False, escape_forward_slashes=False)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def address_of(lm: dspy.BaseLM) -> str:
    """The address of the server that was named, in the LM or in the environment; empty for the provider's own."""
    address = next((lm.kwargs[name] for name in _ADDRESS if lm.kwargs.get(name)), None)
    provider = lm.model.partition("/")[0].upper()
    variables = (f"{provider}_API_BASE", f"{provider}_BASE_URL")
    return str(address or next((os.environ[name] for name in variables if os.environ.get(name)), "")).rstrip("/")


def _cacheable(lm: dspy.BaseLM) -> bool:
    """True if DSPy itself would cache its answers: an LM class of one's own answers as it likes."""
    same = isinstance(lm, dspy.LM) and type(lm).aforward is dspy.LM.aforward and type(lm).forward is dspy.LM.forward
    return same and bool(lm.cache)


def _plain(value: Any) -> Any:
    if isinstance(value, type) and issubclass(value, BaseModel):
        return value.model_json_schema()
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else repr(value)


_shared = Store(DSPyCache(), on_disk=True)
_of_process = Store(Memory())
_of_engines: WeakKeyDictionary[Any, Store] = WeakKeyDictionary()
