"""Compiling programs: cloning, and artefacts that applications load."""

from .artefact import load, save
from .chat_file import chat_rows
from .cloning import Cloning, clone
from .finetune import finetune
from .study import Outcome, Study, compile_variants
from .variants import VARIANTS, Variant

__all__ = [
    "VARIANTS",
    "Cloning",
    "Outcome",
    "Study",
    "Variant",
    "chat_rows",
    "clone",
    "compile_variants",
    "finetune",
    "load",
    "save",
]
