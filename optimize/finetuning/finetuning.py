"""A model fine-tuned on chat rows, at OpenAI or on this machine."""

import re
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import dspy
import ujson

from ...base import InputError, MultihopError, RunFailed
from ...base.errors import first_line
from ...base.terminal import muted_prints


def finetune(
    model: str,
    rows: list[dict[str, Any]],
    *,
    name: str = "clone",
    tell: Callable[[str], None] = lambda line: None,
    **options: Any,
) -> str:
    """The name under which the model that was fine-tuned on the rows is asked; waits until it is ready.

    The same call again, after Ctrl-C or a kill, goes on with the training that was begun, or finds what it left.

    Args:
        model: The model to start from: `openai/MODEL`, or, to train on this machine, a transformers folder or a name
            on the hub.
        rows: Conversations, as `chat_rows` makes them.
        name: The name of the clone, such as "mzqa-plan"; the folder of a model trained here begins with it.
        tell: Called with lines about the job.
        **options: Of the training: at OpenAI its hyperparameters, `seed` and `suffix`; here those of `train_here`.

    Raises:
        InputError: An option or a row cannot be trained with; the message says why.
        RunFailed: The training came to nothing.
    """
    if not rows:
        raise InputError(f"there is no conversation to fine-tune '{model}' on.")
    from .local_finetuning import train_here
    from .openai_finetuning import train_at_openai

    digest = blake2b(ujson.dumps([model, rows, options], sort_keys=True).encode(), digest_size=16).hexdigest()
    try:
        if model.startswith(("openai/", "ft:")):
            return train_at_openai(model, rows, digest, options, tell)
        with muted_prints():  # bars are on the error stream
            folder = re.sub(r"[^\w.-]+", "-", f"{name}-{Path(model).name}-{digest[:12]}")
            return train_here(model, rows, folder, options, tell)
    except MultihopError:
        raise
    except Exception as error:
        raise RunFailed(f"fine-tuning '{model}' failed: {first_line(error)}") from error


class FinetuneProvider(dspy.Provider):
    """DSPy's door to `finetune`: `dspy.LM(model, provider=FinetuneProvider())` can be given to BootstrapFinetune."""

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True

    @staticmethod
    def finetune(
        job: Any, model: str, train_data: list[Any], train_data_format: Any, train_kwargs: dict[str, Any] | None = None
    ) -> str:
        """Train, and return the name of what was trained."""
        return finetune(model, train_data, **(train_kwargs or {}))


def finetunable(lm: dspy.LM) -> dspy.LM:
    """The LM with the provider that trains it: `FinetuneProvider` for one of OpenAI's, else the one that it has.

    Raises:
        InputError: It has none that fine-tunes.
    """
    if lm.model.startswith("openai/"):
        lm = lm.copy()
        lm.provider = FinetuneProvider()
    if not getattr(lm.provider, "finetunable", False):
        raise InputError(
            f"nobody is known who fine-tunes {lm.model} and serves the result: take openai/MODEL, or an LM with a "
            "provider of DSPy's that does; `multihop clone` trains models on this machine."
        )
    return lm
