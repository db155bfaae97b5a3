import pytest
from json_server import JsonServer

from multihop.base import InputError
from multihop.lms import served_model
from multihop.lms.served_model import ModelServer, check_served, context_of


class Told(JsonServer):
    """A server that answers with what it is told to, by path; others are not found."""

    def __init__(self, **replies):
        by_path = {f"/{path.replace('__', '/')}": reply for path, reply in replies.items()}
        super().__init__(lambda asked: by_path.get(asked.path) or (404, {"error": "not found"}))

    @property
    def url(self):
        return f"{super().url}/v1"

    @property
    def paths(self):
        return [each.path for each in self.asked]


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(served_model, "_contexts", {})


def listing(**entry):
    return {"data": [{"id": "m", **entry}]}


@pytest.mark.parametrize(
    ("replies", "context"),
    [
        ({"v1__models": listing(max_model_len=40960)}, 40960),
        ({"v1__models": listing(meta={"n_ctx": 8192, "n_ctx_train": 32768})}, 8192),
        ({"v1__models": listing(meta=None), "props": {"default_generation_settings": {"n_ctx": 4096}}}, 4096),
        ({"v1__models": listing(), "api__ps": {"models": [{"name": "m", "context_length": 2048}]}}, 2048),
        (
            {
                "v1__models": listing(),
                "api__ps": {"models": []},
                "api__show": {"parameters": 'stop "x"\nnum_ctx  16384'},
            },
            16384,
        ),
        ({"v1__models": listing(), "api__ps": {"models": []}, "api__show": {"parameters": ""}}, None),
        (
            {"v1__models": listing(), "api__v0__models": listing(loaded_context_length=4096, max_context_length=32768)},
            4096,
        ),
        ({"v1__models": listing(), "api__v0__models": listing(max_context_length=32768)}, 32768),
        ({"v1__models": listing(meta={"n_ctx": 0})}, None),
        ({"v1__models": listing()}, None),
        ({}, None),
    ],
)
def test_every_server_tells_the_context_in_its_own_way(replies, context):
    with Told(**replies) as server:
        assert context_of(server.url, "m") == context


def test_a_server_is_asked_once():
    with Told(v1__models=listing(max_model_len=4096)) as server:
        assert [context_of(server.url, "m") for _ in range(3)] == [4096] * 3
        assert server.paths == ["/v1/models"]


def test_what_many_models_share_is_asked_once():
    both = {"data": [{"id": "a"}, {"id": "b"}]}
    loaded = {"models": [{"name": "a", "context_length": 2048}, {"name": "b", "context_length": 4096}]}
    with Told(v1__models=both, api__ps=loaded) as server:
        asked = ModelServer(server.url)
        assert [asked.context(name) for name in asked.models] == [2048, 4096]
        assert server.paths == ["/v1/models", "/props", "/api/ps"]


def test_a_server_that_is_down_is_asked_again():
    assert context_of("http://127.0.0.1:9/v1", "m") is None
    assert served_model._contexts == {}


def test_a_server_that_is_down_is_told_in_one_sentence():
    with pytest.raises(
        InputError, match=r"^no server answers at http://127.0.0.1:9/v1 \(.*refused\); start it, or give"
    ):
        check_served("http://127.0.0.1:9/v1", "m")


def test_another_model_than_the_servers_is_refused_with_a_list_of_what_it_has():
    with Told(
        v1__models={"data": [{"id": "qwen3:8b"}, {"id": "/models/smol.gguf"}, {"id": "llama3.2:latest"}]}
    ) as server:
        with pytest.raises(InputError, match="has no model 'qwen3'. It has: 'qwen3:8b', '/models/smol.gguf'"):
            check_served(server.url, "qwen3")
        for name in ("qwen3:8b", "/models/smol.gguf", "smol.gguf", "smol", "llama3.2"):
            check_served(server.url, name)


def test_a_server_without_a_list_is_taken_at_its_word():
    with Told() as server:
        check_served(server.url, "m")
