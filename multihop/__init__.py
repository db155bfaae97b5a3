"""Multi-hop question-answering programs written in DSPy.

Everything an application needs, by name; nothing is imported before it is used.
"""

from .base.imports import lazily
from .programs.methods import CLASSES

__version__ = "0.2.0"

_classes = " ".join(place.partition(":")[2] for place in CLASSES.values())
__getattr__, __dir__, __all__ = lazily(__name__, {"programs": _classes})
