"""The kind of an LM, by its size: what rows were measured with, and what a method is chosen for."""

import math
import re
from typing import NamedTuple

from ...base import InputError
from ...lms.hosted import runs_here, split_address

BUILT_IN = "built in"
LM_KINDS = {
    BUILT_IN: "built-in LM",
    "small": "LM of less than 3 B",
    "medium": "LM of 3 to 14 B",
    "large": "larger or hosted LM",
}
"""The kinds of LMs, the smallest first, each in words."""
BUILT_IN_SIZES = {"local": 0.022, "lexical": 0.0}
"""Billions of parameters of the built-in LMs."""
_SMALLEST, _LARGE = 0.001, 1000.0
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")


class LMKind(NamedTuple):
    """An LM as the choice of a method sees it."""

    name: str
    """Its name without provider, folder and address."""
    size: float | None
    """Billions of parameters; None for a hosted LM that does not tell."""
    kind: str
    """One of `LM_KINDS`."""

    def distance(self, other: "LMKind") -> tuple[bool, int, float]:
        """The distance of another LM: none of the same name, then kinds apart, then the factor between the sizes."""
        kinds = [*LM_KINDS]
        apart = abs(kinds.index(self.kind) - kinds.index(other.kind))
        sizes = [_LARGE if each.size is None else max(each.size, _SMALLEST) for each in (self, other)]
        return self.name.lower() != other.name.lower(), apart, abs(math.log(sizes[0] / sizes[1]))


def lm_kind(lm: str, size: float | None = None) -> LMKind:
    """The LM of that name, as commands take it.

    Args:
        lm: The name, such as "local", "gguf:qwen2.5-1.5b-instruct.gguf", "server/Qwen/Qwen3-8B" or "openai/gpt-4.1".
        size: Billions of parameters, where the name does not tell them.

    Raises:
        InputError: It is no LM's name, or a file's or a server's that tells no size.

    Examples:
        >>> from multihop.experiments.choosing.lm_kind import lm_kind
        >>> lm_kind("gguf:models/qwen2.5-1.5b-instruct-q4_k_m.gguf")
        LMKind(name='qwen2.5-1.5b-instruct-q4_k_m', size=1.5, kind='small')
        >>> lm_kind("openai/gpt-4.1").kind, lm_kind("server/Qwen/Qwen3-8B").kind, lm_kind("local").kind
        ('large', 'medium', 'built in')
    """
    if size is not None and not size > 0:
        raise InputError(f"size is billions of parameters, above 0, not {size:g}.")
    name = short_name(lm)
    if name in BUILT_IN_SIZES and runs_here(lm):
        return LMKind(name, BUILT_IN_SIZES[name], BUILT_IN)
    if runs_here(lm):
        raise InputError(f"nothing is measured with '{lm}', which is made in code; name another LM, such as local.")
    if not (lm.startswith(("gguf:", "folder:")) or "/" in lm):
        raise InputError(
            f"LM '{lm}' is none that a command takes; write local, gguf:PATH, folder:PATH, server/MODEL or "
            '"provider/model", such as "openai/gpt-4.1-mini".'
        )
    size = size_in_name(name) if size is None else size
    if size is None and lm.startswith(("gguf:", "folder:", "server/")):
        raise InputError(f"the name of LM '{lm}' does not tell its size; give it in billions of parameters (--size 7).")
    return LMKind(name, size, kind_of_size(size))


def short_name(lm: str) -> str:
    """The name of an LM without provider, folder, address, version and ending.

    Examples:
        >>> from multihop.experiments.choosing.lm_kind import short_name
        >>> names = ["multihop/gguf:smol-1b@6ad5", "server/Qwen/Qwen3-8B@http://h/v1", "gguf:models/a-1b.gguf"]
        >>> [short_name(name) for name in names]
        ['smol-1b', 'Qwen3-8B', 'a-1b']
    """
    name = split_address(lm)[0].replace("\\", "/").rpartition("/")[2].partition("@")[0]
    return name.removeprefix("gguf:").removeprefix("folder:").removesuffix(".gguf")


def size_in_name(name: str) -> float | None:
    """The billions of parameters that a name tells; None where it tells none.

    Examples:
        >>> from multihop.experiments.choosing.lm_kind import size_in_name
        >>> [size_in_name(name) for name in ("SmolLM2-135M", "Llama3-8B-Instruct", "mixtral-8x7b", "gpt-4o", "q4_0")]
        [0.135, 8.0, 56.0, None, None]
    """
    found = _SIZE.search(name.lower().replace("_", "-"))
    if found is None:
        return None
    return float(found[1] or 1) * float(found[2]) / (1000 if found[3] == "m" else 1)


def kind_of_size(size: float | None) -> str:
    """The kind of an LM that is not built in, by its billions of parameters; of unknown size it is a hosted one."""
    if size is None or size >= 16:
        return "large"
    return "small" if size < 2.5 else "medium"
