"""Fine-tuning a model on chat rows, with any DSPy provider that can."""

from collections.abc import Callable
from typing import Any

import dspy

from ...base import InputError, MultihopError, RunFailed, unknown
from ...base.by_name import Kind, import_reference
from ...base.terminal import muted_prints
from .local_finetuning import LocalProvider
from .openai_finetuning import OpenAIProvider

PROVIDERS = {
    "openai": "multihop.optimize.finetuning.openai_finetuning:OpenAIProvider",
    "databricks": "dspy.clients.databricks:DatabricksProvider",
    "local": "multihop.optimize.finetuning.local_finetuning:LocalProvider",
}
"""Providers by a short name; any other is written MODULE:CLASS."""
_KIND = Kind("fine-tuning provider", "", "MODULE:CLASS")


def provider_named(name: str) -> dspy.Provider:
    """The provider, by its short name or as MODULE:CLASS.

    Raises:
        InputError: There is none of that name, or it cannot fine-tune.
    """
    if ":" not in name and name not in PROVIDERS:
        raise unknown("fine-tuning provider (or MODULE:CLASS)", name, PROVIDERS)
    kind = import_reference(_KIND, PROVIDERS.get(name, name))
    provider = kind()
    if isinstance(provider, dspy.Provider):
        # DSPy's base class hides what a class such as its DatabricksProvider says of itself.
        vars(provider).update({each: vars(kind)[each] for each in ("finetunable", "TrainingJob") if each in vars(kind)})
        if provider.finetunable:
            return provider
    raise InputError(f"{name} is not a DSPy provider that can fine-tune.")


def provider_of(lm: dspy.BaseLM) -> dspy.Provider:
    """The provider that an LM was given, or the one that is responsible for models of its name."""
    inferred = type(lm.provider) is type(lm.infer_provider())
    return OpenAIProvider() if inferred and OpenAIProvider.is_provider_model(lm.model) else lm.provider


def _responsible(model: str) -> dspy.Provider:
    """The provider for a model of that name."""
    if LocalProvider.is_provider_model(model):
        return LocalProvider()
    return provider_of(dspy.LM(model))


def finetune(
    model: str,
    rows: list[dict[str, Any]],
    *,
    provider: str | None = None,
    name: str = "",
    tell: Callable[[str], None] | None = None,
    show: Callable[[str], None] | None = None,
    **options: Any,
) -> str:
    """The name under which the model that was fine-tuned on the rows is asked; waits until it is ready.

    Args:
        model: The model to start from, by DSPy's name for it.
        rows: Conversations, as `chat_rows` makes them.
        provider: The provider that trains; by default the one that is responsible for the model: this machine for a
            folder and a name on the hub.
        name: The name of the clone, such as "mzqa-plan", for a provider that keeps what it trains on this machine.
        tell: Called with a line that names the job, where the provider has one.
        show: Called after each step of a training on this machine, with a line that says how far it is.
        **options: Passed on to the provider, such as `n_epochs`.

    Raises:
        InputError: Nobody can fine-tune this model here.
        RunFailed: The provider gave up.
    """
    trainer = provider_named(provider) if provider else _responsible(model)
    if not trainer.finetunable:
        raise InputError(f"nobody is known who fine-tunes '{model}'; name a provider: {', '.join(PROVIDERS)}.")
    asked = {"model": model, "train_data": rows, "train_data_format": "chat", "train_kwargs": options or None}
    job = trainer.TrainingJob(**asked)
    if name:
        job.name = name
    if tell is not None:
        job.tell = tell
    if show is not None:
        job.show = show
    try:
        with muted_prints():  # providers print their progress
            return str(trainer.finetune(job=job, **asked))
    except MultihopError:
        raise
    except Exception as error:
        raise RunFailed(f"fine-tuning '{model}' failed: {error}") from error
