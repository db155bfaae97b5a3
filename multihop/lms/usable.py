"""The LMs that this machine can ask now: servers that answer, providers with a key."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ..base import InputError
from .family import Thinking, family_of
from .own_server import PROVIDER
from .served_model import ModelServer

LOCAL_SERVERS = {
    "llama.cpp": "http://localhost:8080/v1",
    "vLLM": "http://localhost:8000/v1",
    "SGLang": "http://localhost:30000/v1",
    "Ollama": "http://localhost:11434/v1",
    "LM Studio": "http://localhost:1234/v1",
}
"""The addresses at which servers of one's own listen unless they are told otherwise."""
KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "azure": "AZURE_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "moonshot": "MOONSHOT_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "xai": "XAI_API_KEY",
}
"""Providers, each with the variable that holds its key."""
_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model of a server."""

    name: str
    """Its name there."""
    lm: str
    """The name under which a command takes it."""
    family: str | None = None
    """The family of the model, as far as it is known."""
    thinks: Thinking | None = None
    """When the models of the family think before they answer; None if the family is not known."""
    context: int | None = None
    """Tokens that it takes for a prompt and its answer together; None if the server does not say."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers."""

    kind: str
    """The usual server at this address, such as "Ollama"; "yours" for an address that was given."""
    address: str
    """Its address."""
    models: tuple[FoundModel, ...]
    """The models that it has."""


@dataclass(frozen=True, slots=True)
class Usable:
    """All that was found."""

    servers: tuple[FoundServer, ...]
    """Servers that answered."""
    keys: tuple[str, ...]
    """Providers whose key is set."""


def find_usable(*, addresses: Iterable[str] = ()) -> Usable:
    """Ask servers for their models, and see which keys are set. No LM is called.

    Args:
        addresses: Servers to ask beside those on this machine's usual ports.
    """
    places = {**LOCAL_SERVERS, **{address: address for address in addresses}}
    with ThreadPoolExecutor(len(places) or 1) as pool:
        answers = pool.map(_models_of, places.values())
    servers = [
        FoundServer(kind if kind in LOCAL_SERVERS else "yours", address, models)
        for (kind, address), models in zip(places.items(), answers, strict=True)
        if models is not None
    ]
    return Usable(
        tuple(servers),
        tuple(provider for provider, variable in KEYS.items() if os.environ.get(variable)),
    )


def _models_of(address: str) -> tuple[FoundModel, ...] | None:
    """The models of the server; None if there is no server."""
    server = ModelServer(address, patience=_PATIENCE)
    try:
        names = server.models
    except InputError:
        return None
    return None if names is None else tuple(_model(server, name) for name in names)


def _model(server: ModelServer, name: str) -> FoundModel:
    family = family_of(name)
    return FoundModel(
        name,
        f"{PROVIDER}/{name}@{server.address}",
        family=family.name if family else None,
        thinks=family.thinking if family else None,
        context=server.context(name),
    )
