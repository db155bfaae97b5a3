import importlib.util

import pytest

from multihop.base import InputError
from multihop.optimize.cloning.finetuning import finetune
from multihop.optimize.cloning.local_finetuning import finetune_model

TRAINING = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("transformers") is not None
ROWS = [
    {
        "messages": [
            {"role": "system", "content": "plan"},
            {"role": "user", "content": f"question {n}"},
            {"role": "assistant", "content": f"ask for {n}"},
        ]
    }
    for n in (1, 2, 3)
]


@pytest.fixture
def tiny(tmp_path):
    """A causal model of a few thousand parameters with a tokenizer of single words, made on the spot."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = ["<eos>", "<unk>", "plan", "question", "ask", "for", "1", "2", "3"]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", unk_token="<unk>")
    config = GPT2Config(vocab_size=len(words), n_positions=64, n_embd=32, n_layer=1, n_head=2, bos_token_id=0)
    folder = tmp_path / "tiny"
    GPT2LMHeadModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.mark.skipif(not TRAINING, reason="needs the extra [train]: torch and transformers")
def test_a_local_model_learns_the_answers(tiny, tmp_path):
    losses = finetune_model(str(tiny), ROWS, tmp_path / "out", epochs=30, learning_rate=0.01, batch=2)
    assert losses[-1] < 0.3 * losses[0]
    name = finetune(str(tiny), ROWS, provider="local", output=str(tmp_path / "served"), epochs=1)
    assert name == f"hosted_vllm/{tmp_path / 'served'}"
    assert (tmp_path / "served" / "config.json").exists()


@pytest.mark.skipif(TRAINING, reason="the extra [train] is here")
def test_without_the_extra_it_says_what_is_missing(tmp_path):
    with pytest.raises(InputError, match=r"local fine-tuning needs the extra \[train\]"):
        finetune_model("tiny", ROWS, tmp_path / "out")
