"""Compiling programs: cloning, and artefacts that applications load."""

from .artefact import load, save
from .chat_file import chat_rows
from .clone import Cloning, clone
from .finetune import finetune

__all__ = ["Cloning", "chat_rows", "clone", "finetune", "load", "save"]
