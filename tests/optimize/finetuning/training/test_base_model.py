import pytest
from tiny_lm import NEEDS_TRAINING, make_tiny

from multihop.base import InputError

pytestmark = NEEDS_TRAINING


def test_a_model_without_a_chat_template_is_refused(tmp_path):
    from multihop.optimize.finetuning.training.base_model import open_base

    folder = make_tiny(tmp_path / "tiny", template=None)
    with pytest.raises(InputError, match="tiny has no chat template, so nobody knows how a conversation is laid out"):
        open_base(str(folder))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "cannot be opened as a model to train"),
        (lambda path: path.mkdir(), "cannot be opened as a model to train"),
        (lambda path: path.write_bytes(b"GGUF"), "is no model to train: start from a transformers folder or a name"),
    ],
)
def test_what_is_no_model_is_one_sentence(make, message, tmp_path):
    from multihop.optimize.finetuning.training.base_model import open_base

    make(tmp_path / "model")
    with pytest.raises(InputError, match=message) as refused:
        open_base(str(tmp_path / "model"))
    assert "\n" not in str(refused.value)


def test_a_model_comes_in_its_own_form(tmp_path):
    import torch
    from transformers import AutoModelForCausalLM

    from multihop.optimize.finetuning.training.base_model import open_base

    folder = make_tiny(tmp_path / "tiny", context=300)
    first = open_base(str(folder))
    assert (first.network.dtype, first.context) == (torch.float32, 300)
    AutoModelForCausalLM.from_pretrained(folder).to(torch.bfloat16).save_pretrained(folder)
    second = open_base(str(folder))
    assert second.network.dtype == torch.bfloat16
    assert second.digest != first.digest
