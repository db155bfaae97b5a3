"""The few things of DSPy and LiteLLM that no public name gives; each is None where it is gone.

No other module uses a private name or a file of theirs. tests/base/test_private_names.py says what is lost with each.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def batch_search(embeddings: Any) -> Callable[[Sequence[str]], list[tuple[list[str], list[int], list[float]]]] | None:
    """The search of a `dspy.Embeddings` for many queries in one call of its embedder: passages, places and scores.

    Its public call searches for one query at a time, and tells no scores.
    """
    return getattr(embeddings, "_batch_forward", None)


def price_table() -> Path | None:
    """The file in which LiteLLM has the prices of models; importing LiteLLM for `litellm.model_cost` takes seconds."""
    return _file_of_litellm("model_prices_and_context_window_backup.json")


def tokenizer_table() -> Path | None:
    """The table of cl100k_base that comes with LiteLLM, under the name by which tiktoken looks for it.

    `litellm.token_counter` would import all of LiteLLM; `tiktoken` alone would download the table.
    """
    return _file_of_litellm("litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4")


def _file_of_litellm(name: str) -> Path | None:
    package = find_spec("litellm")
    path = Path(package.origin).parent / name if package is not None and package.origin else None
    return path if path is not None and path.exists() else None
