"""Fine-tuning a model on chat rows, with any DSPy provider that can."""

from importlib import import_module
from typing import Any

import dspy

from ...base import InputError, MultihopError, RunFailed, unknown
from ...base.muting import muted_prints

PROVIDERS = {
    "openai": "dspy.clients.openai:OpenAIProvider",
    "databricks": "dspy.clients.databricks:DatabricksProvider",
    "local": "multihop.optimize.cloning.local_finetuning:LocalProvider",
}
"""Providers by a short name; any other is written MODULE:CLASS."""


def provider_named(name: str) -> dspy.Provider:
    """The provider, by its short name or as MODULE:CLASS.

    Raises:
        InputError: There is none of that name, or it cannot fine-tune.
    """
    if ":" not in name and name not in PROVIDERS:
        raise unknown("fine-tuning provider (or MODULE:CLASS)", name, PROVIDERS)
    module, _, kind = PROVIDERS.get(name, name).partition(":")
    try:
        provider = getattr(import_module(module), kind)()
    except ImportError as error:
        raise InputError(f"the fine-tuning provider '{name}' cannot be imported: {error}.") from None
    except AttributeError:
        raise InputError(f"there is no provider {kind} in {module}.") from None
    if not (isinstance(provider, dspy.Provider) and provider.finetunable):
        raise InputError(f"{name} is not a DSPy provider that can fine-tune.")
    return provider


def finetune(model: str, rows: list[dict[str, Any]], *, provider: str | None = None, **options: Any) -> str:
    """The name of the model that was fine-tuned on the rows; waits until it is ready.

    Args:
        model: The model to start from, by DSPy's name for it.
        rows: Conversations, as `chat_rows` makes them.
        provider: The provider that trains; by default the one that DSPy holds responsible for the model.
        **options: Passed on to the provider, such as `n_epochs`.

    Raises:
        InputError: Nobody can fine-tune this model here.
        RunFailed: The provider gave up.
    """
    lm = dspy.LM(model, provider=provider_named(provider) if provider else None)
    if not lm.provider.finetunable:
        raise InputError(f"nobody is known who fine-tunes '{model}'; name a provider: {', '.join(PROVIDERS)}.")
    with muted_prints():  # providers print their progress
        job = lm.finetune(rows, "chat", options or None)
        trained = job.result()
        job.thread.join()
    if isinstance(trained, MultihopError):
        raise trained
    if isinstance(trained, Exception):
        raise RunFailed(f"fine-tuning '{model}' failed: {trained}") from trained
    return str(trained.model)
