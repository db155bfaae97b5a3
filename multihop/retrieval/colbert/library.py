"""colbert-ai as it is used here: everything that is changed about it, and everything it would change about the process.

It is given what transformers 5 expects of a model, operators in PyTorch (`operators`) in place of those that it would
compile in the first minutes, and nothing to print. Importing it decides how every later process is started and how
tokenizers use threads; that is put back.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from types import SimpleNamespace
from typing import Any

from ...base import missing_extra

_VARIABLES = ("TOKENIZERS_PARALLELISM", "GIT_PYTHON_REFRESH")
_ready = False
_importing = Lock()


def import_colbert(what: str = "ColBERT") -> None:
    """Import colbert-ai and PyTorch, once, and change `colbert` into what this package can use.

    Args:
        what: The feature that needs it, for the error.

    Raises:
        MissingExtraError: The extra [colbert] is not installed.
    """
    global _ready
    with _importing:
        if _ready:
            return
        try:
            with _restoring_process():
                import colbert  # noqa: F401
                import faiss  # noqa: F401 - builds the index
        except ImportError as error:
            raise missing_extra(what, "colbert", error) from error
        _replace()
        _silence()
        _ready = True


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """A block without transformers' report and progress bar for a model it loads: weights unused here are meant so."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _restoring_process() -> Iterator[None]:
    """Put back what colbert-ai sets for the whole process, and let it load on a machine without git."""
    started_by = multiprocessing.get_start_method(allow_none=True)
    before = {name: os.environ.get(name) for name in _VARIABLES}
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    try:
        yield
    finally:
        multiprocessing.set_start_method(started_by, force=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _replace() -> None:
    from colbert.infra.config.settings import RunSettings
    from colbert.modeling import base_colbert, checkpoint
    from colbert.modeling.colbert import ColBERT
    from colbert.search.index_storage import IndexScorer
    from colbert.search.strided_tensor import StridedTensor

    from . import operators

    # A GPU, where there is one, runs the transformer; the rest would need its compiler.
    RunSettings.total_visible_gpus = 0
    base_colbert.class_factory = _completed_for_transformers(base_colbert.class_factory)
    checkpoint.MixedPrecisionManager = _Precision
    for owner, names in (
        (ColBERT, ("segmented_maxsim",)),
        (StridedTensor, ("segmented_lookup",)),
        (IndexScorer, ("filter_pids", "decompress_residuals")),
    ):
        owner.loaded_extensions = True
        for name in names:
            setattr(owner, name, staticmethod(getattr(operators, name)))


def _completed_for_transformers(class_factory: Callable[[str], Any]) -> Callable[[str], Any]:
    """Models that end their construction as transformers 5 asks of them."""

    def completed(name: str) -> Any:
        class Completed(class_factory(name)):  # type: ignore[misc]
            def __init__(self, config: Any, colbert_config: Any) -> None:
                super().__init__(config, colbert_config)
                self.post_init()

        return Completed

    return completed


class _Precision:
    """Half precision on a GPU, without the scaler that only training uses and the warnings that come with it."""

    def __init__(self, activated: bool) -> None:
        self._activated = activated

    def context(self) -> AbstractContextManager[Any]:
        import torch

        enabled = self._activated and torch.cuda.is_available()
        precision: AbstractContextManager[Any] = torch.autocast("cuda", enabled=enabled)
        return precision


def _silence() -> None:
    """Make `print` and tqdm's progress bars silent, in colbert-ai's own modules only."""
    for name, module in list(sys.modules.items()):
        if name == "colbert" or name.startswith("colbert."):
            module.print = _print_nothing  # type: ignore[attr-defined]
            bars = getattr(module, "tqdm", None)
            if bars is not None:
                module.tqdm = _without_bar if callable(bars) else SimpleNamespace(tqdm=_without_bar)  # type: ignore[attr-defined]


def _print_nothing(*_: Any, **__: Any) -> None:
    """Prints nothing."""


def _without_bar(items: Any, **_: Any) -> Any:
    """The items themselves, without a progress bar."""
    return items
