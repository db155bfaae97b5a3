"""The little encyclopedia: true pages that name each other, with multi-hop questions about them."""

from ...base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
