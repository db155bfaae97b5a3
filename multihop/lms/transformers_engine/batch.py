"""Prompts that are computed together, and the tokens of their answers, one of each at every step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..in_process.model import Tokens
from .prefixes import Memory, Start

Rows = NDArray[np.float32]
"""The logits of each prompt's next token."""
CHUNK = 512
"""Tokens of each prompt that are computed in one step."""


class Batch:
    """Prompts padded on the left to one length, each behind the memory of its beginning, which is padded likewise."""

    def __init__(self, network: Any, prompts: Sequence[Tokens], starts: Sequence[Start], *, padding: bool) -> None:
        """Lay them out; nothing is computed yet.

        Args:
            network: The model.
            prompts: Their tokens.
            starts: What is computed of each already.
            padding: False for a network that cannot tell padding from words: then there is one prompt, from its start.
        """
        import torch
        from transformers import DynamicCache

        self._torch, self._network, self._padding, device = torch, network, padding, network.device
        takes = inspect.signature(network.forward).parameters
        self._memory_name = "cache" if "cache" in takes else "past_key_values"  # the same in older releases
        self._before = max(start.shared for start in starts)
        rests = [prompt[start.shared :] for prompt, start in zip(prompts, starts, strict=True)]
        width = max(map(len, rests))
        tokens = np.zeros((len(prompts), width), np.int64)
        places = np.zeros((len(prompts), width), np.int64)
        mask = np.zeros((len(prompts), self._before + width), np.int64)
        for row, (rest, start) in enumerate(zip(rests, starts, strict=True)):
            tokens[row, width - len(rest) :] = rest
            places[row, width - len(rest) :] = np.arange(start.shared, start.shared + len(rest))
            mask[row, self._before - start.shared : self._before] = 1
            mask[row, self._before + width - len(rest) :] = 1
        self._tokens, self._places, self._mask = (
            torch.as_tensor(each, device=device) for each in (tokens, places, mask)
        )
        self._next = torch.as_tensor([len(prompt) for prompt in prompts], device=device)
        self.memory: Any = DynamicCache(config=network.config)
        if self._before:
            self.memory = DynamicCache(self._joined(starts))

    def read(self, go_on: Callable[[], bool] = lambda: True) -> Rows | None:
        """Compute the prompts: the logits of their first tokens; None if it was not to go on."""
        width = self._tokens.shape[1]
        logits: Rows | None = None
        for first in range(0, width, CHUNK):
            if not go_on():
                return None
            last = min(first + CHUNK, width)
            seen = self._mask[:, : self._before + last]
            logits = self._compute(self._tokens[:, first:last], self._places[:, first:last], seen)
        return logits

    def write(self, tokens: Sequence[int]) -> Rows:
        """Add a token to each answer: the logits of the next ones."""
        torch = self._torch
        chosen = torch.as_tensor(list(tokens), device=self._mask.device)[:, None]
        self._mask = torch.cat([self._mask, torch.ones_like(chosen)], dim=1)
        logits = self._compute(chosen, self._next[:, None], self._mask)
        self._next = self._next + 1
        return logits

    def choose(self, rows: Sequence[int]) -> None:
        """Go on with these rows alone."""
        kept = self._torch.as_tensor(list(rows), device=self._mask.device)
        self.memory.batch_select_indices(kept)
        self._mask, self._next = self._mask[kept], self._next[kept]

    def memory_of(self, row: int) -> Memory:
        """The memory of one prompt, without padding, as long as nothing is written behind it."""
        there = self._mask[row].bool()
        return [(layer.keys[row][:, there], layer.values[row][:, there]) for layer in self.memory.layers]

    def _compute(self, tokens: Any, places: Any, mask: Any) -> Rows:
        padded = {"attention_mask": mask, "position_ids": places} if self._padding else {}
        with self._torch.inference_mode():
            memory = {self._memory_name: self.memory}
            result = self._network(input_ids=tokens, use_cache=True, logits_to_keep=1, **memory, **padded)
        logits: Rows = result.logits[:, -1].float().cpu().numpy()
        return logits

    def _joined(self, starts: Sequence[Start]) -> list[tuple[Any, Any]]:
        """The memories of the beginnings, padded on the left."""
        torch = self._torch
        known = next(start.memory for start in starts if start.memory is not None)
        joined = []
        for layer, (keys, values) in enumerate(known):
            both = []
            for kind, like in enumerate((keys, values)):
                whole = torch.zeros((len(starts), like.shape[0], self._before, like.shape[2]), dtype=like.dtype,
                                    device=like.device)  # fmt: skip
                for row, start in enumerate(starts):
                    if start.memory is not None:
                        whole[row, :, self._before - start.shared :] = start.memory[layer][kind][:, : start.shared]
                both.append(whole)
            joined.append((both[0], both[1]))
        return joined
