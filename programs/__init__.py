"""Multi-hop question-answering programs, one file a method; `methods.py` lists them."""

from typing import TYPE_CHECKING

from . import methods
from .methods import *  # noqa: F403
from .registry import PROGRAMS as PROGRAMS
from .registry import create as create
from .registry import program_named as program_named

if not TYPE_CHECKING:  # type checkers read the imports above
    __all__ = sorted(["PROGRAMS", "create", "program_named", *methods.__all__])
