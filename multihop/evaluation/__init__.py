"""Metrics, a run that survives anything, and what it came to."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
