"""The one thing of DSPy that no public name gives; tests/base/test_private_names.py says what is lost without it."""

from collections.abc import Callable, Sequence
from typing import Any


def batch_search(embeddings: Any) -> Callable[[Sequence[str]], list[tuple[list[str], list[int], list[float]]]] | None:
    """The search of a `dspy.Embeddings` for many queries in one call of its embedder: passages, places and scores.

    Its public call searches for one query at a time, and tells no scores. None where the private name is gone.
    """
    return getattr(embeddings, "_batch_forward", None)
