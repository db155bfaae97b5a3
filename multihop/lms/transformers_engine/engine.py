"""A model folder as an LM: its worker and its saved state."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from ..in_process.engine import AsyncModelEngine, ModelEngine, mind
from ..in_process.sharing import share
from .files import PREFIX, check_folder, digest_of, find_folder
from .model import FolderModel
from .worker import Space, Worker


class Transformers(ModelEngine):
    """The synchronous half."""

    worker: Worker
    supported_params = ("max_tokens", "temperature", "top_p", "top_k", "seed", "stop", "logprobs", "top_logprobs")
    longer = "take a model with a larger context"

    def __init__(
        self,
        path: str | os.PathLike[str],
        space: Space | None = None,
        *,
        switches: Mapping[str, bool | str] = MappingProxyType({}),
    ) -> None:
        """Open the folder, or share it if it is open.

        Args:
            path: The folder.
            space: The memory and the time that the model is given.
            switches: Values for the chat template that say whether it thinks before it answers.
        """
        super().__init__(switches)
        space = space or Space()
        self._opened = (str(path), space, dict(switches))
        folder = check_folder(Path(path).resolve())
        digest = digest_of(folder)
        self.worker = share(
            self,
            (str(folder.path), digest, space),
            lambda: Worker(FolderModel(folder, device=space.device, threads=space.threads), space),
        )
        self.name = f"{PREFIX}{folder.path.name}{mind(switches)}@{digest}"

    def dump_state(self) -> dict[str, Any]:
        """The name of the folder and how it is opened; never the one it lies in."""
        path, space, switches = self._opened
        return {"folder": Path(path).resolve().name, **asdict(space), "switches": switches}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The engine that `dump_state` described, if its folder is where models are looked for.

        Raises:
            InputError: It is not.
        """
        how = {name: value for name, value in state.items() if name not in ("folder", "switches")}
        return cls(find_folder(state["folder"]), Space(**how), switches=state["switches"])

    def __reduce__(self) -> Any:
        return _reopened, self._opened


class AsyncTransformers(AsyncModelEngine):
    """The asynchronous half."""

    engine: Transformers


def _reopened(path: str, space: Space, switches: Mapping[str, bool | str]) -> Transformers:
    return Transformers(path, space, switches=switches)
