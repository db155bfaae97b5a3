"""Multi-hop question-answering programs written in DSPy.

Everything an application needs, by name; nothing is imported before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:  # what type checkers and editors see; "as" says that a name is meant to be imported from here
    from .base import DamagedFileError as DamagedFileError
    from .base import InputError as InputError
    from .base import MismatchError as MismatchError
    from .base import MissingExtraError as MissingExtraError
    from .base import MissingKeyError as MissingKeyError
    from .base import MultihopError as MultihopError
    from .base import RunFailed as RunFailed
    from .data import Question as Question
    from .data import World as World
    from .data import open_corpus as open_corpus
    from .data import open_questions as open_questions
    from .diagnosis import Diagnosis as Diagnosis
    from .diagnosis import diagnose as diagnose
    from .encoder import Encoder as Encoder
    from .evaluation import Evaluation as Evaluation
    from .evaluation import aevaluate as aevaluate
    from .evaluation import compare as compare
    from .evaluation import evaluate as evaluate
    from .evaluation import evaluate_repeatedly as evaluate_repeatedly
    from .models import lexical as lexical
    from .models import local as local
    from .models import open_lm as open_lm
    from .models import scripted as scripted
    from .models import simulated as simulated
    from .optimize import clone as clone
    from .optimize import compile_variants as compile_variants
    from .optimize import load as load
    from .optimize import save as save
    from .optimize import with_demonstrations as with_demonstrations
    from .programs import PROGRAMS as PROGRAMS
    from .programs import create as create
    from .programs.methods import *  # noqa: F403
    from .retrieval import BM25 as BM25
    from .retrieval import ColBERT as ColBERT
    from .retrieval import Dense as Dense
    from .retrieval import Hit as Hit
    from .retrieval import Hybrid as Hybrid
    from .retrieval import Passage as Passage
    from .retrieval import RemoteRetriever as RemoteRetriever
    from .retrieval import Reranked as Reranked
    from .retrieval import Retriever as Retriever
    from .retrieval import open_index as open_index
    from .runtime import Budget as Budget
    from .runtime import Limits as Limits
    from .runtime import Program as Program
    from .runtime import caching as caching
    from .runtime import priced_by as priced_by
    from .serve.langchain import as_runnable as as_runnable
    from .serve.tracing import start_tracing as start_tracing
else:
    _HOMES = {
        "base": (
            "DamagedFileError",
            "InputError",
            "MismatchError",
            "MissingExtraError",
            "MissingKeyError",
            "MultihopError",
            "RunFailed",
        ),
        "data": ("Question", "World", "open_corpus", "open_questions"),
        "diagnosis": ("Diagnosis", "diagnose"),
        "encoder": ("Encoder",),
        "evaluation": (
            "Evaluation",
            "aevaluate",
            "compare",
            "evaluate",
            "evaluate_repeatedly",
        ),
        "models": ("lexical", "local", "open_lm", "scripted", "simulated"),
        "optimize": ("clone", "compile_variants", "load", "save", "with_demonstrations"),
        "programs": ("PROGRAMS", "create"),
        "retrieval": (
            "BM25",
            "ColBERT",
            "Dense",
            "Hit",
            "Hybrid",
            "Passage",
            "RemoteRetriever",
            "Reranked",
            "Retriever",
            "open_index",
        ),
        "runtime": ("Budget", "Limits", "Program", "caching", "priced_by"),
        "serve.langchain": ("as_runnable",),
        "serve.tracing": ("start_tracing",),
    }
    """Every public name but the programs themselves, which `programs/methods.py` lists."""
    _HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return sorted({*_HOME_OF, *import_module("multihop.programs").__all__} - {"program_named"})
        home = _HOME_OF.get(name, "programs")
        value = None
        if name in _HOME_OF or name[:1].isupper():  # a class; what asks for a submodule must not import programs
            value = getattr(import_module(f"multihop.{home}"), name, None)
        if value is None:
            raise AttributeError(f"module 'multihop' has no attribute '{name}'")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
