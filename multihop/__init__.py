"""Multi-hop question-answering programs written in DSPy.

Everything an application needs, by name; nothing is imported before it is used.
"""

from .base.imports import lazily
from .programs import __all__ as _programs

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazily(__name__, {"programs": " ".join(_programs)})
