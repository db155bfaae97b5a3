"""A GGUF file opened by llama.cpp: its words as tokens, its chat template, its context."""

from __future__ import annotations

import ctypes
import functools
import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...base import InputError
from ..in_process.content import Piece, marked, pieces, special_texts
from ..in_process.model import Tokens
from .files import check_file

TEMPLATE = "tokenizer.chat_template"
EXTRA = "multihop[llama]"


def llama() -> Any:
    """The library that runs the files.

    Raises:
        InputError: It is not installed.
    """
    try:
        import llama_cpp
    except ImportError as error:
        raise InputError(f"a GGUF file needs llama.cpp: pip install '{EXTRA}' ({error}).") from None
    return llama_cpp


class ModelFile:
    """The weights and the vocabulary of a file, in memory."""

    def __init__(self, path: str | os.PathLike[str], *, gpu_layers: int = -1) -> None:
        """Open the file.

        Args:
            path: The file.
            gpu_layers: Layers to keep on a GPU, where llama.cpp was built for one; -1 for all.

        Raises:
            InputError: It is no GGUF file, it is damaged, or it is no model that answers in a conversation.
        """
        self.path = check_file(path)
        self._llama = lib = llama()
        _silence(lib)
        lib.llama_backend_init()
        parameters = lib.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        _errors.clear()
        self.pointer = lib.llama_model_load_from_file(os.fsencode(self.path), parameters)
        if not self.pointer:
            said = next(iter(_errors), "it says no more")
            raise InputError(f"{self.path} cannot be loaded by llama.cpp {lib.__version__}: {said}.")
        if not lib.llama_model_has_decoder(self.pointer) or lib.llama_model_has_encoder(self.pointer):
            self.close()
            raise InputError(f"{self.path} is no model that writes text.")
        self.vocabulary = lib.llama_model_get_vocab(self.pointer)
        if not self.metadata(TEMPLATE):
            self.close()
            raise InputError(
                f"{self.path} has no chat template: it is a base model, which goes on with a text and follows no "
                "instructions; take its instruct version."
            )
        self.tokens_count: int = lib.llama_vocab_n_tokens(self.vocabulary)
        self.trained_context: int = lib.llama_model_n_ctx_train(self.pointer)
        self._pieces: dict[int, bytes] = {}

    def close(self) -> None:
        """Give the memory back."""
        if self.pointer:
            self._llama.llama_model_free(self.pointer)
            self.pointer = None

    def tokenize(self, text: str) -> Tokens:
        """The tokens of a prompt: what the template wrote of special tokens is read as such, and no content is."""
        return np.concatenate([self._tokens(piece) for piece in pieces(text)])

    def _tokens(self, piece: Piece) -> Tokens:
        data = piece.text.encode("utf-8", errors="replace")
        room = len(data) + 8
        while True:
            found = (ctypes.c_int32 * room)()
            count = self._llama.llama_tokenize(self.vocabulary, data, len(data), found, room, False, piece.special)
            if count >= 0:
                return np.array(found[:count], np.int32)
            room = -count

    def piece(self, token: int) -> bytes:
        """The bytes of one token; nothing for a special one."""
        if token not in self._pieces:
            room = ctypes.create_string_buffer(256)
            length = self._llama.llama_token_to_piece(self.vocabulary, token, room, 256, 0, False)
            self._pieces[token] = room.raw[: max(length, 0)]
        return self._pieces[token]

    def ends(self, token: int) -> bool:
        """True if the token ends an answer."""
        return bool(self._llama.llama_vocab_is_eog(self.vocabulary, token))

    def metadata(self, key: str) -> str | None:
        """A value of the file's own description; None if it has none."""
        room = ctypes.create_string_buffer(1 << 17)
        length = self._llama.llama_model_meta_val_str(self.pointer, key.encode(), room, len(room))
        return None if length < 0 else room.raw[:length].decode("utf-8", errors="replace")

    @cached_property
    def template(self) -> Any:
        """The chat template.

        Raises:
            InputError: It cannot be read.
        """
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        # the template is code by whoever made the file: it runs in jinja's sandbox, and reaches nothing
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals |= {"raise_exception": _raise, "strftime_now": lambda form: ""}
        try:
            return environment.from_string(self.metadata(TEMPLATE) or "")
        except TemplateError as error:
            raise InputError(f"{self.path}: its chat template cannot be read: {error}.") from None

    def render(self, messages: Sequence[Mapping[str, str]], **switches: Any) -> str:
        """The prompt of a conversation, up to where the answer begins, for `tokenize`.

        Args:
            messages: Each with its role and content.
            **switches: What else the template knows, such as `enable_thinking`.
        """
        from jinja2 import TemplateError

        messages = [{**each, "content": marked(each["content"], self._special_texts)} for each in messages]
        special = {"bos_token": self._special("bos"), "eos_token": self._special("eos")}
        try:
            return str(self.template.render(messages=messages, add_generation_prompt=True, **special, **switches))
        except (TemplateError, TypeError, ValueError) as error:
            raise InputError(f"{self.path}: its chat template refuses this conversation: {error}.") from None

    @cached_property
    def _special_texts(self) -> re.Pattern[str]:
        """Finds what the vocabulary has as special tokens."""
        lib = self._llama
        kinds = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_UNKNOWN
        attributes = (lib.llama_vocab_get_attr(self.vocabulary, token) for token in range(self.tokens_count))
        return special_texts([self._text(token) for token, has in enumerate(attributes) if has & kinds])

    def _special(self, name: str) -> str:
        token = getattr(self._llama, f"llama_vocab_{name}")(self.vocabulary)
        return "" if token < 0 else self._text(token)

    def _text(self, token: int) -> str:
        text = self._llama.llama_vocab_get_text(self.vocabulary, token)
        return text.decode("utf-8", errors="replace") if text else ""


def _raise(message: str) -> None:
    raise ValueError(message)


def _silence(lib: Any) -> None:
    """llama.cpp writes its log to the error stream unless it is told not to."""
    lib.llama_log_set(_listener(lib), ctypes.c_void_p(0))


_ERROR = 4
"""The level of llama.cpp's errors."""
_FUNCTION = re.compile(r"^\w+: (error loading model: )?")
_errors: list[str] = []
"""The errors of llama.cpp since a file began to be loaded, without the names of its functions."""


@functools.cache
def _listener(lib: Any) -> Any:
    """The function that llama.cpp calls; it must live as long as the process."""

    def listen(level: int, text: bytes, data: Any) -> None:
        if level == _ERROR:
            _errors.append(_FUNCTION.sub("", text.decode("utf-8", errors="replace").strip()))

    return lib.llama_log_callback(listen)
