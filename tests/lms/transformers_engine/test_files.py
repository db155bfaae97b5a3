import json
import struct

import pytest

from multihop.base import DamagedFileError, InputError, MismatchError
from multihop.lms import open_lm
from multihop.lms.gguf_engine.files import FOLDERS
from multihop.lms.transformers_engine.files import (
    check_digest,
    check_folder,
    digest_of,
    find_folder,
    is_folder,
    pinned,
    split_digest,
)


def weights(count=4):
    header = json.dumps({"w": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(4 * count)


@pytest.fixture
def whole(tmp_path):
    """A folder that has everything, and no weight that is worth anything."""
    folder = tmp_path / "whole"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "llama"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "model.safetensors").write_bytes(weights())
    return folder


@pytest.fixture
def adapter(whole, tmp_path):
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(whole), "r": 4}))
    (folder / "adapter_model.safetensors").write_bytes(weights(2))
    return folder


def test_a_whole_folder_is_one(whole):
    assert check_folder(whole).path == whole
    assert is_folder(str(whole))
    assert not is_folder(str(whole.parent / "adapter").lstrip("/"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", None, "holds no model: no config.json, no adapter_config.json and no GGUF file"),
        ("config.json", b"{", "config.json is damaged: it is no JSON object"),
        ("model.safetensors", None, "has no weights: model.safetensors is missing"),
        ("model.safetensors", weights()[:-3], r"is damaged: it has \d+ bytes and should have \d+"),
        ("model.safetensors", b"\xff" * 20, "is damaged: its description cannot be read"),
        ("tokenizer.json", None, "has no tokenizer"),
        ("chat_template.jinja", None, "has no chat template: it is a base model"),
    ],
)
def test_what_is_missing_or_damaged_is_named(name, content, message, whole):
    if content is None:
        (whole / name).unlink()
    else:
        (whole / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        open_lm(f"folder:{whole}")


def test_weights_that_can_run_code_are_refused(whole):
    (whole / "model.safetensors").rename(whole / "pytorch_model.bin")
    with pytest.raises(InputError, match="has its weights in pytorch_model.bin, a kind of file that can run code"):
        check_folder(whole)


def test_every_part_of_the_weights_is_looked_at(whole):
    (whole / "model.safetensors").rename(whole / "model-1.safetensors")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (whole / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match="model-2.safetensors is missing"):
        check_folder(whole)
    (whole / "model-2.safetensors").write_bytes(weights(3))
    assert check_folder(whole).base is None
    (whole / "model-2.safetensors").write_bytes(weights(3)[:-1])
    with pytest.raises(DamagedFileError, match="model-2.safetensors is damaged"):
        check_folder(whole)


def test_an_adapter_needs_its_base(adapter, whole):
    assert check_folder(adapter).base == str(whole)
    whole.rename(whole.with_name("elsewhere"))
    with pytest.raises(InputError, match=r"adapter is an adapter of .*whole, which is not there"):
        check_folder(adapter)
    (adapter / "adapter_config.json").write_text('{"base_model_name_or_path": "org/name"}')
    assert check_folder(adapter).base == "org/name"
    (adapter / "adapter_config.json").write_text("{}")
    with pytest.raises(InputError, match="names no model that the adapter changes"):
        check_folder(adapter)


def test_another_model_has_another_digest_and_the_same_one_elsewhere_the_same(adapter, whole, tmp_path):
    first, adapted = digest_of(check_folder(whole)), digest_of(check_folder(adapter))
    assert first != adapted
    moved = whole.rename(tmp_path / "moved")
    assert digest_of(check_folder(moved)) == first
    described = {"base_model_name_or_path": str(moved), "r": 4}
    (adapter / "adapter_config.json").write_text(json.dumps(described))
    assert digest_of(check_folder(adapter)) == adapted
    (moved / "chat_template.jinja").write_text("{{ messages[0] }}")
    assert len({first, adapted, digest_of(check_folder(moved)), digest_of(check_folder(adapter))}) == 4


def test_a_folder_of_one_gguf_file_is_that_file(tmp_path):
    (tmp_path / "clone.json").write_text('{"start_from": "base"}')
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    folder = check_folder(tmp_path)
    assert (folder.gguf, folder.cloned_from) == (tmp_path / "m.gguf", "base")
    (tmp_path / "n.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match="holds 2 GGUF files, m.gguf, n.gguf; name one of them as gguf:PATH"):
        check_folder(tmp_path)


def test_a_folder_that_was_named_with_a_digest_must_hold_that_model(whole):
    name = pinned(whole)
    assert split_digest(name.removeprefix("folder:")) == (str(whole), digest_of(check_folder(whole)))
    check_digest(check_folder(whole), split_digest(name)[1])
    (whole / "model.safetensors").write_bytes(weights(5))
    with pytest.raises(MismatchError, match=r"whole holds another model by now \([0-9a-f]{8}\) than the one that was"):
        open_lm(name)


def test_a_name_alone_is_looked_for_where_models_are(whole, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    monkeypatch.chdir(tmp_path.parent)
    assert find_folder("whole") == whole
    with pytest.raises(InputError, match="there is no model folder other in "):
        find_folder("other")
    with pytest.raises(InputError, match="there is no folder a/b"):
        find_folder("a/b")


def test_a_folder_takes_no_address_and_no_schema(whole):
    with pytest.raises(InputError, match="is on the disk; it takes no api_base"):
        open_lm(f"folder:{whole}", api_base="http://localhost:8000/v1")
    with pytest.raises(InputError, match="'whole' is held to no schema; ask it for 'text' or 'json'"):
        open_lm(str(whole), structured="schema")
