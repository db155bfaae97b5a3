"""The mean of two encoders; it needs the extra [train], and is skipped where PyTorch is not installed."""

import pytest

from multihop.base import InputError
from multihop.encoder import Encoder
from multihop.training.encoder_training import train_encoder
from multihop.training.mean import write_mean

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from multihop.training.trainee import Trainee  # noqa: E402

PARTS = ("judge", "reader", "embed")


def weights(folder):
    """All of an encoder's parts."""
    trainee = Trainee.open(str(folder))
    return {part: trainee.state(part) for part in PARTS}


@pytest.mark.parametrize("part", ["judge", "reader"])
def test_one_part_has_a_share_of_each_and_the_others_are_those_of_the_first(tiny, lessons, tmp_path, part):
    for seed in (1, 2):
        train_encoder(lessons[:20], tmp_path / f"{seed}", start=str(tiny), seed=seed, part=part, precision="float32")
    write_mean(tmp_path / "mean", str(tmp_path / "1"), tmp_path / "2", part=part, keep=0.25, precision="float32")
    first, second, mean = (weights(tmp_path / name) for name in ("1", "2", "mean"))
    assert any((value != second[part][name]).any() for name, value in first[part].items())
    for name, value in first[part].items():
        assert torch.allclose(mean[part][name], 0.25 * value + 0.75 * second[part][name], atol=1e-6)
    for other in {*PARTS} - {part}:
        if (tmp_path / "1" / f"{other}.onnx").exists():
            assert all(torch.allclose(mean[other][name], value, atol=1e-6) for name, value in first[other].items())
    told = Encoder(tmp_path / "mean").manifest
    assert (told["seed"], told["mean_with"]["seed"], told["keep"], told["trained"]) == (1, 2, 0.25, [part])


def test_what_has_no_mean_is_refused(tiny, lessons, tmp_path):
    one = tmp_path / "one"
    train_encoder(lessons[:20], one, start=str(tiny))
    refused = {
        "give --keep between 0 and 1, and not 0": (str(one), one, 0.0),
        "is not trained yet; give --start an encoder's folder": (str(tiny), one, 0.5),
        "holds no encoder": (str(one), tiny, 0.5),
        "they have no mean": ("built-in", one, 0.5),
    }
    for message, (start, other, keep) in refused.items():
        with pytest.raises(InputError, match=message):
            write_mean(tmp_path / "mean", start, other, part="judge", keep=keep)
    with pytest.raises(InputError, match="one has no reader; train one with --part reader"):
        write_mean(tmp_path / "mean", str(one), one, part="reader", keep=0.5)
    assert not (tmp_path / "mean").exists()
