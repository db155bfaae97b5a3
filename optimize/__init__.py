"""Compiling programs: cloning, and artefacts that applications load."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
