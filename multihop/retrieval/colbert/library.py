"""colbert-ai as it is used here: everything that is changed about it, and everything it would change about the process.

It is given what transformers 5 expects of a model, and nothing to print. What it would compile from C++ in the first
minutes is left aside: `plaid` ranks in PyTorch. Importing it decides how every later process is started and how
tokenizers use threads; that is put back.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from types import SimpleNamespace
from typing import Any

from ...base import missing_extra

_VARIABLES = ("TOKENIZERS_PARALLELISM", "GIT_PYTHON_REFRESH")
_ready = False
_importing = Lock()


def import_colbert(what: str = "ColBERT") -> None:
    """Import colbert-ai and PyTorch, once, and change `colbert` into what this package can use.

    Raises:
        MissingExtraError: The extra [colbert] is not installed, which `what` needs.
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
    from colbert.search.strided_tensor import StridedTensor

    # A GPU, where there is one, runs the transformer; the rest would need its compiler.
    RunSettings.total_visible_gpus = 0
    ColBERT.loaded_extensions = StridedTensor.loaded_extensions = True  # which are compiled otherwise, and not used
    base_colbert.class_factory = _completed_for_transformers(base_colbert.class_factory)
    # Its manager of half precision has a scaler, which only training uses and which warns.
    checkpoint.MixedPrecisionManager = lambda activated: SimpleNamespace(context=_half_precision)


def _completed_for_transformers(class_factory: Callable[[str], Any]) -> Callable[[str], Any]:
    """Models that end their construction as transformers 5 asks of them."""

    def completed(name: str) -> Any:
        class Completed(class_factory(name)):  # type: ignore[misc]
            def __init__(self, config: Any, colbert_config: Any) -> None:
                super().__init__(config, colbert_config)
                self.post_init()

        return Completed

    return completed


def _half_precision() -> Any:
    import torch

    return torch.autocast("cuda") if torch.cuda.is_available() else nullcontext()


def _silence() -> None:
    """Make `print` and tqdm's progress bars silent, in colbert-ai's own modules only."""
    for name, module in list(sys.modules.items()):
        if name == "colbert" or name.startswith("colbert."):
            module.print = lambda *_, **__: None  # type: ignore[attr-defined]
            bars = getattr(module, "tqdm", None)
            if bars is not None:
                module.tqdm = _without_bar if callable(bars) else SimpleNamespace(tqdm=_without_bar)  # type: ignore[attr-defined]


def _without_bar(items: Any, **_: Any) -> Any:
    return items
