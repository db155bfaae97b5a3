"""Multi-hop question-answering programs, one file a method; `methods.py` lists them."""

from ..base.imports import lazily
from .methods import classes_by_home

__getattr__, __dir__, __all__ = lazily(__name__, classes_by_home())
