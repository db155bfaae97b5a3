"""The base of every method: the program, its branches, budget, calls, settings and record of steps."""

from ..base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
