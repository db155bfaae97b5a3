from .methods import *  # noqa: F403
from .registry import PROGRAMS as PROGRAMS
from .registry import create as create
from .registry import program_named as program_named
