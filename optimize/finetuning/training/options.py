"""The options of a training, each with its value by default."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from ....base import InputError, unknown

METHODS = ("full", "lora")
FORMATS = ("folder", "adapter")
PRECISIONS = ("auto", "bf16", "fp32")
_NUMBERS = {
    "epochs": (1, 1000),
    "learning_rate": (1e-9, 1),
    "batch": (1, 100_000),
    "tokens": (1, 1_000_000),
    "longest": (2, 1_000_000),
    "warmup": (0, 1),
    "clip": (1e-9, 1e9),
    "decay": (0, 1),
    "held_out": (0, 0.9),
    "check_every": (0, 1_000_000),
    "patience": (0, 1000),
    "rank": (1, 4096),
    "alpha": (1e-9, 1e9),
    "seed": (0, 2**63 - 1),
}
"""The least and the greatest value of each number."""
_WHOLE = ("epochs", "batch", "tokens", "longest", "check_every", "patience", "rank", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """The options of a training on this machine.

    Examples:
        >>> from multihop.optimize.finetuning.training.options import TrainingOptions
        >>> TrainingOptions.of({"method": "lora"}).peak
        0.0002
        >>> TrainingOptions.of({"epoch": 2})
        Traceback (most recent call last):
        multihop.base.errors.InputError: unknown option of a local training 'epoch'; did you mean 'epochs'? Valid: ...
    """

    method: str = "full"
    """`full` trains all weights, `lora` small matrices beside them: a fifth of the memory, for larger models."""
    format: str = "folder"
    """The result: a transformers `folder` (of LoRA, merged), or a LoRA `adapter`."""
    epochs: int = 2
    """Passes over all rows."""
    learning_rate: float | None = None
    """Of AdamW, at its highest; by default 5e-5, and 2e-4 with LoRA. It rises and then falls linearly to 0."""
    batch: int = 16
    """Rows to a step."""
    tokens: int = 2048
    """Tokens that go through the model at once, a beginning that rows share counted once; memory grows with it."""
    longest: int = 4096
    """Tokens of a row; longer ones are left out, as are those longer than the model's context."""
    warmup: float = 0.05
    """The share of the steps in which the learning rate rises."""
    clip: float = 1.0
    """The longest gradient."""
    decay: float = 0.0
    """Weight decay."""
    held_out: float = 0.1
    """The share of the questions whose rows are not trained on, but tell how well the rest is learned."""
    check_every: int = 0
    """Steps between two looks at what is held out, each with a checkpoint; 0 stands for half a pass."""
    patience: int = 2
    """Looks without a better loss after which the training stops; 0 never stops it."""
    gradient_checkpointing: bool | None = None
    """Compute the layers a second time instead of keeping them; by default from 400 million weights on."""
    precision: str = "auto"
    """Products in `bf16` or `fp32`; by default in 16 bits where the processor has such products. The weights that are
    trained have 32 bits."""
    rank: int = 16
    """LoRA's rank."""
    alpha: float | None = None
    """LoRA's scale; by default twice the rank."""
    targets: str | list[str] = "all-linear"
    """The layers that LoRA is put beside."""
    seed: int = 0
    """Of the order of the rows."""

    def __post_init__(self) -> None:
        for name, (least, greatest) in _NUMBERS.items():
            value = getattr(self, name)
            whole = name in _WHOLE
            if value is None and name in ("learning_rate", "alpha"):
                continue
            fits = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= greatest
            if not fits or (whole and not isinstance(value, int)):
                kind = "a whole number" if whole else "a number"
                raise InputError(f"{name} of a training is {kind} from {least:g} to {greatest:g}, not {value!r}.")
        for name, valid in (("method", METHODS), ("format", FORMATS), ("precision", PRECISIONS)):
            if getattr(self, name) not in valid:
                raise unknown(f"{name} of a training", str(getattr(self, name)), valid)
        if self.gradient_checkpointing not in (None, True, False):
            raise InputError(
                f"gradient_checkpointing of a training is true or false, not {self.gradient_checkpointing!r}."
            )
        if not isinstance(self.targets, str) and not (
            isinstance(self.targets, list) and all(isinstance(each, str) for each in self.targets)
        ):
            raise InputError(f"targets of a training are names of layers, not {self.targets!r}.")
        if self.format == "adapter" and self.method != "lora":
            raise InputError("only method=lora leaves an adapter; take format=folder.")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options as they were given by name.

        Raises:
            InputError: There is no such option, or no such value of it.
        """
        names = [field.name for field in fields(cls)]
        for name in given:
            if name not in names:
                raise unknown("option of a local training", name, [*names, "output"])
        return cls(**given)

    @property
    def peak(self) -> float:
        """The learning rate at its highest."""
        return self.learning_rate or (5e-5 if self.method == "full" else 2e-4)
