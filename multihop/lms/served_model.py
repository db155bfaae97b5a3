"""A server of one's own, asked about its models: which it has, and how many tokens each takes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..base import InputError
from ..base.errors import first_line

if TYPE_CHECKING:
    import httpx

_PATIENCE = 2.0
_contexts: dict[tuple[str, str], int | None] = {}
"""The contexts that servers told in this process, by address and model; None for one that was not told."""


class ModelServer:
    """A server that is asked about its models; it is asked for each thing once, when that is needed."""

    def __init__(self, api_base: str, api_key: str = "EMPTY", *, patience: float = _PATIENCE) -> None:
        """Nothing is asked yet.

        Args:
            api_base: The server's address.
            api_key: Its key, if it wants one.
            patience: Seconds in which it answers.
        """
        self.address = api_base.rstrip("/")
        self._root = self.address.removesuffix("/v1")
        self._asking: dict[str, Any] = {"timeout": patience, "headers": {"Authorization": f"Bearer {api_key}"}}
        self._get = functools.cache(self._ask)

    @functools.cached_property
    def models(self) -> dict[str, dict[str, Any]] | None:
        """Its models by name, each as the server describes it; None if it has no list of them.

        Raises:
            InputError: Nobody answers there.
        """
        import httpx

        try:
            listed = self._ask(f"{self.address}/models")
            return {str(entry["id"]): entry for entry in listed["data"]}
        except httpx.HTTPError as error:
            raise InputError(
                f"no server answers at {self.address} ({first_line(error)}); start it, or give the address of one that "
                "runs."
            ) from None
        except (LookupError, TypeError, ValueError):
            return None

    def find(self, model: str) -> str | None:
        """The server's own name of a model, which may have a tag or a folder more; None if it has no such model."""
        return next((name for name in self.models or () if _is(name, model)), None)

    def context(self, name: str) -> int | None:
        """Tokens that a model takes for a prompt and its answer together; None if the server does not say."""
        import httpx

        for told in self._contexts(name):
            with suppress(LookupError, TypeError, ValueError, StopIteration, httpx.HTTPError):
                if (context := int(told())) > 0:
                    return context
        return None

    def _contexts(self, name: str) -> Iterator[Callable[[], Any]]:
        """The places where servers tell a context, each as a function that fails where it is not told."""
        entry, get = (self.models or {})[name], self._get
        yield lambda: entry["max_model_len"]  # vLLM, SGLang
        yield lambda: entry["meta"]["n_ctx"]  # llama.cpp
        yield lambda: get(f"{self._root}/props")["default_generation_settings"]["n_ctx"]  # llama.cpp before that
        # Ollama: a model that is loaded has the context it is loaded with. Of another, only its own description counts:
        # for the rest, what decides is in the server's environment.
        yield lambda: _entry(get(f"{self._root}/api/ps")["models"], "name", name)["context_length"]
        yield lambda: _parameter(self._ask(f"{self._root}/api/show", model=name)["parameters"], "num_ctx")
        # LM Studio
        yield lambda: _entry(get(f"{self._root}/api/v0/models")["data"], "id", name)["loaded_context_length"]
        yield lambda: _entry(get(f"{self._root}/api/v0/models")["data"], "id", name)["max_context_length"]

    def _ask(self, address: str, **body: str) -> Any:
        import httpx

        reply: httpx.Response = (
            httpx.post(address, json=body, **self._asking) if body else httpx.get(address, **self._asking)
        )
        return reply.json() if reply.status_code == 200 else {}


def check_served(api_base: str, model: str, api_key: str = "EMPTY") -> None:
    """Refuse a server that is down, and one that has other models than the one that is asked for.

    Raises:
        InputError: It is one of these; the message lists what it has.
    """
    server = ModelServer(api_base, api_key)
    if server.models and server.find(model) is None:
        names = ", ".join(f"'{name}'" for name in server.models)
        raise InputError(f"the server at {api_base} has no model '{model}'. It has: {names}.")


def context_of(api_base: str, model: str, api_key: str = "EMPTY") -> int | None:
    """The context of a model on a server, which is asked once in this process; None if it does not say.

    A server that does not answer is not remembered.
    """
    known = (api_base, model)
    if known not in _contexts:
        server = ModelServer(api_base, api_key)
        try:
            name = server.find(model)
        except InputError:
            return None
        _contexts[known] = None if name is None else server.context(name)
    return _contexts[known]


def _is(name: str, asked: str) -> bool:
    """True if the server's name of a model is the one that is asked for, or says more: a tag, or the folder it lies in.

    Examples:
        >>> from multihop.lms.served_model import _is
        >>> [_is("llama3.2:latest", "llama3.2"), _is("/models/qwen.gguf", "qwen"), _is("qwen3:8b", "qwen3")]
        [True, True, False]
    """
    path = PurePath(name)
    return asked in (name, name.removesuffix(":latest"), path.name, path.name.removesuffix(".gguf"))


def _entry(entries: list[dict[str, Any]], key: str, name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry[key] == name)


def _parameter(lines: str, name: str) -> str:
    """The value of a parameter as Ollama lists them, one a line."""
    return next(words[1] for words in map(str.split, lines.splitlines()) if words[:1] == [name])
