"""Question sets, corpora and the little encyclopedia."""

from ..base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
