"""A model folder opened by transformers: its words as tokens, its chat template, its network."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...base import DamagedFileError, InputError, missing_extra
from ...base.errors import first_line
from ..in_process.content import marked, pieces, special_texts
from ..in_process.model import Tokens
from .batch import Batch
from .files import ModelFolder
from .prefixes import Start
from .token_bytes import TokenBytes

UNKNOWN_CONTEXT = 2048
"""Tokens that a model is given whose description does not say how many it can take."""


class FolderModel:
    """The network and the tokenizer of a folder, in memory."""

    def __init__(self, folder: ModelFolder, *, device: str | None = None, threads: int | None = None) -> None:
        """Load it: in 16 bits on a GPU, in 32 on a processor.

        Args:
            folder: The folder.
            device: The device; by default the first GPU, where there is one.
            threads: Threads of the processor; by default as many as PyTorch takes.

        Raises:
            InputError: It cannot be loaded, or the extra is not installed.
        """
        try:
            import torch
            import transformers
        except ImportError as error:
            raise missing_extra(f"the model folder {folder.path}", "train", error) from None
        self.path = folder.path
        if threads is not None:
            torch.set_num_threads(threads)
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = torch.float32 if self._device == "cpu" else torch.bfloat16
        try:
            with _quiet(transformers):
                self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(_tokenizer_place(folder))
                self.network: Any = _load(transformers, folder, dtype).to(self._device).eval()
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{folder.path} cannot be loaded by transformers: {first_line(error)}") from None
        if not self.tokenizer.chat_template:
            raise InputError(
                f"{folder.path} has no chat template: save the tokenizer that it was trained with beside it."
            )
        takes = inspect.signature(self.network.forward).parameters
        plain = all(not getattr(layer, "is_sliding", False) and hasattr(layer, "keys") for layer in self._layers())
        self.pads = plain and "position_ids" in takes and "attention_mask" in takes
        """True if prompts can be padded, and so computed together, and memory be kept."""
        config = self.network.config.get_text_config()
        self.trained_context = int(getattr(config, "max_position_embeddings", None) or UNKNOWN_CONTEXT)
        self._bytes = TokenBytes(self.tokenizer)

    def close(self) -> None:
        """Give the memory back."""
        self.network = None

    def render(self, messages: Sequence[Mapping[str, str]], **switches: Any) -> str:
        """The prompt of a conversation, up to where the answer begins, for `tokenize`.

        Args:
            messages: Each with its role and content.
            **switches: What else the template knows, such as `enable_thinking`.
        """
        messages = [{**each, "content": marked(each["content"], self._special_texts)} for each in messages]
        try:
            return str(
                self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **switches)
            )
        except Exception as error:  # the template is code by whoever made the folder; it runs in jinja's sandbox
            raise InputError(f"{self.path}: its chat template refuses this conversation: {first_line(error)}") from None

    def tokenize(self, text: str) -> Tokens:
        """The tokens of a prompt: what the template wrote of special tokens is read as such, and no content is."""
        parts = [
            self.tokenizer(piece.text, add_special_tokens=False, split_special_tokens=not piece.special)["input_ids"]
            for piece in pieces(text)
        ]
        return np.concatenate([np.asarray(part, np.int32) for part in parts])

    def piece(self, token: int) -> bytes:
        """The bytes of one token; nothing for a special one."""
        return self._bytes[token]

    def ends(self, token: int) -> bool:
        """True if the token ends an answer."""
        return token in self._ends

    def batch(self, prompts: Sequence[Tokens], starts: Sequence[Start]) -> Batch:
        """The prompts laid out to be computed together."""
        return Batch(self.network, prompts, starts, padding=self.pads)

    @cached_property
    def _ends(self) -> frozenset[int]:
        given = self.network.generation_config.eos_token_id
        listed = given if isinstance(given, list) else [given]
        return frozenset(token for token in (*listed, self.tokenizer.eos_token_id) if token is not None)

    @cached_property
    def _special_texts(self) -> re.Pattern[str]:
        """Finds what the vocabulary has as special tokens."""
        added = self.tokenizer.added_tokens_decoder.values()
        return special_texts([*self.tokenizer.all_special_tokens, *(each.content for each in added if each.special)])

    def _layers(self) -> list[Any]:
        from transformers import DynamicCache

        return list(DynamicCache(config=self.network.config).layers)


def _load(transformers: Any, folder: ModelFolder, dtype: Any) -> Any:
    place, options = str(folder.path), {"dtype": dtype, "use_safetensors": True}
    if folder.base is None:
        network, told = transformers.AutoModelForCausalLM.from_pretrained(place, output_loading_info=True, **options)
        if lacking := sorted(told["missing_keys"]):
            raise DamagedFileError(
                f"{folder.path} lacks {len(lacking)} of the model's weights, such as {lacking[0]}; they belong in it."
            )
        return network
    try:
        from peft import PeftModel
    except ImportError as error:
        raise missing_extra(f"the adapter in {folder.path}", "train", error) from None
    base = Path(folder.base)
    if base.is_file():
        options = {"dtype": dtype, "gguf_file": base.name}
        base = base.parent
    network = transformers.AutoModelForCausalLM.from_pretrained(folder.base if not base.exists() else base, **options)
    return PeftModel.from_pretrained(network, place).merge_and_unload()


def _tokenizer_place(folder: ModelFolder) -> str:
    """The folder of the tokenizer: beside an adapter, if it was saved there."""
    own = any((folder.path / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json"))
    return str(folder.path) if own or folder.base is None else folder.base


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """A block in which transformers shows no bars and tells no warnings."""
    logging = transformers.utils.logging
    level, shows = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shows:
            logging.enable_progress_bar()
