"""Errors, files that are written whole or not at all, and questions answered in batches: used by every room."""

from .imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
