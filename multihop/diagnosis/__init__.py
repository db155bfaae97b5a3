"""Describes a corpus and its questions for multi-hop retrieval, before any method is chosen."""

from ..base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
