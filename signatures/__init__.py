"""Each step's contract: what it is told and what it must return."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
