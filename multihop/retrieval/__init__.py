"""Passages, hits, and everything that finds them."""

from ..base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
