"""Engines behind `dspy.LM` that need no network, and the way to any LM that does."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
