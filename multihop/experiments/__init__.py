"""The papers' tables as experiments: files of rows, settings and published figures, and the study that runs one."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
