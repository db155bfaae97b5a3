"""Compiling programs: cloning, and artefacts that applications load."""

from .artefact import load, save
from .cloning.chat_file import chat_rows
from .cloning.cloning import Cloning, clone
from .cloning.finetuning import finetune
from .prompts.demonstrations import with_demonstrations
from .prompts.study import Outcome, Study, compile_variants
from .prompts.variants import VARIANTS, Tools, Variant

__all__ = [
    "VARIANTS",
    "Cloning",
    "Outcome",
    "Study",
    "Tools",
    "Variant",
    "chat_rows",
    "clone",
    "compile_variants",
    "finetune",
    "load",
    "save",
    "with_demonstrations",
]
