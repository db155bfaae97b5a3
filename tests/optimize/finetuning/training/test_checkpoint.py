import pytest
from tiny_lm import NEEDS_TRAINING

from multihop.base import DamagedFileError, MismatchError
from multihop.optimize.finetuning.training.checkpoint import STATE, Checkpoints


def test_another_training_is_refused_by_naming_what_differs(tmp_path):
    Checkpoints(tmp_path / "work", {"epochs": 3, "seed": 0})
    Checkpoints(tmp_path / "work", {"epochs": 3, "seed": 0})
    with pytest.raises(MismatchError, match="begun with epochs 3, and now it is 2; give what it was, or remove"):
        Checkpoints(tmp_path / "work", {"epochs": 2, "seed": 0})
    (tmp_path / "work" / "settings.json").write_text("{")
    with pytest.raises(DamagedFileError, match=r"settings.json cannot be read; remove .*work to begin"):
        Checkpoints(tmp_path / "work", {"epochs": 2, "seed": 0})


@NEEDS_TRAINING
def test_a_state_comes_back_as_it_was_and_a_damaged_one_is_named(tmp_path):
    import torch

    kept = Checkpoints(tmp_path / "work", {})
    assert kept.read(STATE) is None
    kept.write(STATE, {"weights": torch.arange(3.0), "curve": {"losses": [1.5]}})
    back = kept.read(STATE)
    assert (back["weights"].tolist(), back["curve"]) == ([0.0, 1.0, 2.0], {"losses": [1.5]})
    (tmp_path / "work" / STATE).write_bytes(b"PK")
    with pytest.raises(DamagedFileError, match=r"state.pt is damaged; remove .*work to begin the training again"):
        kept.read(STATE)
