"""Passages, hits, and the retrievers that find them."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
