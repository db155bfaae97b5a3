import json

import pytest
from tiny_gguf import gguf as gguf_file
from tiny_gguf import qwen3

from multihop.base import InputError
from multihop.lms import gguf
from multihop.lms.gguf_engine import engine
from multihop.lms.gguf_engine.engine import GGUF
from multihop.lms.in_process.answer import Answer


class Model:
    """A file that is never loaded; it keeps what its chat template is told."""

    def __init__(self, path):
        self.path, self.told = path, []

    def render(self, messages, **switches):
        self.told.append(switches)
        return "prompt"

    def tokenize(self, text):
        return [1] * 9


class Worker:
    """A model that is never run."""

    context = 8

    def __init__(self, model, room):
        self.model = model

    def close(self):
        pass


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "ModelFile", Model)
    monkeypatch.setattr(engine, "Worker", Worker)

    def opened(content, **options):
        (tmp_path / "m.gguf").write_bytes(content)
        return gguf(tmp_path / "m.gguf", **options)

    return opened


QWEN3, UNKNOWN = qwen3(), gguf_file(general__architecture="llama")
DRAWN = ("temperature", "top_p", "top_k", "max_tokens")


@pytest.mark.parametrize(
    ("content", "options", "mind", "form", "drawn"),
    [
        (QWEN3, {}, "m-direct", "schema", {"temperature": 0.0, "max_tokens": 1024}),
        (
            QWEN3,
            {"thinking": False, "structured": "json"},
            "m-direct",
            "json",
            {"temperature": 0.0, "max_tokens": 1024},
        ),
        (
            QWEN3,
            {"thinking": True},
            "m-thinking",
            "text",
            {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "max_tokens": 4096},
        ),
        (
            QWEN3,
            {"temperature": 0.7, "top_k": 5},
            "m-direct",
            "schema",
            {"temperature": 0.7, "top_p": 0.8, "top_k": 5, "max_tokens": 1024},
        ),
        (UNKNOWN, {}, "m", "schema", {"temperature": 0.0, "max_tokens": 1024}),
        (UNKNOWN, {"temperature": 0.7}, "m", "schema", {"temperature": 0.7, "max_tokens": 1024}),
        (UNKNOWN, {"thinking": True}, "m-thinking", "text", {"temperature": 0.0, "max_tokens": 4096}),
    ],
)
def test_a_file_is_opened_as_its_family_wants(content, options, mind, form, drawn, opened):
    lm = opened(content, **options)
    assert lm.model.startswith(f"multihop/gguf:{mind}@")
    assert lm.structured == form
    assert {name: lm.kwargs[name] for name in DRAWN if name in lm.kwargs} == drawn


@pytest.mark.parametrize(("thinking", "told"), [(None, False), (False, False), (True, True)])
def test_the_chat_template_is_told_whether_to_think(thinking, told, opened):
    from dspy.lm15 import ContextLengthError, Message, Request

    made = opened(QWEN3, thinking=thinking).engine
    with pytest.raises(ContextLengthError, match="has 9 tokens, and the context of m.gguf 8; .* a larger context"):
        made.call(Request(model="m", messages=(Message.user("Who?"),)))
    assert made.worker.model.told == [{"enable_thinking": told}]
    assert made.dump_state()["switches"] == {"enable_thinking": told}
    assert json.loads(json.dumps(made.dump_state()))["file"] == "m.gguf"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thinking": True, "structured": "schema"}, "'m.gguf' would think before it answers, which no schema lets it"),
        ({"structured": "yaml"}, "unknown form of answers 'yaml'"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message, opened):
    with pytest.raises(InputError, match=message):
        opened(QWEN3, **options)


def test_an_answer_begins_where_the_thought_ends(opened):
    from dspy.lm15 import Message, Request

    made = opened(QWEN3, thinking=True).engine
    request = Request(model="m", messages=(Message.user("Who?"),))
    answer = Answer("<think>[[ ## answer ## ]] Bob?</think>Ada", "stop", 9, 0, 5, None)
    assert made.respond_with(request, answer).text == "Ada"


def test_a_saved_state_opens_the_same(opened, monkeypatch, tmp_path):
    made = opened(QWEN3).engine
    monkeypatch.chdir(tmp_path)
    assert GGUF.load_state(made.dump_state()).name == made.name
