"""The LMs that this machine can ask now: model files and folders, servers that answer, providers with a key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..base import InputError, reading
from .family import Thinking, family_of
from .gguf_engine.files import MAGIC, PREFIX, model_folders
from .gguf_engine.header import Header, read_header
from .own_server import PROVIDER
from .served_model import ModelServer
from .transformers_engine.files import ADAPTER, CONFIG, ModelFolder, check_folder, config_of
from .transformers_engine.files import PREFIX as FOLDER

LOCAL_SERVERS = {
    "llama.cpp": "http://localhost:8080/v1",
    "vLLM": "http://localhost:8000/v1",
    "SGLang": "http://localhost:30000/v1",
    "Ollama": "http://localhost:11434/v1",
    "LM Studio": "http://localhost:1234/v1",
}
"""The addresses at which servers of one's own listen unless they are told otherwise."""
_CACHES = (
    "~/.cache/llama.cpp",
    "~/.cache/huggingface/hub",
    "~/.lmstudio/models",
    "~/.cache/lm-studio/models",
    "~/Library/Caches/llama.cpp",
)
"""The folders in which other programs keep model files."""
_CLONES = ("DSPY_FINETUNEDIR", "~/.dspy_cache/finetune")
"""The variable that names the folder of cloned models, and the one where they are by default."""
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
class FoundFile:
    """A model file."""

    path: str
    """Its path."""
    bytes: int
    """The size of its weights."""
    lm: str
    """The name under which a command takes it."""
    family: str | None = None
    """The family of the model, as far as it is known."""
    thinks: Thinking | None = None
    """When the models of the family think before they answer; None if the family is not known, or it was cloned."""
    context: int | None = None
    """Tokens that the model takes at once."""


@dataclass(frozen=True, slots=True)
class FoundFolder(FoundFile):
    """A model folder of transformers, such as a cloned model."""

    cloned_from: str | None = None
    """The model that it was before it was trained here; None for one that was not."""


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

    files: tuple[FoundFile, ...]
    """Model files, the largest first."""
    folders: tuple[FoundFolder, ...]
    """Model folders, the largest first."""
    runs_files: bool
    """True if the extra is installed that runs files."""
    runs_folders: bool
    """True if the extra is installed that runs folders."""
    servers: tuple[FoundServer, ...]
    """Servers that answered."""
    keys: tuple[str, ...]
    """Providers whose key is set."""


def find_usable(*, addresses: Iterable[str] = (), folders: Iterable[str] = ()) -> Usable:
    """Look for files, ask servers for their models, and see which keys are set. No LM is called.

    Args:
        addresses: Servers to ask beside those on this machine's usual ports.
        folders: Folders to look into beside the usual ones.
    """
    places = {**LOCAL_SERVERS, **{address: address for address in addresses}}
    with ThreadPoolExecutor(len(places) or 1) as pool:
        answers = pool.map(_models_of, places.values())
    servers = [
        FoundServer(kind if kind in LOCAL_SERVERS else "yours", address, models)
        for (kind, address), models in zip(places.items(), answers, strict=True)
        if models is not None
    ]
    found = {path.resolve(): path for path in _files(folders)}
    files = sorted(found.values(), key=lambda path: (-path.stat().st_size, str(path)))
    whole = {path.resolve(): folder for path in _folders(folders) if (folder := _whole(path)) is not None}
    return Usable(
        tuple(_file(path) for path in files),
        tuple(sorted(map(_folder, whole.values()), key=lambda folder: (-folder.bytes, folder.path))),
        find_spec("llama_cpp") is not None,
        all(find_spec(name) is not None for name in ("torch", "transformers")),
        tuple(servers),
        tuple(provider for provider, variable in KEYS.items() if os.environ.get(variable)),
    )


def _files(folders: Iterable[str]) -> Iterator[Path]:
    """The model files of the usual folders and these, without the later parts of one in parts, and what only sees."""
    for folder in (*model_folders(), *map(Path, (*folders, *_CACHES))):
        yield from (path for path in folder.expanduser().rglob("*.gguf") if _answers(path))
    yield from (path for path in Path().glob("*.gguf") if _answers(path))


def _answers(path: Path) -> bool:
    if "mmproj" in path.name or ("-of-" in path.stem and "00001-of-" not in path.stem):
        return False
    try:
        with reading(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, InputError):
        return False


def _folders(folders: Iterable[str]) -> Iterator[Path]:
    """The folders that may hold a model: of the usual ones for clones, those of `MULTIHOP_MODELS`, and these."""
    for place in (*model_folders(), *map(Path, (*folders, os.environ.get(_CLONES[0]) or _CLONES[1]))):
        for name in (CONFIG, ADAPTER):
            yield from (path.parent for path in place.expanduser().rglob(name))


def _whole(path: Path) -> ModelFolder | None:
    """The folder, if it holds a whole model that answers in a conversation."""
    try:
        return check_folder(path)
    except InputError:  # an encoder, say
        return None


def _folder(folder: ModelFolder) -> FoundFolder:
    """A folder as it describes itself."""
    config = config_of(folder)
    names = (folder.path.name, folder.base, folder.cloned_from)
    family = family_of(*names, architecture=config.get("model_type"))
    context = config.get("max_position_embeddings")
    return FoundFolder(
        str(folder.path),
        sum(path.stat().st_size for path in folder.path.glob("*.safetensors")),
        f"{FOLDER}{folder.path}",
        family=family.name if family else None,
        thinks=family.thinking if family and folder.cloned_from is None else None,
        context=context if isinstance(context, int) else None,
        cloned_from=folder.cloned_from,
    )


def _file(path: Path) -> FoundFile:
    """A file as it describes itself."""
    try:
        header = read_header(path)
    except InputError:  # it says so again, to whoever opens it
        header = Header(None, None, None)
    family = family_of(header.name, path.stem, architecture=header.architecture)
    return FoundFile(
        str(path),
        path.stat().st_size,
        f"{PREFIX}{path}",
        family=family.name if family else None,
        thinks=family.thinking if family else None,
        context=header.context,
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
