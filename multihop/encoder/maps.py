"""Small maps over what an encoder's networks say, learned on one corpus (`multihop adapt`), and their folder."""

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ujson

from ..base import DamagedFileError, MismatchError, writing_folder
from ..base.array_file import read_arrays
from .judgement import Judgement
from .weights import BUILT_IN, MANIFEST, MAPPED, file_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAPS = "maps.npz"
SUREST = 9.0
"""The log odds of which none are surer."""
REMEDY = "forget it with `multihop adapt INDEX --undo`, or delete the folder."


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps that an encoder's outputs go through; they stay as they are where there is none."""

    query: "NDArray[np.float32] | None" = None
    """The matrix that a query's vector is multiplied by; the vectors of passages stay as they are."""
    judge: "NDArray[np.float64] | None" = None
    """The log odds that a passage is relevant: a weight for each of the judge's `VERDICTS`, and last the bias."""
    reader: "NDArray[np.float64] | None" = None
    """The log odds that a page helps beside others: a weight for those of the reader, and the bias."""

    @property
    def held(self) -> "dict[str, NDArray[Any]]":
        """The maps that there are, by their names."""
        every = {"query": self.query, "judge": self.judge, "reader": self.reader}
        return {name: value for name, value in every.items() if value is not None}

    @cached_property
    def digest(self) -> str:
        """A text that is the same only for the same maps; empty where there is none."""
        told = b"".join(name.encode() + value.tobytes() for name, value in self.held.items())
        return hashlib.blake2b(told, digest_size=8).hexdigest() if told else ""

    def judged(self, judgement: Judgement) -> Judgement:
        """The judgement with the probability that the passage is relevant as it is on this corpus."""
        if self.judge is None:
            return judgement
        relevant = float(log_odds(verdicts(judgement)) @ self.judge[:-1] + self.judge[-1])
        return judgement._replace(relevant=_probability(relevant))

    def helpful(self, likely: float) -> float:
        """The probability that a page helps, as it is on this corpus."""
        if self.reader is None:
            return likely
        weight, bias = self.reader
        return _probability(float(weight * log_odds([likely])[0] + bias))

    def asked(self, vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The vectors of queries, each of length 1."""
        import numpy as np

        if self.query is None:
            return vectors
        turned = vectors @ self.query
        mapped: NDArray[np.float32] = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
        return mapped.astype(np.float32)


VERDICTS = ("relevant", "leads_on", "enough", "holds")
"""The judge's verdicts on a passage from which its relevance on a corpus is told."""


def verdicts(judgement: Judgement) -> list[float]:
    """The probabilities of `VERDICTS`.

    Examples:
        >>> from multihop.encoder import Judgement
        >>> from multihop.encoder.maps import verdicts
        >>> verdicts(Judgement(0.9, 0.2, 0.5, 0.6, 0.0, 0.0))
        [0.9, 0.2, 0.5, 0.6]
    """
    return [getattr(judgement, name) for name in VERDICTS]


def log_odds(probabilities: Any) -> "NDArray[np.float64]":
    """The logarithms of the odds, between -9 and 9."""
    import numpy as np

    likely = np.clip(np.asarray(probabilities, np.float64), 1e-9, 1 - 1e-9)
    odds: NDArray[np.float64] = np.clip(np.log(likely / (1 - likely)), -SUREST, SUREST)
    return odds


def _probability(odds: float) -> float:
    import math

    return 1 / (1 + math.exp(-max(-SUREST, min(SUREST, odds))))


@dataclass(frozen=True)
class Adaptation:
    """Maps with the encoder that they are over."""

    maps: Maps
    base: Path
    """The folder of that encoder."""
    over: str
    """Its fingerprint."""
    about: dict[str, Any]
    """The questions that they were learned from, and their worth."""


def holds_maps(folder: str | os.PathLike[str]) -> bool:
    """True if a folder holds maps over an encoder, and no networks of its own.

    Examples:
        >>> from multihop.encoder.maps import holds_maps
        >>> holds_maps("no/such/folder")
        False
    """
    return (Path(folder) / MAPS).is_file()


def write_maps(folder: str | os.PathLike[str], maps: Maps, *, base: Path, over: str, about: dict[str, Any]) -> None:
    """Write a folder that opens as the encoder that the maps are over, with the maps; whole or not at all.

    Args:
        folder: The folder, replaced if it holds an encoder.
        maps: The maps.
        base: The folder of the encoder that they are over.
        over: Its fingerprint.
        about: What they were learned from, and their worth.
    """
    import numpy as np

    with writing_folder(folder, marker=MANIFEST) as scratch:
        with (scratch / MAPS).open("wb") as file:
            np.savez(file, **maps.held)  # type: ignore[arg-type]
        place = {} if base.resolve() == BUILT_IN.resolve() else {"encoder_folder": str(base.resolve())}
        manifest = {"format": MAPPED, "over": over, **place, "files": {MAPS: file_digest(scratch / MAPS)}}
        text = ujson.dumps(manifest | {"about": about}, indent=2, ensure_ascii=False, escape_forward_slashes=False)
        (scratch / MANIFEST).write_text(text + "\n", encoding="utf-8")


def read_maps(folder: str | os.PathLike[str]) -> Adaptation:
    """The maps in a folder.

    Raises:
        DamagedFileError: They are not as they were written.
        MismatchError: They are of another format.
    """
    home = Path(folder)
    try:
        manifest = ujson.loads((home / MANIFEST).read_bytes())
        version, digest, base = manifest["format"], manifest["files"][MAPS], manifest.get("encoder_folder", BUILT_IN)
        over, about = manifest["over"], dict(manifest["about"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DamagedFileError(f"{home / MANIFEST} is damaged; {REMEDY}") from error
    if version != MAPPED:
        raise MismatchError(f"{home} holds maps of format {version}, and this multihop reads {MAPPED}; {REMEDY}")
    if file_digest(home / MAPS) != digest:
        raise DamagedFileError(f"{home} is damaged, {MAPS} is not as it was written; {REMEDY}")
    try:
        maps = Maps(**read_arrays(home / MAPS))
    except Exception as error:  # numpy and its archives fail in many ways
        raise DamagedFileError(f"{home / MAPS} is damaged; {REMEDY}") from error
    return Adaptation(maps, Path(base), over, about)
