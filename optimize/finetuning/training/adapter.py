"""LoRA: small matrices beside a network's layers, trained in the place of its weights."""

from typing import Any

from ....base import InputError, missing_extra
from ....base.errors import first_line
from .options import TrainingOptions


def with_adapter(network: Any, options: TrainingOptions) -> Any:
    """The network with matrices beside its layers; its own weights no longer learn.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        InputError: It has no such layers.
    """
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise missing_extra("method=lora", "train", error) from None
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=options.rank,
        lora_alpha=options.alpha or 2 * options.rank,
        lora_dropout=0.0,
        target_modules=options.targets,
    )
    try:
        return get_peft_model(network, config)
    except ValueError as error:
        linear = {
            name.rpartition(".")[2] for name, layer in network.named_modules() if type(layer).__name__ == "Linear"
        }
        raise InputError(
            f"LoRA cannot be put beside targets={options.targets!r} ({first_line(error).rstrip('.')}); "
            f"all-linear, or some of: {', '.join(sorted(linear)) or 'none here'}."
        ) from error
