"""The questions that taught the built-in networks: which figures were measured on what they had learned.

`built_in/taught.bin` holds no text. It has 35 bits of a digest of each question's words, and of its id where its set
gives it one, so that one question in two hundred thousand is taken for another. `docs/make_taught.py` writes it.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import ujson

from .weights import BUILT_IN, JUDGE, MANIFEST, READER

KEPT = 35
"""Bits of a digest that are kept."""
FILE = "taught.bin"


def has_taught(question: str, identifier: str = "") -> bool:
    """True if the built-in networks learned from this question, known by its words or by its id."""
    return not _kept().isdisjoint(_digest(key) for key in (words_of(question), identifier) if key)


def is_built_in(weights: str) -> bool:
    """True if the fingerprint of an encoder, or a text with it, is of one that has the built-in judge or reader."""
    return any(mark in weights for mark in _marks())


def words_of(question: str) -> str:
    """A question without case, marks and spaces that are written in many ways."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", question).casefold()))


def packed(keys: Iterable[str]) -> bytes:
    """The file of these questions' words and ids: differences of sorted digests, byte by byte, compressed."""
    digests = np.array(sorted({_digest(key) for key in keys}), dtype="<u8")
    steps = np.diff(digests, prepend=np.zeros(1, "<u8"))
    return zlib.compress(steps.view(np.uint8).reshape(-1, 8).T.tobytes(), 9)


@lru_cache(maxsize=1)
def _kept() -> frozenset[int]:
    planes = np.frombuffer(zlib.decompress((BUILT_IN / FILE).read_bytes()), np.uint8).reshape(8, -1)
    return frozenset(np.cumsum(planes.T.copy().view("<u8").ravel()).tolist())


@lru_cache(maxsize=1)
def _marks() -> tuple[str, ...]:
    files = ujson.loads((BUILT_IN / MANIFEST).read_bytes())["files"]
    return tuple(files[name][:8] for name in (JUDGE, READER))


def _digest(key: str) -> int:
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> (64 - KEPT)
