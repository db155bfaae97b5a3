"""Multi-hop question-answering programs, one file a method; `__init__.pyi` lists them."""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
