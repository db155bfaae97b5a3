"""Multi-hop question-answering programs, one file a method; `methods.py` lists them."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily
from .methods import classes_by_home

if TYPE_CHECKING:
    from .methods import *  # noqa: F403
    from .registry import PROGRAMS as PROGRAMS
    from .registry import create as create
    from .registry import program_named as program_named
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {"registry": "PROGRAMS create program_named", **classes_by_home()})
