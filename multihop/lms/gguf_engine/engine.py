"""A model file as an LM: its worker, its grammars, its saved state."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from ..bounded_texts import with_named_ranges
from ..in_process.engine import AsyncModelEngine, ModelEngine, mind
from ..in_process.sharing import share
from .files import PREFIX, check_file, find_file, fingerprint
from .grammar import JSON_OBJECT, Grammar
from .model import ModelFile
from .worker import Room, Worker


class GGUF(ModelEngine):
    """The synchronous half."""

    worker: Worker
    supported_params = (
        *("max_tokens", "temperature", "top_p", "top_k", "seed", "stop"),
        *("response_format", "logprobs", "top_logprobs"),
    )

    def __init__(
        self,
        path: str | os.PathLike[str],
        room: Room | None = None,
        *,
        constrained: bool = True,
        switches: Mapping[str, bool | str] = MappingProxyType({}),
    ) -> None:
        """Open the file, or share it if it is open.

        Args:
            path: The file.
            room: The room and the time that the model is given.
            constrained: True if DSPy sends the schema of a step's fields along.
            switches: Values for the chat template that say whether it thinks before it answers.
        """
        super().__init__(switches)
        room = room or Room()
        self._opened = (str(path), room, constrained, dict(switches))
        self.supports_response_schema = constrained
        file = check_file(path).resolve()
        self.worker = share(self, (str(file), file.stat().st_mtime_ns, room), lambda: Worker(ModelFile(file), room))
        self.name = f"{PREFIX}{file.stem.lower()}{mind(switches)}@{fingerprint(file)}"

    def grammar(self, response_format: Any) -> Grammar | None:
        """The grammar of the schema that the answer is to fit, if it is."""
        if response_format is None:
            return None
        schema = response_format.get("schema")
        return Grammar(self.worker.model, JSON_OBJECT if schema is None else json.dumps(with_named_ranges(schema)))

    def dump_state(self) -> dict[str, Any]:
        """The name of the file and how it is opened; never the folder it lies in."""
        path, room, constrained, switches = self._opened
        return {"file": Path(path).name, **asdict(room), "constrained": constrained, "switches": switches}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The engine that `dump_state` described, if its file is where model files are looked for.

        Raises:
            InputError: It is not.
        """
        how = {name: value for name, value in state.items() if name not in ("file", "constrained", "switches")}
        path = find_file(state["file"])
        return cls(path, Room(**how), constrained=state["constrained"], switches=state["switches"])

    def __reduce__(self) -> Any:
        return _reopened, self._opened


class AsyncGGUF(AsyncModelEngine):
    """The asynchronous half."""

    engine: GGUF


def _reopened(path: str, room: Room, constrained: bool, switches: Mapping[str, bool | str]) -> GGUF:
    return GGUF(path, room, constrained=constrained, switches=switches)
