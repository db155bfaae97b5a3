"""Question sets with their corpora by name: which there are, and how each comes into a folder, whole and checked."""

from ...base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
