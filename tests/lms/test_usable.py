import json

import pytest
from json_server import JsonServer
from tiny_gguf import qwen3

from multihop.__main__ import main
from multihop.lms import usable
from multihop.lms.gguf_engine.files import FOLDERS
from multihop.lms.usable import KEYS, FoundModel, find_usable


class ModelsServer(JsonServer):
    """Lists models, as `GET /v1/models` of a server does."""

    def __init__(self, reply, status=200):
        super().__init__(lambda asked: (status if asked.path == "/v1/models" else 404, reply.encode()))

    @property
    def url(self):
        return f"{super().url}/v1"


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch, tmp_path):
    monkeypatch.setattr(usable, "LOCAL_SERVERS", {})
    monkeypatch.setattr(usable, "_CACHES", (str(tmp_path / "cache"),))
    monkeypatch.setenv(FOLDERS, "")
    monkeypatch.setenv("DSPY_FINETUNEDIR", str(tmp_path / "clones"))
    for variable in KEYS.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


def model_file(path, size=100):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"GGUF" + bytes(size - 4))
    return path


def test_files_are_found_in_the_usual_folders_and_those_that_are_named(tmp_path, monkeypatch):
    cached = model_file(tmp_path / "cache" / "deep" / "small.gguf", 50)
    named = model_file(tmp_path / "named" / "large.gguf", 200)
    given = model_file(tmp_path / "given" / "middle.gguf", 100)
    model_file(tmp_path / "cache" / "big-00001-of-00002.gguf", 30)
    for left_out in ("big-00002-of-00002.gguf", "mmproj-small.gguf"):
        model_file(tmp_path / "cache" / left_out)
    (tmp_path / "cache" / "text.gguf").write_text("no model")
    monkeypatch.setenv(FOLDERS, str(named.parent))
    found = find_usable(folders=[str(given.parent)])
    assert [(file.path, file.bytes) for file in found.files] == [
        (str(named), 200),
        (str(given), 100),
        (str(cached), 50),
        (str(tmp_path / "cache" / "big-00001-of-00002.gguf"), 30),
    ]
    assert found.files[0].lm == f"gguf:{named}"


def test_servers_that_answer_are_listed_with_their_models():
    listed = json.dumps({"data": [{"id": "qwen3-8b", "max_model_len": 8192}, {"id": "org/other"}]})
    with ModelsServer(listed) as server, ModelsServer("busy", status=503) as busy, ModelsServer("[1]") as other:
        found = find_usable(addresses=[server.url, busy.url, other.url, "http://127.0.0.1:9/v1"])
        (answered,) = found.servers
        assert (answered.kind, answered.address) == ("yours", server.url)
        assert answered.models == (
            FoundModel("qwen3-8b", f"server/qwen3-8b@{server.url}", "Qwen3", "default", 8192),
            FoundModel("org/other", f"server/org/other@{server.url}"),
        )


def test_a_server_on_its_usual_port_is_called_by_its_kind(monkeypatch):
    with ModelsServer('{"data": []}') as server:
        monkeypatch.setattr(usable, "LOCAL_SERVERS", {"Ollama": server.url})
        (answered,) = find_usable().servers
    assert (answered.kind, answered.models) == ("Ollama", ())


def test_a_file_says_what_it_is_and_a_damaged_one_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    (tmp_path / "q.gguf").write_bytes(qwen3())
    model_file(tmp_path / "x.gguf", 900)
    damaged, whole = find_usable().files
    assert (whole.family, whole.thinks, whole.context) == ("Qwen3", "default", 40960)
    assert (damaged.family, damaged.thinks, damaged.context) == (None, None, None)
    assert main(["lms"]) == 0
    said = capsys.readouterr().out
    assert "gguf:q.gguf  0 MB, Qwen3, context 40,960, thinks by default\n" in said
    assert "those that think by default are told not to; --lm-set thinking=true lets them" in said


def model_folder(path, **files):
    path.mkdir(parents=True)
    header = json.dumps({"w": {"dtype": "F32", "shape": [250_000], "data_offsets": [0, 1_000_000]}}).encode()
    (path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(1_000_000))
    (path / "config.json").write_text('{"model_type": "qwen3", "max_position_embeddings": 4096}')
    (path / "tokenizer.json").write_text("{}")
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text)


def test_folders_of_chat_models_are_found_and_no_others(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(FOLDERS, str(tmp_path / "models"))
    model_folder(tmp_path / "models" / "chat", chat_template__jinja="{{ messages }}")
    model_folder(tmp_path / "models" / "encoder")
    model_folder(tmp_path / "clones" / "planner", chat_template__jinja="", clone__json='{"start_from": "qwen3-0.6b"}')
    planner, chat = find_usable().folders
    assert (chat.lm, chat.bytes > 1_000_000, chat.family, chat.thinks, chat.context, chat.cloned_from) == (
        *(f"folder:{tmp_path}/models/chat", True, "Qwen3", "default", 4096, None),
    )
    assert (planner.lm, planner.family, planner.thinks) == (f"folder:{tmp_path}/clones/planner", "Qwen3", None)
    monkeypatch.setattr(usable, "find_spec", lambda name: None)
    assert main(["lms"]) == 0
    said = capsys.readouterr().out
    assert "2 model folders  they need PyTorch: pip install 'multihop[train]'\n" in said
    assert "clones/planner  1 MB, Qwen3, context 4,096, cloned from qwen3-0.6b\n" in said
    assert said.splitlines()[-1].endswith("--lm local")


def test_files_that_cannot_be_run_are_told_with_what_runs_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(usable, "find_spec", lambda name: None)
    model_file(tmp_path / "x.gguf")
    assert main(["lms"]) == 0
    assert "1 model file  they need llama.cpp: pip install 'multihop[llama]'\n" in capsys.readouterr().out


def test_keys_are_told_by_their_provider_alone(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-4711")
    assert find_usable().keys == ("openai",)
    assert main(["lms"]) == 0
    said = capsys.readouterr().out
    assert "openai/MODEL  (OPENAI_API_KEY is set)" in said
    assert "4711" not in said


def test_the_command_says_how_to_ask_what_it_found(tmp_path, capsys):
    model_file(tmp_path / "my models" / "small.gguf")
    with ModelsServer('{"data": [{"id": "m"}]}') as server:
        assert main(["lms", "--api-base", server.url, "--folder", str(tmp_path / "my models")]) == 0
        said = capsys.readouterr().out
        assert f"'gguf:{tmp_path}/my models/small.gguf'  0 MB" in said
        assert f"yours at {server.url}" in said
        assert f"server/m@{server.url}" in said.splitlines()[-1] or "gguf:" in said.splitlines()[-1]
        assert main(["lms", "--api-base", server.url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["servers"][0]["models"][0]["name"] == "m"


def test_where_nothing_is_found_it_says_what_to_do(capsys):
    assert main(["lms"]) == 0
    said = capsys.readouterr().out
    assert "no model file, no server and no key was found" in said
    assert said.splitlines()[-1].endswith("--lm local")


def test_what_is_no_address_is_refused(capsys):
    assert main(["lms", "--api-base", "localhost"]) == 2
    assert "'localhost' is not an address" in capsys.readouterr().err
