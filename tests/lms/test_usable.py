import json

import pytest
from json_server import JsonServer

from multihop.__main__ import main
from multihop.lms import usable
from multihop.lms.usable import KEYS, FoundModel, find_usable


class ModelsServer(JsonServer):
    """Lists models, as `GET /v1/models` of a server does."""

    def __init__(self, reply, status=200):
        super().__init__(lambda asked: (status if asked.path == "/v1/models" else 404, reply.encode()))

    @property
    def url(self):
        return f"{super().url}/v1"


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch):
    monkeypatch.setattr(usable, "LOCAL_SERVERS", {})
    for variable in KEYS.values():
        monkeypatch.delenv(variable, raising=False)


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


def test_keys_are_told_by_their_provider_alone(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-4711")
    assert find_usable().keys == ("openai",)
    assert main(["lms"]) == 0
    said = capsys.readouterr().out
    assert "openai/MODEL  (OPENAI_API_KEY is set)" in said
    assert "4711" not in said


def test_the_command_says_how_to_ask_what_it_found(capsys):
    with ModelsServer('{"data": [{"id": "qwen3-8b"}]}') as server:
        assert main(["lms", "--api-base", server.url]) == 0
        said = capsys.readouterr().out
        assert f"yours at {server.url}" in said
        assert f"server/qwen3-8b@{server.url}" in said.splitlines()[-1]
        assert "those that think by default are told not to; --lm-set thinking=true lets them" in said
        assert main(["lms", "--api-base", server.url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["servers"][0]["models"][0]["name"] == "qwen3-8b"


def test_where_nothing_is_found_it_says_what_to_do(capsys):
    assert main(["lms"]) == 0
    said = capsys.readouterr().out
    assert "no server and no key was found" in said
    assert said.splitlines()[-1].endswith("--lm local")


def test_what_is_no_address_is_refused(capsys):
    assert main(["lms", "--api-base", "localhost"]) == 2
    assert "'localhost' is not an address" in capsys.readouterr().err
