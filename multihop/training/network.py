"""The encoder with its heads in PyTorch, as it is trained and exported; needs the extra [train]."""

from typing import Any

import torch
from torch import nn
from transformers import AutoModel

from ..encoder.layout import POOLED, TOKENS


class Network(nn.Module):
    """A transformer over word vectors, a verdict for the whole input, and one for each token.

    The word vectors come from a table that stays as it is: it is more than half of a small encoder, a few thousand
    questions move few of its rows, and what does not move can be shared with other networks.
    """

    def __init__(self, transformer: Any) -> None:
        super().__init__()
        self.transformer = transformer
        width = transformer.config.hidden_size
        self.pooled = nn.Linear(2 * width, len(POOLED))
        self.tokens = nn.Linear(width, len(TOKENS))

    @classmethod
    def start(cls, source: str) -> "Network":
        """The transformer of a folder or a name on the hub, with heads that know nothing yet."""
        transformer = AutoModel.from_pretrained(source, attn_implementation="eager")
        # Dropout triples the cost of a step on a CPU; few passes over the data make up for it.
        for module in transformer.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
            if hasattr(module, "dropout_prob"):
                module.dropout_prob = 0.0
        return cls(transformer)

    def word_vectors(self) -> torch.Tensor:
        """The table of word vectors, as coarse as it will be stored, so that training sees what inference sees."""
        rows, scales = in_bytes(self.transformer.get_input_embeddings().weight.detach().float())
        return rows.float() * scales[:, None]

    def forward(
        self, words: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The verdicts of each input (`POOLED`) and of each of its tokens (`TOKENS`), as logits."""
        states = self.transformer(inputs_embeds=words, attention_mask=mask, token_type_ids=types).last_hidden_state
        return self.pooled(torch.cat([states[:, 0], mean(states, mask)], -1)), self.tokens(states)


def in_bytes(vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A table as bytes, and a factor for each of its rows."""
    scales = vectors.abs().amax(1).clamp(min=1e-8) / 127
    return (vectors / scales[:, None]).round().to(torch.int8), scales


class Pooling(nn.Module):
    """The transformer alone, giving one vector of length 1 an input, and the states of its tokens."""

    def __init__(self, transformer: Any) -> None:
        super().__init__()
        self.transformer = transformer

    def forward(self, words: torch.Tensor, mask: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean of the states of the tokens, and the states."""
        states = self.transformer(inputs_embeds=words, attention_mask=mask).last_hidden_state
        return nn.functional.normalize(mean(states, mask), dim=-1), states


def mean(states: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """The mean of the states of an input's tokens; without a mask, all of them are."""
    if mask is None:
        return states.mean(1)
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)
