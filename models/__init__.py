"""Engines behind `dspy.LM` that need no network, and the way to any LM that does."""

from .engine import AsyncEngine, Engine, as_lm
from .hosted import open_lm
from .lexical_engine.lexical import Lexical, lexical
from .lm_file import DescribedLM, read_lms
from .local_engine.local import Local, local
from .prompt import Demonstration, Field, Prompt, parse_prompt, write_completion
from .scripted_engine import Scripted, scripted
from .simulated_engine.simulated import Simulated, simulated

__all__ = [
    "AsyncEngine",
    "Demonstration",
    "DescribedLM",
    "Engine",
    "Field",
    "Lexical",
    "Local",
    "Prompt",
    "Scripted",
    "Simulated",
    "as_lm",
    "lexical",
    "local",
    "open_lm",
    "parse_prompt",
    "read_lms",
    "scripted",
    "simulated",
    "write_completion",
]
