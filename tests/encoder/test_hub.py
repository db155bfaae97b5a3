from fnmatch import fnmatch

import pytest

from multihop.base import InputError
from multihop.encoder.hub import fetching_nothing, model_fingerprint, model_folder

NAME = "intfloat/e5-base-v2"


def make(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("name", ["nowhere", "./owner/name", "a/b/c", "file"])
def test_what_is_neither_a_folder_nor_a_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(make(tmp_path, "file"))
    assert model_folder(".", "encoder") == tmp_path.resolve()
    wanted = f"^{name} holds no encoder: it is neither a folder nor a name on the hub, OWN"
    with pytest.raises(InputError, match=wanted):
        model_folder(name, "encoder")


@pytest.mark.parametrize(
    ("there", "asked"),
    [(["config.json", "2_Dense/model.safetensors", "model.safetensors"], 1), (["config.json", "pytorch_model.bin"], 2)],
)
def test_from_the_hub_comes_what_is_needed(there, asked, tmp_path, monkeypatch):
    calls = []

    def snapshot_download(name, allow_patterns, ignore_patterns, local_files_only):
        calls.append((name, local_files_only))
        for file in [*there, "onnx/model.onnx", "onnx/config.json", "tf_model.h5", "README.md"]:
            wanted, unwanted = (any(fnmatch(file, one) for one in them) for them in (allow_patterns, ignore_patterns))
            if wanted and not unwanted:
                make(tmp_path, file)
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert model_folder(NAME, "encoder") == tmp_path
    assert calls == [(NAME, False)] * asked
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")) == sorted(there)
    with fetching_nothing():
        model_folder(NAME, "encoder")
    assert calls[asked:] == [(NAME, True)] * asked


def test_a_hub_that_cannot_help_is_one_sentence(tmp_path, monkeypatch):
    def fails(name, **options):
        raise ConnectionError("no network\nmany lines of advice")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fails)
    with pytest.raises(InputError) as refused:
        model_folder(NAME, "encoder")
    assert str(refused.value) == f"{NAME} is no folder here, and cannot be had from the hub: no network."
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **options: str(tmp_path))
    with pytest.raises(InputError, match="on the hub has no weights for PyTorch"):
        model_folder(NAME, "encoder")


def test_a_model_is_known_by_all_of_its_files_wherever_it_is(tmp_path):
    one, other = (make(tmp_path / name, "config.json", "a/model.safetensors", "README.md") for name in ("one", "other"))
    known = model_fingerprint(one)
    (one / "README.md").write_text("words")
    assert model_fingerprint(one) == model_fingerprint(make(other, "onnx/config.json")) == known
    for name in ("config.json", "a/model.safetensors", "b/config.json"):
        (make(other, name) / name).write_text("{}")
        assert model_fingerprint(other) != known
        known = model_fingerprint(other)
