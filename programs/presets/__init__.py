"""The papers' values, a file a paper: what each of its tables is made with, and what the paper leaves open."""

from ...base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
