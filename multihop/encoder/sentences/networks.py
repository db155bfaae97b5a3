"""A transformer that gives vectors for tokens: as ONNX without PyTorch, or by PyTorch."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError, missing_extra
from ...base.errors import first_line
from ..session import open_network

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TOKENS = ("last_hidden_state", "token_embeddings", "hidden_states")
_SENTENCES = ("sentence_embedding", "pooler_output", "text_embeds")


class OnnxNetwork:
    """A network in an ONNX file, opened when it is first asked."""

    together = 1024
    """The most tokens, padding included, that go through it at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _network(self) -> Any:
        return open_network(self._path)

    @cached_property
    def _output(self) -> str:
        """The output that is a vector for each token, or else one for each text."""
        ranks: dict[str, int] = {output.name: len(output.shape or ()) for output in self._network.get_outputs()}
        for names, rank in ((_TOKENS, 3), (tuple(ranks), 3), (_SENTENCES, 2), (tuple(ranks), 2)):
            for name in names:
                if ranks.get(name) == rank:
                    return name
        raise InputError(f"{self._path} gives no vectors, neither for tokens nor for texts; its outputs are {ranks}.")

    def run(self, ids: "NDArray[np.int64]", mask: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """Vectors text by token; or text by number, where the network has pooled them itself."""
        import numpy as np

        known = {"input_ids": ids, "attention_mask": mask}
        feed = {}
        for wanted in self._network.get_inputs():
            if wanted.name == "token_type_ids":
                known[wanted.name] = np.zeros_like(ids)
            elif wanted.name == "position_ids":
                known[wanted.name] = np.broadcast_to(np.arange(ids.shape[1]), ids.shape).copy()
            elif wanted.name not in known:
                raise InputError(f"{self._path} asks for '{wanted.name}', which is no input of a sentence encoder.")
            feed[wanted.name] = known[wanted.name].astype(np.int32 if "int32" in wanted.type else np.int64)
        (vectors,) = self._network.run([self._output], feed)
        return np.asarray(vectors, np.float32)


class TorchNetwork:
    """A transformer run by PyTorch, on a GPU where there is one; opened when it is first asked."""

    def __init__(self, home: Path) -> None:
        try:
            import torch
            import transformers  # noqa: F401 - needed when it is opened
        except ImportError as error:
            raise missing_extra(f"the encoder in {home}, which has no ONNX file,", "train", error) from error
        self._home = home
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self.together = 16384 if self._device == "cuda" else 1024

    @cached_property
    def _network(self) -> Any:
        import torch
        from transformers import AutoModel

        try:
            model = AutoModel.from_pretrained(self._home, local_files_only=True, dtype=torch.float32)
        except Exception as error:  # that library has many, and lines of advice after the first
            raise InputError(
                f"the encoder in {self._home} cannot be opened by PyTorch: {first_line(error)}."
            ) from error
        return model.to(self._device).eval()

    def run(self, ids: "NDArray[np.int64]", mask: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """Vectors text by token."""
        import numpy as np
        import torch

        with torch.inference_mode():
            feed = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            output = self._network(**{name: each.to(self._device) for name, each in feed.items()})
        return np.asarray(output.last_hidden_state.float().cpu().numpy(), np.float32)
