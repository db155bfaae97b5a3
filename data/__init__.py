"""Question sets, corpora and the little encyclopedia."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
