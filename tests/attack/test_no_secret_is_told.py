"""A random key is given in every way in which one can be, and a server repeats all that it gets: nothing tells it."""

import json
import logging
import secrets
from base64 import b64encode
from urllib.parse import quote

import dspy
import httpx
import pytest
from json_server import JsonServer
from web_service import web_service

from multihop import Direct, caching, open_lm
from multihop.__main__ import main

pytestmark = pytest.mark.usefixtures("quiet_again")

QUESTION = "Who wrote Emma?"


def repeat(asked):
    """The answer of a careless provider: all that it got, word by word."""
    said = f"{asked.headers} at {asked.path} is refused"
    return 401, {"error": {"message": said, "type": "invalid_request_error", "code": "invalid_api_key"}}


@pytest.fixture
def provider():
    with JsonServer(repeat) as server:
        yield server


@pytest.fixture
def secret():
    return f"{secrets.token_urlsafe(9)}+{secrets.token_hex(9)}"


@pytest.fixture(autouse=True)
def _quiet_again():
    names = ("multihop", "multihop.texts")
    before = [(logging.getLogger(name).level, logging.getLogger(name).handlers) for name in names]
    yield
    for name, (level, handlers) in zip(names, before, strict=True):
        logging.getLogger(name).setLevel(level)
        logging.getLogger(name).handlers = handlers
    logging.getLogger("multihop").propagate = True


def forms(secret):
    return {secret, quote(secret, safe=""), b64encode(f"me:{secret}".encode()).decode(), json.dumps(secret)[1:-1]}


def assert_untold(secret, *texts):
    for text in texts:
        assert not [form for form in forms(secret) if form in text], text


def files_of(folder):
    return [file.read_bytes().decode("utf-8", "replace") for file in folder.rglob("*") if file.is_file()]


def lm_with(way, secret, monkeypatch, url):
    """An LM that is given the key in one of the ways in which one can be given."""
    if way == "in code":
        return open_lm("server/m", api_base=url, api_key=secret, structured="text")
    if way == "in a header":
        headers = {"Authorization": f"Bearer {secret}"}
        return dspy.LM("openai/m", api_base=url, api_key="none", num_retries=0, extra_headers=headers)
    if way == "past us":
        return dspy.LM("openai/m", api_base=url, api_key=secret, num_retries=0)
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    return dspy.LM("openai/m", api_base=url, num_retries=0)


IN_A_HEADER = pytest.param("in a header", marks=pytest.mark.seconds)  # LiteLLM is imported for it
WAYS = ("in code", "past us", "in the environment", IN_A_HEADER)


@pytest.mark.parametrize("way", WAYS)
def test_an_error_tells_no_key(way, secret, provider, monkeypatch, caplog):
    lm = lm_with(way, secret, monkeypatch, f"{provider.url}/v1")
    logging.getLogger("multihop").setLevel(logging.DEBUG)
    logging.getLogger("multihop.texts").setLevel(logging.DEBUG)
    with dspy.context(lm=lm), caching("off"), pytest.raises(dspy.LMError, match="is refused") as raised:
        Direct()(question=QUESTION)
    got = [str(asked.headers) for asked in provider.asked]
    assert any(secret in each for each in got)  # else nothing is shown here
    error, told = raised.value, []
    while error is not None:
        told += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__ or error.__context__
    assert_untold(secret, *told, caplog.text)


@pytest.mark.parametrize("way", WAYS)
def test_a_server_tells_no_key_and_logs_none(way, secret, provider, monkeypatch):
    lm = lm_with(way, secret, monkeypatch, f"{provider.url}/v1")
    with web_service({"direct": (Direct(), lm)}, with_texts=True) as web:
        answers = [httpx.post(f"{web.url}/ask", json={"question": QUESTION})]
        answers += [httpx.get(f"{web.url}{path}") for path in ("/", "/metrics", "/openapi.json", "/healthz")]
        chat = {"model": "direct", "messages": [{"role": "user", "content": QUESTION}]}
        answers += [httpx.post(f"{web.url}/v1/chat/completions", json={**chat, "stream": on}) for on in (True, False)]
        events = json.dumps(web.events())
    assert answers[0].status_code == 502
    assert "is refused" in answers[0].text or "is refused" in events
    assert_untold(secret, events, *(f"{answer.text} {answer.headers}" for answer in answers))


@pytest.mark.parametrize("options", [[], ["-vv", "--log-texts"]])
def test_a_run_tells_no_key(options, secret, provider, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("TEAM_KEY", secret)
    (tmp_path / "lms.toml").write_text(
        f'[small]\nmodel = "server/m"\napi_base = "{provider.url}/v1"\nkey_env = "TEAM_KEY"\nnum_retries = 0\n'
    )
    rows = [{"id": f"q{i}", "question": QUESTION, "answers": ["Jane Austen"]} for i in range(3)]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run, lms = tmp_path / "run", ["--lms", str(tmp_path / "lms.toml"), "--lm", "small"]
    code = main(["evaluate", "direct", "-q", str(tmp_path / "questions.jsonl"), "--out", str(run), *lms, *options])
    said = capsys.readouterr()
    assert code == 1
    assert any(secret in str(asked.headers) for asked in provider.asked)
    assert any("is refused" in text for text in files_of(run))
    assert_untold(secret, said.out, said.err, *files_of(run))
    assert main(["ask", QUESTION, "-p", "direct", *lms, *options]) == 1
    said = capsys.readouterr()
    assert "is refused" in said.err
    assert_untold(secret, said.out, said.err)


@pytest.mark.parametrize("login", ["me:{}@", "{}@", "me:[{}@"])
def test_an_address_with_a_login_is_refused_and_not_repeated(login, secret, provider, capsys):
    address = f"http://{login.format(quote(secret, safe=''))}127.0.0.1:{provider.server_port}/v1"
    code = main(["ask", QUESTION, "-p", "direct", "--lm", f"server/m@{address}"])
    said = capsys.readouterr()
    assert code == 2
    assert f"write the address alone, http://127.0.0.1:{provider.server_port}/v1: it has a login" in said.err
    assert_untold(secret, said.out, said.err)
    assert not provider.asked


def test_the_login_of_a_search_server_is_sent_and_never_told(secret, provider, capsys):
    address = f"http://me:{quote(secret, safe='')}@127.0.0.1:{provider.server_port}"
    code = main(["ask", QUESTION, "-p", "one-step", "-c", address, "--lm", "local", "-vv", "--log-texts"])
    said = capsys.readouterr()
    assert code in (1, 2)
    assert any(b64encode(f"me:{secret}".encode()).decode() in str(asked.headers) for asked in provider.asked)
    assert_untold(secret, said.out, said.err)
