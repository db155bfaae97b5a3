"""A finished run in the files of other tools, so that it can be put beside what they have measured."""

from ...base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
