"""The ground of every room: errors, files that are written whole or not at all, and the desk that batches."""

from .lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
