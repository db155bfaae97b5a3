"""Two encoders that were trained apart as one: the mean of their weights, which often ranks better than either."""

from pathlib import Path

from ..base import InputError, missing_extra
from ..encoder.weights import read_encoder_manifest
from .encoder_training import EncoderPart

TOLD = ("lessons", "epochs", "learning_rate", "seed")
"""The facts that are noted about either training."""


def write_mean(
    folder: Path, start: str | None, other: Path, *, part: EncoderPart, keep: float, precision: str = "int8"
) -> None:
    """Write an encoder of which one part is the mean, weight by weight, of what it is in two.

    Args:
        folder: The folder that it is written to.
        start: The folder of one of the two, or "built-in"; the other parts are its own.
        other: The folder of the other: made of the same transformer, with other seeds or lessons.
        part: The part; see `train_encoder`.
        keep: The share of `start`.
        precision: "int8", or "float32".

    Raises:
        MissingExtraError: The extra [train] is not installed.
        InputError: One of them is no encoder, they are not of one transformer, or nothing of one would be left.
    """
    try:
        from .trainee import Trainee
    except ImportError as error:
        raise missing_extra("training", "train", error) from None
    if not 0 < keep < 1:
        raise InputError(f"a mean has a share of each encoder: give --keep between 0 and 1, and not {keep:g}.")
    learned = read_encoder_manifest(other)
    trainee, apart = Trainee.open(start), Trainee.open(str(other))
    if trainee.encoder is None:
        raise InputError(f"'{trainee.name}' is not trained yet; give --start an encoder's folder, or `built-in`.")
    if trainee.name != apart.name:
        raise InputError(f"{start} was made of {trainee.name} and {other} of {apart.name}, so that they have no mean.")
    began = read_encoder_manifest(trainee.encoder)
    for home, manifest in ((start, began), (other, learned)):
        if f"{part}.onnx" not in manifest["files"]:
            raise InputError(f"{home} has no {part}; train one with --part {part}, or leave that out.")
    trainee.keep(part, apart.state(part), 1 - keep)
    told, apart_told = ({name: manifest[name] for name in TOLD} for manifest in (began, learned))
    about = {"part": part, "keep": keep, "mean_with": apart_told, "sources": learned["sources"], "precision": precision}
    trainee.write(folder, told | about)
