import copy
import json
import pickle

import numpy as np
import pytest
from tiny_sentences import mean_vector, token_vectors, write_tiny_sentences

from multihop.base import InputError
from multihop.encoder import SentenceEncoder

pytestmark = pytest.mark.extra("encoders")

TEXTS = ["a river in italy", "a volcano", "bread", "", "\ud800 half a pair"]
E5 = {"prompts": {"query": "query: ", "passage": "passage: "}}


@pytest.mark.parametrize(
    ("files", "given", "before_queries", "before_passages"),
    [
        ({"bare": True}, {}, "", ""),
        (E5, {}, "query: ", "passage: "),
        (E5, {"passage_prefix": ""}, "query: ", ""),
        ({}, {"query_prefix": "query: ", "passage_prefix": "passage: "}, "query: ", "passage: "),
    ],
)
def test_prefixes_are_those_of_its_files_or_the_given_ones(tmp_path, files, given, before_queries, before_passages):
    encoder = SentenceEncoder(write_tiny_sentences(tmp_path / "e5", **files), **given)
    for embed, prefix in ((encoder.embed_queries, before_queries), (encoder.embed, before_passages)):
        vectors = embed(TEXTS)
        assert vectors.dtype == np.float32
        assert np.allclose(vectors, [mean_vector(prefix + text.replace("\ud800", "?")) for text in TEXTS], atol=1e-6)
    assert encoder.place == {"encoder_folder": str(tmp_path / "e5"), "encoder_options": given}


def test_pooling_and_comparison_are_those_of_its_files(tmp_path):
    first = SentenceEncoder(write_tiny_sentences(tmp_path / "bge", pooling="cls"))
    vector = token_vectors("bread")[0]
    assert np.allclose(first.embed(["bread"]), vector / np.linalg.norm(vector), atol=1e-6)
    contriever = write_tiny_sentences(tmp_path / "contriever", bare=True, architectures=["Contriever"])
    assert np.allclose(SentenceEncoder(contriever).embed(["bread"]), token_vectors("bread").mean(axis=0), atol=1e-6)
    by_distance = write_tiny_sentences(tmp_path / "far", similarity_fn_name="euclidean")
    with pytest.raises(InputError, match="far compares vectors by euclidean, and an index by their cosine or product"):
        SentenceEncoder(by_distance)


def test_many_texts_at_once_are_as_each_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.encoder.text_encoders._TOGETHER", 16)
    encoder = SentenceEncoder(write_tiny_sentences(tmp_path))
    texts = [" ".join(["river"] * (number * 7 % 11) + ["bread"]) for number in range(40)]
    told = []
    together = encoder.embed(texts, progress=told.append)
    assert np.allclose(together, np.concatenate([encoder.embed([text]) for text in texts]), atol=1e-6)
    assert told == [16, 32, 40]
    assert encoder.embed([]).shape == (0, 0)


def test_it_is_known_by_its_files_and_its_prefixes(tmp_path):
    folder = write_tiny_sentences(tmp_path / "e5", **E5)
    encoder = SentenceEncoder(folder)
    known = {encoder.embedding, SentenceEncoder(folder, query_prefix="").embedding}
    write_tiny_sentences(folder, pooling="cls", **E5)
    known.add(SentenceEncoder(folder).embedding)
    write_tiny_sentences(folder, seed=1, **E5)
    known.add(SentenceEncoder(folder).embedding)
    assert len(known) == 4
    assert all(name.startswith("e5-") for name in known)
    write_tiny_sentences(folder, **E5)
    assert copy.deepcopy(encoder) is encoder
    assert pickle.loads(pickle.dumps(encoder)).embedding == encoder.embedding
    assert repr(encoder) == f"SentenceEncoder({folder})"


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "modules.json"])
def test_what_cannot_be_opened_is_one_sentence(tmp_path, name):
    folder = write_tiny_sentences(tmp_path / "cut")
    (folder / name).write_bytes(b"cut")
    with pytest.raises(InputError, match=r"^the encoder \S+cut cannot be opened by sentence-transformers: [^\n]+\.$"):
        SentenceEncoder(folder)


def test_code_that_an_encoder_brings_is_never_run(tmp_path):
    folder = write_tiny_sentences(tmp_path / "own")
    ran = tmp_path / "ran"
    (folder / "mine.py").write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\nclass Mine: pass\n")
    parts = json.loads((folder / "modules.json").read_text())
    parts[0]["type"] = "mine.Mine"
    (folder / "modules.json").write_text(json.dumps(parts))
    with pytest.raises(InputError, match="own cannot be opened by sentence-transformers: "):
        SentenceEncoder(folder)
    assert not ran.exists()
