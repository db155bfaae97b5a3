"""Folders as sentence-transformers lays them out, with a BERT without layers: a token's vector is its word's."""

import json

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "a", "river", "in", "italy", "volcano", "bread"]
NUMBER = {word: number for number, word in enumerate(WORDS)}
WIDTH = 8
_DRAWN = np.random.default_rng(5).normal(size=(len(WORDS), WIDTH))
TABLE = ((_DRAWN - _DRAWN.mean(1, keepdims=True)) / _DRAWN.std(1, keepdims=True)).astype(np.float32)
"""A row a word, of mean 0 and deviation 1: BERT's own normalization leaves it as it is."""


def token_vectors(text):
    """The vectors that the network gives for the tokens of a text."""
    words = ["[CLS]", *text.replace(":", " : ").split(), "[SEP]"]
    return TABLE[[NUMBER.get(word, NUMBER["[UNK]"]) for word in words]]


def mean_vector(text):
    """The vector of a text whose tokens' mean is taken, of length 1."""
    mean = token_vectors(text).mean(axis=0)
    return mean / np.linalg.norm(mean)


def write_tiny_sentences(folder, *, architectures=("BertModel",), pooling="mean", bare=False, seed=None, **settings):
    """Fill the folder.

    `settings` are those of config_sentence_transformers.json; a bare folder has none of sentence-transformers' files.
    Another seed gives other vectors.
    """
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel(NUMBER, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    ends = [(name, NUMBER[name]) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokenizer.save(str(folder / "tokenizer.json"))
    words = TABLE if seed is None else np.random.default_rng(seed).permuted(TABLE, axis=1)
    weights = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": np.zeros((64, WIDTH), np.float32),
        "embeddings.token_type_embeddings.weight": np.zeros((2, WIDTH), np.float32),
        "embeddings.LayerNorm.weight": np.ones(WIDTH, np.float32),
        "embeddings.LayerNorm.bias": np.zeros(WIDTH, np.float32),
    }
    save_file({name: np.ascontiguousarray(each) for name, each in weights.items()}, folder / "model.safetensors")
    sizes = {"vocab_size": len(WORDS), "hidden_size": WIDTH, "intermediate_size": WIDTH, "max_position_embeddings": 64}
    layers = {"model_type": "bert", "num_hidden_layers": 0, "num_attention_heads": 1, "layer_norm_eps": 1e-12}
    _write(folder / "config.json", {"architectures": list(architectures), **layers, **sizes})
    special = {f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP")}
    known = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 64}
    _write(folder / "tokenizer_config.json", {**known, **special})
    if not bare:
        kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
        parts = [
            {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for place, (path, kind) in enumerate(kinds)
        ]
        _write(folder / "modules.json", parts)
        _write(folder / "1_Pooling/config.json", {"embedding_dimension": WIDTH, "pooling_mode": pooling})
        _write(folder / "config_sentence_transformers.json", settings)
    return folder


def _write(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
