"""The cache of LM calls: which answers are kept, in which store, and when two calls are the same call.

Two calls are the same if everything that changes the answer is the same: the server's address, the model, the messages,
the decoding parameters, and the draw. DSPy's own cache leaves the address out, keeps completions that cannot be parsed,
and forgets what an answer cost; so a program's calls pass it by and are kept here.
"""

import asyncio
import hashlib
import logging
import os
import stat
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary, WeakValueDictionary

import dspy
import ujson
from pydantic import BaseModel

from ..base import unknown
from ..base.errors import hide_login, without_secrets
from .bill import Bill, CachedCall

Scope = Literal["off", "run", "shared"]
"""The source of answers: nowhere, this run alone, or whatever this machine has kept."""

_NOT_IN_KEY = frozenset({"api_key", "cache", "num_retries", "timeout", "azure_ad_token", "azure_ad_token_provider"})
"""Parameters of an LM that change no answer."""
_ADDRESS = ("api_base", "base_url")
_log = logging.getLogger(__name__)


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


def apart_from_dspy(lm: dspy.LM) -> dspy.LM:
    """The LM for callers that ask it themselves, such as DSPy's optimizers.

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
        "settings": without_secrets({name: request[name] for name in request.keys() - {*_NOT_IN_KEY, *_ADDRESS}}),
        "draw": current_caching.get().draw,
    }
    text = ujson.dumps(request, default=_plain, sort_keys=True, ensure_ascii=False, escape_forward_slashes=False)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def address_of(lm: dspy.BaseLM) -> str:
    """The address of the server that was named, in the LM or in the environment; empty for the provider's own."""
    address = next((lm.kwargs[name] for name in _ADDRESS if lm.kwargs.get(name)), None)
    provider = lm.model.partition("/")[0].upper()
    variables = (f"{provider}_API_BASE", f"{provider}_BASE_URL")
    address = address or next((os.environ[name] for name in variables if os.environ.get(name)), "")
    return hide_login(str(address)).rstrip("/")


def _plain(value: Any) -> Any:
    if isinstance(value, type) and issubclass(value, BaseModel):
        return value.model_json_schema()
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else repr(value)


FORGOTTEN: list[Any] = []
"""Outputs of a call that counts as never made, since the stores only add."""


class Store:
    """A store of calls; one on a disk is read and written beside the event loop."""

    def __init__(self, calls: "Memory | DSPyCache | Bill", *, on_disk: bool = False) -> None:
        self._calls, self._on_disk = calls, on_disk

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[CachedCall | None]:
        """The call, if it was made before. If not, the same call made elsewhere meanwhile waits for the block's end."""
        locks = _locks.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        lock = locks.setdefault(key, asyncio.Lock())  # it is there while one task holds it or waits for it
        async with lock:
            call = await asyncio.to_thread(self._calls.get, key) if self._on_disk else self._calls.get(key)
            yield None if call is None or call["outputs"] == FORGOTTEN else call

    async def keep(self, key: str, call: CachedCall) -> None:
        """Keep the call, before the turn ends."""
        if self._on_disk:
            await asyncio.to_thread(self._calls.put, key, call)
        else:
            self._calls.put(key, call)


class Memory:
    """Calls in memory; the oldest makes room."""

    def __init__(self) -> None:
        self._calls: dict[str, CachedCall] = {}
        self.get = self._calls.get

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
        if len(self._calls) >= 100_000:
            self._calls.pop(next(iter(self._calls)), None)
        self._calls[key] = call


class DSPyCache:
    """DSPy's cache as it is configured, with our key: its folder, its size and its switches apply."""

    def __init__(self) -> None:
        self._instead = Memory()
        self._looked_at: dict[str, bool] = {}

    def get(self, key: str) -> CachedCall | None:
        """The call, if it was made before; what cannot be read was not."""
        if self._is_open_to_others():
            return self._instead.get(key)
        try:
            kept = dspy.cache.get({"multihop": key})
            call = ujson.loads(kept) if isinstance(kept, str) else kept
        except Exception as error:  # whatever a damaged file makes of pickle, the database or the disk
            _log.info("a kept answer cannot be read, so the LM is asked: %s", type(error).__name__)
            return None
        return call if _is_call(call) else None

    def put(self, key: str, call: CachedCall) -> None:
        """Keep the call."""
        if self._is_open_to_others():
            self._instead.put(key, call)
        else:
            dspy.cache.put({"multihop": key}, ujson.dumps(call, ensure_ascii=False, escape_forward_slashes=False))

    def _is_open_to_others(self) -> bool:
        folder = dspy.cache.disk_cache_dir if dspy.cache.enable_disk_cache else None
        if folder is None:
            return False
        if folder not in self._looked_at:  # DSPy reads it with pickle, which runs what it finds
            self._looked_at[folder] = others_can_write(folder)
            if self._looked_at[folder]:
                warnings.warn(
                    f"other users can write to {folder}, so that kept answers are not taken from it: make it yours "
                    f"alone (chmod -R go-w {folder}), or name another folder in DSPY_CACHEDIR.",
                    stacklevel=2,
                )
        return self._looked_at[folder]


def _is_call(value: Any) -> bool:
    """True if it has what a kept call has."""
    if not isinstance(value, dict):
        return False
    outputs, tokens = value.get("outputs", ()), value.get("tokens")
    if not (isinstance(outputs, list | None) and isinstance(tokens, list | tuple)):
        return False
    return len(tokens) in (3, 5) and all(isinstance(number, int) for number in (*tokens[:3], *filter(None, tokens[3:])))


def others_can_write(folder: str | os.PathLike[str]) -> bool:
    """True if another user can write into the folder, or put another one in its place; root is no other user."""
    if not hasattr(os, "getuid"):
        return False  # Windows has no such numbers
    place = Path(folder).resolve()
    if place.exists() and _is_open(os.lstat(place)):
        return True
    states = (os.lstat(parent) for parent in place.parents if parent.exists())
    return any(_is_open(state) and not state.st_mode & stat.S_ISVTX for state in states)


def _is_open(state: os.stat_result) -> bool:
    user = os.getuid()
    foreign = state.st_uid not in (user, 0)
    by_group = bool(state.st_mode & stat.S_IWGRP) and state.st_gid not in (user, 0)  # Linux has a group for each user
    return foreign or by_group or bool(state.st_mode & stat.S_IWOTH)


def store_for(lm: dspy.BaseLM) -> Store | None:
    """The store of this LM's calls in this context; None where they are not kept, such as with `cache=False`."""
    caching = current_caching.get()
    is_plain = isinstance(lm, dspy.LM) and type(lm).aforward is dspy.LM.aforward and type(lm).forward is dspy.LM.forward
    if caching.scope == "off" or not (is_plain and lm.cache):
        return None
    if not isinstance(lm.engine, str):
        return _of_engines.setdefault(lm.engine, Store(Memory()))  # it may know more than its name says
    if (caching.scope or ("run" if address_of(lm) else "shared")) == "shared":
        return _shared
    return _of_process if caching.bill is None else Store(caching.bill)


_shared = Store(DSPyCache(), on_disk=True)
_of_process = Store(Memory())
_of_engines: WeakKeyDictionary[Any, Store] = WeakKeyDictionary()
_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Lock]] = WeakKeyDictionary()
