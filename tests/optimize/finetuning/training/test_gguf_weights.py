"""A tiny model in a GGUF file, made by hand, read back, trained, and written again."""

import importlib.util

import pytest
from tiny_lm import NEEDS_TRAINING, TEMPLATE, make_tiny

from multihop.base import InputError
from multihop.optimize.finetuning.finetuning import finetune

pytestmark = [
    NEEDS_TRAINING,
    pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="needs the extra [train]: gguf"),
]
ROWS = [
    {"messages": [{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": "ab"[n % 2]}]}
    for n in range(8)
]


def make_gguf(folder, path):
    """The tiny model as a GGUF file, its heads in the order of llama.cpp."""
    from gguf import MODEL_ARCH, GGUFWriter, get_tensor_name_map
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    words = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    words[-1] = "ab"  # a file without a merge cannot be read
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(48)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_dimension_count(8)
    writer.add_layer_norm_rms_eps(network.config.rms_norm_eps)
    writer.add_vocab_size(len(words))
    writer.add_file_type(0)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3, 3] + [1] * (len(words) - 2))
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(0)
    writer.add_chat_template(TEMPLATE)
    names = get_tensor_name_map(MODEL_ARCH.LLAMA, 2)
    for name, weight in network.state_dict().items():
        values = weight.numpy()
        heads = 4 if "q_proj" in name else 2 if "k_proj" in name else 0
        if heads:
            values = values.reshape(heads, 2, -1, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
        writer.add_tensor(f"{names.get_name(name.removesuffix('.weight'))}.weight", values.copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize(("form", "near"), [("gguf", 1e-3), ("gguf-q8_0", 2e-2)])
def test_a_gguf_is_read_trained_and_written_with_all_it_said_of_itself(form, near, tmp_path):
    import torch
    from gguf import GGUFReader

    from multihop.optimize.finetuning.training.base_model import open_base

    before = make_gguf(make_tiny(tmp_path / "tiny"), tmp_path / "tiny.gguf")
    options = {"epochs": 12, "learning_rate": 1e-2, "precision": "fp32", "held_out": 0}
    finetune(str(before), ROWS, output=str(tmp_path / "folder"), **options)
    finetune(str(before), ROWS, name="mine", output=str(tmp_path / "out"), format=form, **options)
    assert {each.name for each in (tmp_path / "out").iterdir()} == {"model.gguf", "clone.json"}
    one, other = open_base(str(tmp_path / "folder")), open_base(str(tmp_path / "out" / "model.gguf"))
    weights = other.network.state_dict()
    for name, weight in one.network.state_dict().items():
        torch.testing.assert_close(weights[name], weight, rtol=near, atol=near)
    start = open_base(str(before)).network.state_dict()
    assert any(bool(((value - start[name]).abs() > 2 * near).any()) for name, value in weights.items())
    read, written = GGUFReader(before), GGUFReader(tmp_path / "out" / "model.gguf")
    changed = {"general.file_type", "general.name", "GGUF.kv_count"}
    for name in read.fields.keys() - changed:
        assert written.fields[name].contents() == read.fields[name].contents(), name
    assert other.tokenizer.chat_template == TEMPLATE


def test_a_file_that_is_laid_out_otherwise_is_refused_before_anything_is_trained(tmp_path, monkeypatch):
    from multihop.optimize.finetuning.training import gguf_weights

    before = make_gguf(make_tiny(tmp_path / "tiny"), tmp_path / "tiny.gguf")
    monkeypatch.setattr(gguf_weights, "_maker", lambda weight, heads: lambda: 2 * weight.numpy())
    with pytest.raises(InputError, match=r"tiny.gguf cannot be written again .*laid out\); take format=folder"):
        finetune(str(before), ROWS, output=str(tmp_path / "out"), format="gguf")
    assert {each.name for each in tmp_path.iterdir()} == {"tiny", "tiny.gguf"}


def test_the_format_needs_a_gguf_to_start_from(tmp_path):
    with pytest.raises(InputError, match="format=gguf needs a GGUF to start from, and .*tiny is none"):
        finetune(str(make_tiny(tmp_path / "tiny")), ROWS, output=str(tmp_path / "out"), format="gguf")
