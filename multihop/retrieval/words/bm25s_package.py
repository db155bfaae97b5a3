"""The package bm25s, whose format an index has, without the JAX that it would start."""

import sys
from types import ModuleType


def bm25s_package() -> ModuleType:
    """bm25s, imported so that it takes numpy.

    Where JAX is installed bm25s tries it as it is imported, and JAX takes three quarters of a GPU's memory with its
    first array. Nothing here ranks with it.
    """
    hidden = "bm25s" not in sys.modules and "jax" not in sys.modules
    if hidden:
        sys.modules["jax"] = None  # type: ignore[assignment]  # an import of it fails, as where it is not installed
    try:
        import bm25s
    finally:
        if hidden:
            del sys.modules["jax"]
    package: ModuleType = bm25s
    return package
