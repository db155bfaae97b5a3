"""The bytes that each token of a tokenizer stands for, so that letters of several tokens come out whole."""

from __future__ import annotations

import re
from typing import Any

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_WORD_BEGINS = "▁"


class TokenBytes:
    """By each token's number its bytes; nothing for a special one."""

    def __init__(self, tokenizer: Any) -> None:
        """Read how the tokenizer writes its tokens.

        Args:
            tokenizer: One of transformers.
        """
        self._tokenizer = tokenizer
        self._special = frozenset(tokenizer.all_special_ids) | {
            token for token, added in tokenizer.added_tokens_decoder.items() if added.special
        }
        backend = getattr(tokenizer, "backend_tokenizer", None)
        decoder = None if backend is None else backend.decoder
        self._by_bytes = "ByteLevel" in str(decoder)
        self._joins_words = backend is not None and decoder is None
        self._known: dict[int, bytes] = {}

    def __getitem__(self, token: int) -> bytes:
        if token not in self._known:
            self._known[token] = b"" if token in self._special else self._read(token)
        return self._known[token]

    def _read(self, token: int) -> bytes:
        text = self._tokenizer.convert_ids_to_tokens(token)
        if text is None:  # the network has more rows than the tokenizer has words
            return b""
        if token in self._tokenizer.added_tokens_decoder:
            return str(text).encode()
        if self._by_bytes:
            return bytes(_BYTES.get(letter, ord("?")) for letter in text)
        if found := _BYTE.fullmatch(text):
            return bytes([int(found[1], 16)])
        return (f" {text}" if self._joins_words else text.replace(_WORD_BEGINS, " ")).encode()


def _letters() -> dict[str, int]:
    """The byte behind each letter, as byte-level vocabularies write them: printable bytes as they are."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    other = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(other)}


_BYTES = _letters()
