import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from tiny_colbert import write_tiny_colbert

from multihop.base import DamagedFileError, InputError

pytestmark = pytest.mark.skipif(find_spec("colbert") is None, reason="needs the extra [colbert]")


@pytest.fixture
def copied(checkpoint, tmp_path):
    """The checkpoint's files by link, to be replaced one at a time."""
    for file in checkpoint.iterdir():
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


def replace(path, text):
    path.unlink()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def find(name):
    from multihop.retrieval.colbert.checkpoint import find_checkpoint

    return find_checkpoint(name)


def test_what_is_known_of_a_checkpoint(checkpoint):
    found = find(checkpoint)
    assert (found.name, found.folder) == (str(checkpoint), str(checkpoint))
    assert found.settings == {"dim": 64, "doc_maxlen": 180, "query_maxlen": 32}
    assert len(found.fingerprint) == 16


@pytest.mark.parametrize("change", [{"query_maxlen": 64}, {"mask_punctuation": False}])
def test_another_way_to_use_it_is_another_checkpoint(checkpoint, copied, change):
    said = json.loads((copied / "artifact.metadata").read_text())
    before = find(copied).fingerprint
    replace(copied / "artifact.metadata", json.dumps({**said, "root": "/elsewhere"}))
    assert find(copied).fingerprint == before
    replace(copied / "artifact.metadata", json.dumps({**said, **change}))
    assert find(copied).fingerprint != before


def test_other_weights_are_another_checkpoint(checkpoint, tmp_path):
    other = write_tiny_colbert(tmp_path / "tiny", seed=1)
    assert find(other).fingerprint != find(checkpoint).fingerprint


def without_projection(folder):
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["linear.weight"]
    (folder / "model.safetensors").unlink()
    save_file(weights, folder / "model.safetensors")


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (
            lambda home: (home / "artifact.metadata").unlink(),
            InputError,
            "is no ColBERT checkpoint: it has no artifact",
        ),
        (lambda home: (home / "config.json").unlink(), InputError, "is no ColBERT checkpoint: it has no config.json"),
        (without_projection, InputError, "is no ColBERT checkpoint: its weights have no 'linear.weight'"),
        (
            lambda home: (home / "model.safetensors").unlink(),
            InputError,
            "is no ColBERT checkpoint: its weights have no",
        ),
        (
            lambda home: replace(home / "model.safetensors", b"nothing"),
            DamagedFileError,
            "safetensors cannot be read: ",
        ),
        (lambda home: replace(home / "artifact.metadata", "[1]"), DamagedFileError, "metadata is not a JSON object"),
        (lambda home: replace(home / "artifact.metadata", "{"), DamagedFileError, "metadata is not JSON"),
        (
            lambda home: replace(home / "artifact.metadata", '{"dim": "many"}'),
            DamagedFileError,
            "'dim' is 'many', not a value of type int",
        ),
        (lambda home: replace(home / "artifact.metadata", '{"dim": 24}'), InputError, "makes vectors of 24 numbers"),
        (
            lambda home: replace(home / "config.json", '{"auto_map": {"AutoModel": "mine.Model"}}'),
            InputError,
            "brings code of its own ('auto_map' in its config.json), which is never run",
        ),
    ],
)
def test_what_is_no_checkpoint_is_one_sentence(copied, change, kind, said):
    change(copied)
    with pytest.raises(kind) as caught:
        find(copied)
    assert said in str(caught.value)
    assert str(copied) in str(caught.value)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("name", ["nowhere", "a/b/c", "artifact.metadata"])
def test_what_is_neither_a_folder_nor_a_name(name, copied, monkeypatch):
    monkeypatch.chdir(copied)
    with pytest.raises(InputError, match=f"{name} holds no checkpoint: it is neither a folder nor a name on the hub"):
        find(name)


def test_a_name_on_the_hub_is_downloaded(checkpoint, monkeypatch):
    asked = []

    def download(name, allow_patterns, local_files_only=False):
        asked.append((name, allow_patterns))
        return str(checkpoint)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    found = find("colbert-ir/colbertv2.0")
    assert (found.name, found.folder) == ("colbert-ir/colbertv2.0", str(checkpoint))
    assert found.fingerprint == find(checkpoint).fingerprint
    assert [name for name, _ in asked] == ["colbert-ir/colbertv2.0"]
    assert {"artifact.metadata", "*.json", "*.safetensors"} <= set(asked[0][1])


def test_weights_as_older_ones_come(checkpoint, copied):
    import torch
    from safetensors.torch import load_file

    (copied / "model.safetensors").unlink()
    torch.save(load_file(Path(checkpoint) / "model.safetensors"), copied / "pytorch_model.bin")
    assert find(copied).settings["dim"] == 64


def test_weights_that_do_not_fit_are_one_sentence(checkpoint, copied):
    from multihop.retrieval.colbert.token_encoder import open_token_encoder

    config = json.loads((checkpoint / "config.json").read_text())
    replace(copied / "config.json", json.dumps({**config, "hidden_size": 128}))
    encoder = open_token_encoder(copied)
    with pytest.raises(DamagedFileError, match=f"{copied} cannot be opened: [^\n]*$"):
        encoder.encode_queries(["Po"])
