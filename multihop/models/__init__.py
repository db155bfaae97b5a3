"""Engines behind `dspy.LM` that need no network, and the way to any LM that does."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .engine import AsyncEngine as AsyncEngine
    from .engine import Engine as Engine
    from .engine import as_lm as as_lm
    from .hosted import open_lm as open_lm
    from .lexical_engine.lexical import Lexical as Lexical
    from .lexical_engine.lexical import lexical as lexical
    from .lm_file import DescribedLM as DescribedLM
    from .lm_file import read_lms as read_lms
    from .local_engine.local import Local as Local
    from .local_engine.local import local as local
    from .prompt import Demonstration as Demonstration
    from .prompt import Field as Field
    from .prompt import Prompt as Prompt
    from .prompt import parse_prompt as parse_prompt
    from .prompt import write_completion as write_completion
    from .scripted_engine import Scripted as Scripted
    from .scripted_engine import scripted as scripted
    from .simulated_engine.simulated import Simulated as Simulated
    from .simulated_engine.simulated import simulated as simulated
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "engine": "AsyncEngine Engine as_lm",
            "hosted": "open_lm",
            "lexical_engine.lexical": "Lexical lexical",
            "lm_file": "DescribedLM read_lms",
            "local_engine.local": "Local local",
            "prompt": "Demonstration Field Prompt parse_prompt write_completion",
            "scripted_engine": "Scripted scripted",
            "simulated_engine.simulated": "Simulated simulated",
        },
    )
