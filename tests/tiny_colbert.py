"""A small ColBERT checkpoint made on the spot: without layers, a token's vector is its word's, of the built-in encoder.

Its folder is laid out as colbert-ai lays out a trained one. It matches words, near ones included, and knows no context.
"""

import json
import shutil

import numpy as np

from multihop.encoder.weights import BUILT_IN

WIDTH = 64


def write_tiny_colbert(folder, seed=0, **said):
    """Fill the folder; `said` goes into its artifact.metadata. Another seed turns all vectors another way."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = json.loads((BUILT_IN / "tokenizer.json").read_text())["model"]["vocab"]
    rows, scales = (np.load(BUILT_IN / name) for name in ("vectors.npy", "scales.npy"))
    words = rows.astype(np.float32) * scales[:, None].astype(np.float32)
    words -= words.mean(axis=0)
    _, axes = np.linalg.eigh(words.T @ words)
    words = words @ axes[:, -WIDTH:]
    words[:, 0] = 0
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    # A direction of their own for all marks: those of a query match those of every passage.
    words[[number for word, number in vocabulary.items() if word.startswith("[")]] = np.eye(WIDTH, dtype=np.float32)[0]
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(WIDTH, WIDTH)))[0]
    weights = {
        "bert.embeddings.word_embeddings.weight": words,
        "bert.embeddings.position_embeddings.weight": np.zeros((512, WIDTH), np.float32),
        "bert.embeddings.token_type_embeddings.weight": np.zeros((2, WIDTH), np.float32),
        "bert.embeddings.LayerNorm.weight": np.ones(WIDTH, np.float32),
        "bert.embeddings.LayerNorm.bias": np.zeros(WIDTH, np.float32),
        "linear.weight": np.ascontiguousarray(turn, np.float32),
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["HF_ColBERT"],
        "model_type": "bert",
        "vocab_size": len(words),
        "hidden_size": WIDTH,
        "num_hidden_layers": 0,
        "num_attention_heads": 1,
        "intermediate_size": WIDTH,
        "max_position_embeddings": 512,
    }
    (folder / "config.json").write_text(json.dumps(config))
    shutil.copy(BUILT_IN / "tokenizer.json", folder)
    tokenizer = {"tokenizer_class": "BertTokenizer", "model_max_length": 512, "do_lower_case": True}
    special = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "mask_token": "[MASK]"}
    (folder / "tokenizer_config.json").write_text(json.dumps({**tokenizer, **special, "unk_token": "[UNK]"}))
    # As training leaves it: also the machine that it ran on.
    trained = {"dim": WIDTH, "doc_maxlen": 180, "query_maxlen": 32, "nranks": 4, "gpus": 4, "root": "/nowhere"}
    (folder / "artifact.metadata").write_text(json.dumps({**trained, "model_name": "bert-base-uncased", **said}))
    return folder
