import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_sentences import modules, token_vectors, write_layer, write_tiny_sentences

from multihop.base import DamagedFileError, InputError, MissingExtraError
from multihop.encoder import Encoder, SentenceEncoder, open_encoder
from multihop.encoder.sentences.sentence_encoder import pool

E5 = {
    "modules": modules("Transformer", "Pooling", "Normalize"),
    "1_Pooling__config": {"pooling_mode_mean_tokens": True},
    "config_sentence_transformers": {"prompts": {"query": "query: ", "document": "passage: "}},
}
TEXTS = ["a river in italy", "a volcano", "bread", "", "somewhere else entirely in italy a river"]


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_e5_as_its_files_say(tmp_path):
    encoder = SentenceEncoder(write_tiny_sentences(tmp_path / "e5", **E5))
    for embed, prefix in ((encoder.embed_queries, "query: "), (encoder.embed, "passage: ")):
        expected = unit(np.stack([token_vectors(prefix + text).mean(axis=0) for text in TEXTS]))
        assert np.allclose(embed(TEXTS), expected, atol=1e-6)
        assert embed(TEXTS).dtype == np.float32


def test_a_bare_folder_and_what_is_said_of_it(tmp_path):
    folder = write_tiny_sentences(tmp_path, network="model.onnx")
    means = np.stack([token_vectors(text).mean(axis=0) for text in TEXTS])
    firsts = np.stack([token_vectors(f"query: {text}")[0] for text in TEXTS])
    assert np.allclose(SentenceEncoder(folder).embed(TEXTS), unit(means), atol=1e-6)
    assert np.allclose(SentenceEncoder(folder, similarity="dot").embed_queries(TEXTS), means, atol=1e-6)
    said = SentenceEncoder(folder, pooling="cls", similarity="dot", query_prefix="query: ")
    assert np.allclose(said.embed_queries(TEXTS), firsts, atol=1e-6)


def test_contriever_as_its_config_says(tmp_path):
    encoder = SentenceEncoder(write_tiny_sentences(tmp_path, config={"architectures": ["Contriever"]}))
    assert np.allclose(encoder.embed(["bread"]), token_vectors("bread").mean(axis=0), atol=1e-6)


def test_a_network_that_pools_itself_and_one_with_every_input(tmp_path):
    inputs = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    pooled = SentenceEncoder(write_tiny_sentences(tmp_path / "p", pooled=True), similarity="dot")
    every = SentenceEncoder(write_tiny_sentences(tmp_path / "e", inputs=inputs), similarity="dot")
    assert np.allclose(pooled.embed(["a river"]), token_vectors("a river").sum(axis=0), atol=1e-5)
    assert np.allclose(every.embed(["a river"]), token_vectors("a river").mean(axis=0), atol=1e-6)
    strange = SentenceEncoder(write_tiny_sentences(tmp_path / "s", inputs=("input_ids", "pixels")))
    with pytest.raises(InputError, match=r"model\.onnx asks for 'pixels', which is no input of a sentence encoder"):
        strange.embed(["a"])


def test_layers_behind_the_pooling_as_gtr_and_labse_have_them(tmp_path):
    matrix, bias = np.arange(24, dtype=np.float32).reshape(4, 6) / 10, np.ones(4, np.float32)
    config = {"in_features": 6, "out_features": 4, "activation_function": "torch.nn.modules.activation.Tanh"}
    folder = write_tiny_sentences(
        tmp_path / "labse",
        modules=modules("Transformer", "Pooling", "Dense", "Normalize"),
        **{"1_Pooling__config": {"pooling_mode_cls_token": True}, "2_Dense__config": config},
    )
    write_layer(folder / "2_Dense", {"linear.weight": matrix, "linear.bias": bias})
    encoder = SentenceEncoder(folder)
    first = token_vectors("bread")[0]
    assert np.allclose(encoder.embed(["bread"]), unit(np.tanh(matrix @ first + 1)), atol=1e-6)
    write_layer(folder / "2_Dense", {"linear.weight": matrix * 2, "linear.bias": bias})
    assert SentenceEncoder(folder).embedding != encoder.embedding


def test_what_is_over_the_window_is_left_out(tmp_path):
    folder = write_tiny_sentences(tmp_path, sentence_bert_config={"max_seq_length": 4, "do_lower_case": True})
    encoder = SentenceEncoder(folder)
    cut, whole = encoder.embed(["A River in Italy", "a river"])
    assert np.allclose(cut, whole, atol=1e-6)


def test_texts_of_many_lengths_at_once_are_as_each_alone(tmp_path):
    encoder = SentenceEncoder(write_tiny_sentences(tmp_path))
    encoder._network.together = 20
    texts = [" ".join(["river"] * (number * 7 % 11) + ["bread"]) for number in range(40)]
    told = []
    together = encoder.embed(texts, progress=told.append)
    assert np.allclose(together, np.concatenate([encoder.embed([text]) for text in texts]), atol=1e-6)
    assert told == sorted(told)
    assert told[-1] == 40
    assert len(told) > 5
    assert encoder.embed([]).shape == (0, 0)


def test_an_encoder_is_known_by_all_that_changes_its_vectors(tmp_path):
    folder = write_tiny_sentences(tmp_path / "e5", **E5)
    known = SentenceEncoder(folder).embedding
    assert known.startswith("e5-")
    assert SentenceEncoder(folder).embedding == known
    assert SentenceEncoder(folder, pooling="mean", query_prefix="query: ").embedding == known
    options = ({"pooling": "cls"}, {"similarity": "dot"}, {"query_prefix": ""}, {"passage_prefix": "x"})
    others = {SentenceEncoder(folder, **each).embedding for each in options}
    (folder / "onnx/model.onnx_data").write_bytes(b"more")
    others.add(SentenceEncoder(folder).embedding)
    assert len(others - {known}) == 5


def test_copied_and_pickled_it_is_the_same(tmp_path):
    encoder = SentenceEncoder(write_tiny_sentences(tmp_path, **E5), pooling="cls")
    assert copy.deepcopy(encoder) is encoder
    again = pickle.loads(pickle.dumps(encoder))
    assert again.embedding == encoder.embedding
    assert repr(again) == f"SentenceEncoder({tmp_path})"


def test_what_cannot_be_opened_is_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="holds no encoder: neither encoder.json, nor an ONNX file, nor weights"):
        SentenceEncoder(write_tiny_sentences(tmp_path / "empty", network=None))
    folder = write_tiny_sentences(tmp_path / "cut")
    (folder / "onnx/model.onnx").write_bytes(b"cut")
    with pytest.raises(DamagedFileError, match=r"model\.onnx cannot be opened"):
        SentenceEncoder(folder).embed(["a"])
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(DamagedFileError, match=r"tokenizer\.json cannot be opened"):
        SentenceEncoder(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"has no tokenizer\.json"):
        SentenceEncoder(folder)
    torch_alone = write_tiny_sentences(tmp_path / "torch", network=None)
    (torch_alone / "model.safetensors").write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"torch, which has no ONNX file, needs the extra \[train\]"):
        SentenceEncoder(torch_alone)


def test_the_kind_of_a_folder_says_what_opens_it(tmp_path, tiny_encoder_folder):
    assert type(open_encoder(write_tiny_sentences(tmp_path))) is SentenceEncoder
    assert type(open_encoder(tiny_encoder_folder)) is Encoder
    assert open_encoder() is Encoder.load()
    with pytest.raises(InputError, match="the built-in encoder takes no pooling; it was trained with what it needs"):
        open_encoder(pooling="cls", query_prefix=None)
    with pytest.raises(InputError, match="takes no query_prefix"):
        open_encoder(tiny_encoder_folder, query_prefix="x")


def test_a_transformer_run_by_pytorch(tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    model = transformers.BertModel(transformers.BertConfig(vocab_size=13, max_position_embeddings=32, **sizes)).eval()
    model.save_pretrained(write_tiny_sentences(tmp_path, network=None, **E5))
    encoder = SentenceEncoder(tmp_path)
    assert encoder.description.window == 32
    ids = [encoder._tokenizer.encode(f"query: {text}").ids for text in TEXTS]
    with torch.inference_mode():
        hidden = [model(torch.tensor([each])).last_hidden_state[0].mean(0).numpy() for each in ids]
    assert np.allclose(encoder.embed_queries(TEXTS), unit(np.stack(hidden)), atol=1e-5)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.sampled_from(["mean", "cls", "last", "max"]))
def test_what_fills_a_text_up_changes_nothing(lengths, how):
    dice = np.random.default_rng(0)
    tokens = dice.normal(size=(len(lengths), 6, 3)).astype(np.float32)
    mask = np.array([[1] * length + [0] * (6 - length) for length in lengths])
    together = pool(tokens, mask, how)
    for row, length in enumerate(lengths):
        alone = pool(tokens[row : row + 1, :length], np.ones((1, length), np.int64), how)
        assert np.allclose(together[row], alone[0], atol=1e-6)


def test_a_text_without_tokens_has_no_direction():
    assert pool(np.ones((1, 1, 2), np.float32), np.zeros((1, 1), np.int64), "mean").tolist() == [[0, 0]]
