"""Plots as plain values, and as files: quality over cost with its frontier, and a score by a setting."""

from ...base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
