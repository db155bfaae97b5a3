"""The built-in encoder: small trained networks that embed texts, judge passages and pick the words of a query."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
