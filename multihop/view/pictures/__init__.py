"""The search for one answer as a picture: a tree of nodes, or rounds one after the other."""

from ...base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
