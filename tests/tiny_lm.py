"""Causal models of a few thousand parameters in folders of transformers, with bytes for words, made on the spot."""

import importlib.util

import pytest

TRAINING = all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))
NEEDS_TRAINING = pytest.mark.skipif(not TRAINING, reason="needs the extra [train]: torch and transformers")
TEMPLATE = (
    "{% for message in messages %}<|start|>{{ message.role }}\n{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def make_tiny(folder, *, kind="llama", context=512, template=TEMPLATE):
    """A model of random weights in the folder; the folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, set_seed

    set_seed(0)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<|end|>", "<|start|>"]
    vocabulary = {text: place for place, text in enumerate([*special, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", bos_token="<|start|>")
    fast.chat_template = template
    fast.save_pretrained(folder)
    network = AutoModelForCausalLM.from_config(_config(kind, len(vocabulary), context))
    network.to(torch.float32).save_pretrained(folder)
    return folder


def _config(kind, words, context):
    from transformers import LlamaConfig, MistralConfig

    ends = {"eos_token_id": 0, "bos_token_id": 1, "pad_token_id": 0, "vocab_size": words}
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "max_position_embeddings": context, "initializer_range": 0.3}
    if kind == "mistral":
        return MistralConfig(sliding_window=16, **sizes, **ends)
    return LlamaConfig(**sizes, **ends)
