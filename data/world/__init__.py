"""The generated world: a fictional encyclopedia with multi-hop questions about it."""

from ...base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
