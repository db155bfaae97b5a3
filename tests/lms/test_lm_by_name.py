import asyncio
import os

import dspy
import pytest
from dspy.clients.engines import LM15Engine
from dspy.lm15 import AccessPolicy, OpenAIChatCompat, ProviderDefinition, register_provider, unregister_provider
from openai_server import OpenAIServer

from multihop import InputError, MissingKeyError
from multihop.lms import open_lm, read_lms
from multihop.lms.lm_by_name import _NATIVE

PREDICT = dspy.Predict("question -> answer")


@pytest.fixture
def server():
    with OpenAIServer(lambda prompt: {"answer": "Ada"}) as server:
        yield server


@pytest.fixture(autouse=True)
def no_keys(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")


@pytest.mark.parametrize("name", ["local", "local@1", "multihop/local@1"])
def test_ours_opens_by_its_name_and_takes_no_server(name):
    lm = open_lm(name, temperature=0.5)
    assert (lm.model.partition("@")[0], lm.kwargs["temperature"]) == ("multihop/local", 0.5)
    for options in ({"api_base": "http://localhost:8000/v1"}, {"api_key": "key-4711"}):
        with pytest.raises(InputError, match="runs in this process; it takes no api_base and no api_key"):
            open_lm(name, **options)


def test_a_name_may_bring_its_server():
    lm = open_lm("hosted_vllm/Qwen/Qwen3-8B@https://host:8000/v1", structured="text", temperature=0.2)
    assert (lm.model, lm.kwargs["api_base"]) == ("server/Qwen/Qwen3-8B", "https://host:8000/v1")
    assert lm.kwargs["temperature"] == 0.2
    with pytest.raises(InputError, match="names its server; it takes no other api_base"):
        open_lm("server/m@http://host/v1", api_base="http://other/v1")


@pytest.mark.parametrize(("prefix", "key", "sent"), [("server", "key-4711", "key-4711"), ("openai", None, "EMPTY")])
def test_a_server_of_ones_own_answers(server, monkeypatch, prefix, key, sent):
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-somebody-else")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    name = f"{prefix}/qwen/qwen3-8b"
    lm = open_lm(name, api_base=server.url, api_key=key, structured="text", temperature=0.3, cache=False)
    with dspy.context(lm=lm), dspy.track_usage() as usage:
        assert PREDICT(question="Who?").answer == "Ada"
        assert asyncio.run(PREDICT.acall(question="Who?")).answer == "Ada"
    assert [(body["model"], body["temperature"]) for body in server.bodies] == [("qwen/qwen3-8b", 0.3)] * 2
    assert {*server.keys} == {f"Bearer {sent}"}
    assert usage.get_total_tokens()[lm.model]["total_tokens"] == sum(server.tokens.values())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("gpt-4.1-mini", {}, "'gpt-4.1-mini' names no provider.*Providers: anthropic, .*openai"),
        ("scripted", {}, "made in code.*multihop.lms.scripted"),
        ("lexical", {}, "'lexical' names no provider.* or \"local\" for the one that needs none"),
        ("server/m", {"api_base": "localhost:8000"}, "'localhost:8000' is not an address"),
        ("server/m", {}, "write its address behind it, server/m@http://HOST:PORT/v1"),
        ("openai/m", {"api_key": "k", "thinking": False}, "is hosted; how it thinks is a parameter of its own"),
        ("openai/m", {"structured": "yaml"}, "unknown form of answers 'yaml'.*auto, json, schema, text"),
        ("gguf:small.gguf", {}, "'gguf:small.gguf' is a model on the disk.*: start `llama-server -m FILE --port 8080`"),
        ("anthropic/m", {"api_base": "http://h"}, "unknown provider for a server.*'anthropic'.*hosted_vllm"),
    ],
)
def test_a_name_that_cannot_work_is_refused(name, options, message):
    with pytest.raises(InputError, match=message):
        open_lm(name, **options)


@pytest.mark.parametrize(
    ("name", "variables"),
    [("openai/gpt-4.1-mini", ["OPENAI_API_KEY"]), ("moonshot/kimi-k2", ["MOONSHOTAI_API_KEY", "MOONSHOT_API_KEY"])],
)
def test_a_missing_key_is_named(monkeypatch, name, variables):
    with pytest.raises(InputError, match=f"'{name}' needs a key: set {' or '.join(variables)} in the environment"):
        open_lm(name)
    monkeypatch.setenv(variables[-1], "key-4711")
    assert open_lm(name).model == name


def test_a_registered_provider_is_known(monkeypatch):
    access = AccessPolicy(provider="our-door", env_keys=("OUR_DOOR_API_KEY",), base_url="http://127.0.0.1:9/v1")
    register_provider(ProviderDefinition.chat(access, compat=OpenAIChatCompat.preset("vllm")))
    try:
        with pytest.raises(InputError, match="set OUR_DOOR_API_KEY in the environment"):
            open_lm("our-door/m")
        monkeypatch.setenv("OUR_DOOR_API_KEY", "key-4711")
        assert open_lm("our-door/m").model == "our-door/m"
        with pytest.raises(InputError, match="our-door"):
            open_lm("m")
    finally:
        unregister_provider("our-door")


@pytest.mark.seconds  # LiteLLM takes some to import
def test_what_only_litellm_reaches_is_checked_there(monkeypatch):
    with pytest.raises(InputError, match=r"unknown LM provider 'opnai'; did you mean 'openai'\?.*api_base="):
        open_lm("opnai/gpt-4.1-mini")
    with pytest.raises(InputError, match="needs a key: set MISTRAL_API_KEY in the environment"):
        open_lm("mistral/mistral-small")
    assert open_lm("mistral/mistral-small", api_key="key-4711").model == "mistral/mistral-small"
    monkeypatch.setenv("MISTRAL_API_KEY", "key-4711")
    assert open_lm("mistral/mistral-small").model == "mistral/mistral-small"
    assert open_lm("bedrock/any").model == "bedrock/any"  # its keys may come from a profile or the machine


def test_providers_that_an_error_names_are_reached_without_litellm():
    for provider in _NATIVE:
        assert LM15Engine().resolve(f"{provider}/m").model == "m"
        assert open_lm(f"{provider}/m", api_key="key-4711").model == f"{provider}/m"


FILE = """
[small]
model = "ollama/qwen3-8b"
api_base = "http://127.0.0.1:8001/v1"
price = {input = 0.05, output = 0.2}
temperature = 0.1
max_tokens = 500

[large]
model = "openai/gpt-4.1"
key_env = "WORK_KEY"
"""


def test_each_lm_has_its_server_its_key_and_its_parameters(tmp_path, monkeypatch):
    (tmp_path / "lms.toml").write_text(FILE)
    lms = read_lms(tmp_path / "lms.toml")
    small = lms["small"]
    assert (small.model, small.api_base, small.key) == ("ollama/qwen3-8b", "http://127.0.0.1:8001/v1", None)
    assert (small.price, small.options) == ({"input": 0.05, "output": 0.2}, {"temperature": 0.1, "max_tokens": 500})
    assert (small.priced_model, lms["large"].priced_model) == ("server/qwen3-8b", "openai/gpt-4.1")
    assert (lms["large"].api_base, lms["large"].options) == (None, {})
    monkeypatch.delenv("WORK_KEY", raising=False)
    with pytest.raises(MissingKeyError, match="WORK_KEY is not set in the environment") as raised:
        lms["large"].key  # noqa: B018
    assert raised.value.variables == ("WORK_KEY",)
    monkeypatch.setenv("WORK_KEY", "key-4711")
    assert lms["large"].key == "key-4711"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\nmodel = "server/m"\napi_key = "sk-4711"', "[a], api_key: a key is never written into a file"),
        ('[a]\nmodel = "server/m"\nheaders = { Authorization = "sk-4711" }', "[a], headers: a key"),
        ('[a]\nmodel = "server/m"\napi_base = "http://me:sk-4711@host/v1"', "write the address alone, such as http://host"),
        ('[a]\napi_base = "http://host/v1"', "[a]: model: field required; an LM is a table"),
        ('[a]\nmodel = " "', "[a]: model: string should have at least 1 character"),
        ("[a]\nmodel = 3", "[a]: model: input should be a valid string"),
        ('model = "server/m"', "[model]: input should be"),
        ("", "describes no LM"),
        ("[a", "is not TOML"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_and_no_key_is_repeated(tmp_path, text, said):
    (tmp_path / "lms.toml").write_text(text)
    with pytest.raises(InputError) as raised:
        read_lms(tmp_path / "lms.toml")
    assert said in str(raised.value)
    assert "lms.toml" in str(raised.value)
    assert "4711" not in str(raised.value)
