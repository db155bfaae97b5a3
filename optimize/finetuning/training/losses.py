"""The loss of a network on the answers of rows, packed where that changes nothing."""

import inspect
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from .conversations import Example
from .packing import pack, packs

SAME = {True: 1e-3, False: 3e-2}
"""The share by which the losses of rows packed and one by one may differ by rounding, in 32 bits and in 16."""


class Losses:
    """Losses of a network, on the device that it is on."""

    def __init__(self, network: Any, *, precision: str, tokens: int) -> None:
        """A measure that changes nothing.

        Args:
            network: A causal language model.
            precision: See `TrainingOptions`.
            tokens: The most tokens of a pack.
        """
        import torch

        self.network, self.tokens = network, tokens
        self.device = next(network.parameters()).device
        self.halved = precision == "bf16" or (precision == "auto" and has_bf16(self.device))
        inner = network.get_base_model() if hasattr(network, "get_base_model") else network
        self._keeps = "logits_to_keep" in inspect.signature(inner.forward).parameters
        self._torch = torch

    def check_packing(self, rows: Sequence[Example]) -> bool:
        """Pack rows from now on if their loss is then the same; one by one otherwise, as for a network whose layers
        see a window, or mix tokens in other ways than by attention.
        """
        window = getattr(self.network.config, "sliding_window", None)
        some = sorted(rows, key=lambda row: len(row.tokens))[:3]
        packed = False
        if len(some) > 1 and (window is None or window > max(len(row.tokens) for row in rows)):
            packed = self._same(some)
        self.tokens = self.tokens if packed else 0
        return packed

    def _same(self, rows: Sequence[Example]) -> bool:
        training = self.network.training
        self.network.eval()
        try:
            with self._torch.no_grad():
                alone = sum(float(self.of_pack([row])) for row in rows)
                together = float(self.of_pack(rows))
        except Exception:  # whatever a network raises that takes no such mask
            return False
        finally:
            self.network.train(training)
        exact = next(self.network.parameters()).dtype == self._torch.float32
        return abs(alone - together) <= SAME[exact] * max(abs(alone), 1e-6)

    def of_pack(self, rows: Sequence[Example]) -> Any:
        """The sum of the losses of all tokens of all answers, as a tensor."""
        torch, packed = self._torch, pack(rows)
        given: dict[str, Any] = {"input_ids": torch.tensor([packed.tokens], device=self.device)}
        if packed.sees is not None:
            given["position_ids"] = torch.tensor([packed.places], device=self.device)
            given["attention_mask"] = torch.from_numpy(packed.sees)[None, None].to(self.device)
        asked = torch.tensor(packed.asked, device=self.device)
        if self._keeps:
            given["logits_to_keep"] = asked
        scores = self.network(**given, use_cache=False).logits[0]
        if not self._keeps:
            scores = scores[asked]
        said = torch.tensor(packed.said, device=self.device)
        return torch.nn.functional.cross_entropy(scores.float(), said, reduction="sum")

    def mean(self, rows: Sequence[Example]) -> float:
        """The mean loss of a token of an answer; nothing is learned."""
        training = self.network.training
        self.network.eval()
        with self._torch.no_grad(), self.rounding():
            total = sum(float(self.of_pack(each)) for each in packs(rows, self.tokens))
        self.network.train(training)
        return total / answer_tokens(rows)

    def rounding(self) -> AbstractContextManager[Any]:
        """A block whose products are made in 16 bits, where that is asked for."""
        held: AbstractContextManager[Any] = self._torch.autocast(
            self.device.type, dtype=self._torch.bfloat16, enabled=self.halved
        )
        return held


def answer_tokens(rows: Sequence[Example]) -> int:
    """The number of tokens of all answers.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import Example
        >>> from multihop.optimize.finetuning.training.losses import answer_tokens
        >>> answer_tokens([Example((5, 6, 7, 1), 2, "")])
        2
    """
    return sum(len(row.tokens) - row.asked for row in rows)


def has_bf16(device: Any) -> bool:
    """True if the device multiplies numbers of 16 bits faster than those of 32."""
    import torch

    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    known = torch.cpu.get_capabilities() if device.type == "cpu" else {}
    return any(bool(known.get(name)) for name in ("avx512_bf16", "amx_bf16", "bf16"))
