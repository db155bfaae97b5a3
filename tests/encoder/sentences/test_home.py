import pytest

from multihop.base import InputError
from multihop.encoder.sentences.home import encoder_home, onnx_file, weight_files


def make(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["model.onnx", "onnx/model.onnx", "onnx/model_O2.onnx"], "onnx/model.onnx"),
        (["model.onnx"], "model.onnx"),
        (["onnx/model_int8.onnx"], "onnx/model_int8.onnx"),
        (["onnx/model_O1.onnx", "onnx/model_O2.onnx"], None),
        ([], None),
    ],
)
def test_the_network_of_a_folder(tmp_path, names, found):
    assert onnx_file(make(tmp_path, *names)) == (found and tmp_path / found)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["model.safetensors", "pytorch_model.bin"], ["model.safetensors"]),
        (["pytorch_model.bin"], ["pytorch_model.bin"]),
        (
            ["model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors", "model.safetensors.index.json"],
            ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
        ),
        (["training_args.bin"], []),
    ],
)
def test_the_weights_of_a_folder(tmp_path, names, found):
    assert weight_files(make(tmp_path, *names)) == [tmp_path / name for name in found]


def test_a_folder_is_taken_as_it_is(tmp_path):
    assert encoder_home(tmp_path) == tmp_path.resolve()


@pytest.mark.parametrize("name", ["nowhere", "./owner/name", "a/b/c", ""])
def test_what_is_neither_a_folder_nor_a_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if not name:
        name = make(tmp_path, "file") / "file"
    with pytest.raises(InputError, match="is neither a folder nor a name on the hub, OWNER/NAME"):
        encoder_home(name)


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        (["config.json", "onnx/model.onnx", "model.safetensors"], 1),
        (["config.json", "model.safetensors"], 2),
        (["config.json", "pytorch_model.bin"], 3),
        (["2_Dense/config.json", "onnx/model.onnx", "2_Dense/model.safetensors"], 1),
    ],
)
def test_from_the_hub_comes_what_is_needed(there, asked, tmp_path, monkeypatch):
    from fnmatch import fnmatch

    calls = []

    def snapshot_download(name, allow_patterns, local_files_only=False):
        calls.append(name)
        make(tmp_path, *(file for file in there if any(fnmatch(file, pattern) for pattern in allow_patterns)))
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert encoder_home("intfloat/e5-base-v2") == tmp_path
    assert calls == ["intfloat/e5-base-v2"] * asked
    held = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    assert held == sorted(there[: 2 if there[0] == "config.json" else 3])


def test_a_hub_that_cannot_help(tmp_path, monkeypatch):
    def fails(name, allow_patterns, local_files_only=False):
        raise ConnectionError("no network\nmany lines of advice")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fails)
    with pytest.raises(InputError) as refused:
        encoder_home("intfloat/e5-base-v2")
    assert str(refused.value) == "intfloat/e5-base-v2 is no folder here, and cannot be had from the hub: no network."
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **options: str(tmp_path))
    with pytest.raises(InputError, match="on the hub has neither an ONNX file nor weights for PyTorch"):
        encoder_home("intfloat/e5-base-v2")
