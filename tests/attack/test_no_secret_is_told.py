"""Secrets are given in every way in which one can be, and whoever gets them repeats them: nothing tells one.

They are looked for in all files that are left, in what is printed, logged and answered, and in errors; and with them,
each time, a text that must be there.
"""

import json
import logging
import secrets
from base64 import b64encode
from types import SimpleNamespace
from urllib.parse import quote

import dspy
import httpx
import pytest
from json_server import JsonServer
from web_service import web_service

from multihop import Direct, Question, evaluate, open_lm
from multihop.base import InputError, MismatchError
from multihop.base.errors import hide_secrets, names_secret
from multihop.evaluation.header import _ADDRESS
from multihop.evaluation.journal import HEADER, read_header
from multihop.evaluation.metrics import Judged
from multihop.optimize import save
from multihop.optimize.artefact import about_lm
from multihop.optimize.study import compile_variants
from multihop.retrieval.remote import RemoteRetriever
from multihop.runtime.cache import key_of

pytestmark = [
    pytest.mark.usefixtures("quiet_again"),
    pytest.mark.filterwarnings("ignore:Implementing custom LMs:DeprecationWarning"),
]

QUESTION = "Who wrote Emma?"
QUESTIONS = [Question(id=f"q{i}", question=f"{QUESTION} {i}", answers=("Jane Austen",)) for i in range(3)]
PARAMETERS = {
    "a key": {"api_key": "{}"},
    "a header": {"extra_headers": {"Authorization": "Bearer {}"}},
    "a header of any name": {"extra_headers": {"X-Team": "{}"}},
    "a cookie": {"extra_headers": {"Cookie": "session={}; theme=dark"}},
    "headers": {"headers": {"x-api-key": "{}"}},
    "headers for all": {"default_headers": {"X-Team": "Basic {}"}},
    "a query": {"extra_query": {"sig": "{}"}},
    "a body": {"extra_body": {"api_key": "{}", "top_k": 7}},
    "deep in a body": {"extra_body": {"login": {"as": [{"token": "{}"}]}}},
    "a body's field of any name": {"extra_body": {"guest": "{}"}},
    "the name of a body's field": {"extra_body": {"{}": True}},
    "a template": {"chat_template_kwargs": {"enable_thinking": False, "hf": "{}"}},
    "metadata": {"metadata": {"trace": {"langfuse": "{}"}}},
    "a list": {"plugins": [{"id": "web", "login": "{}"}]},
    "Azure": {"azure_ad_token": "{}"},
    "AWS's key": {"aws_secret_access_key": "{}"},
    "AWS's name of a key": {"aws_access_key_id": "{}"},
    "AWS's session": {"aws_session_token": "{}"},
    "Google": {"vertex_credentials": '{"private_key": "{}"}'},
    "a parameter of any name": {"pass_phrase": "{}"},
    "the name of a parameter": {"{}": 1},
    "what should be a number": {"top_p": "{}"},
    "what should be a word": {"reasoning_effort": "{}"},
    "a stop": {"stop": ["{}"]},
    "a path": {"api_base": "http://127.0.0.1:9/{}/v1"},
    "a login": {"base_url": "http://me:{}@127.0.0.1:9/v1?x#y"},
}
"""Ways to give an LM a secret."""
SHOWN = {"temperature": 0.125, "max_tokens": 99}
"""Parameters that are no secrets."""


class Careless(dspy.LM):
    """Refuses and repeats all that it got, as a provider does; or answers."""

    refuses, said = True, ""
    supports_function_calling = supports_reasoning = supports_response_schema = False  # nobody looks it up

    def forward(self, prompt=None, messages=None, **settings):
        if self.refuses:
            Careless.said = f"{ {**self.kwargs, **settings} } is refused"
            raise dspy.LMAuthError(Careless.said)
        text = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in ANSWER.items())
        choice = SimpleNamespace(message=SimpleNamespace(content=text), finish_reason="stop", index=0)
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        return SimpleNamespace(choices=[choice], usage=usage, model="m")

    async def aforward(self, prompt=None, messages=None, **settings):
        return self.forward(prompt, messages, **settings)


ANSWER = {"reasoning": "It is known.", "answer": "Jane Austen", "correct": "True", "completed": ""}


class WithKey(Direct):
    """A program with a setting of its own that is a key."""

    service_key: str = "none"


def new_secret():
    return f"{secrets.token_urlsafe(9)}+{secrets.token_hex(9)}"


@pytest.fixture
def secret():
    return new_secret()


def filled(value, secret):
    """The value with the secret in its place, also where it is a name."""
    if isinstance(value, dict):
        return {filled(name, secret): filled(part, secret) for name, part in value.items()}
    if isinstance(value, list):
        return [filled(part, secret) for part in value]
    return value.replace("{}", secret) if isinstance(value, str) else value


def merged(one, other):
    both = {name: merged(one[name], other[name]) for name in one.keys() & other.keys()} if one else {}
    return {**one, **other, **both}


def forms(secret):
    return {secret, quote(secret, safe=""), b64encode(f"me:{secret}".encode()).decode(), json.dumps(secret)[1:-1]}


def assert_untold(planted, *texts, there):
    """None of the secrets is in any of the texts, and all that is to be there is."""
    planted = planted if isinstance(planted, dict) else {"the secret": planted}
    whole = "\n".join(texts)
    found = {way for way, secret in planted.items() if any(form in whole for form in forms(secret))}
    assert not found, [text for text in texts if any(secret in text for secret in planted.values())]
    assert not [each for each in there if each not in whole], whole


def files_of(folder):
    return [file.read_bytes().decode("utf-8", "replace") for file in folder.rglob("*") if file.is_file()]


def told_by(error):
    """All that an error and its causes tell."""
    while error is not None:
        yield from (str(error), repr(error), repr(vars(error)))
        error = error.__cause__ or error.__context__


def test_what_an_lm_is_given_is_in_no_file_and_no_error(tmp_path, caplog, capsys, run):
    planted, given = {way: new_secret() for way in PARAMETERS}, SHOWN
    for way, secret in planted.items():
        given = merged(given, filled(PARAMETERS[way], secret))
    for name in ("multihop", "multihop.texts"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    lm, folder = Careless("openai/m", num_retries=0, **given), tmp_path / "run"
    programs, options = {"run": Direct(), "own": dspy.Predict("question -> answer")}, {"progress": False}
    told = [repr(folder)]
    with dspy.context(lm=lm):
        with pytest.raises(dspy.LMAuthError) as raised:
            Direct()(question=QUESTION)
        told += told_by(raised.value)
        for name, program in programs.items():
            evaluate(program, QUESTIONS, out=tmp_path / name, metrics=["em", Judged(lm)], **options)
        assert not [way for way, secret in planted.items() if secret not in Careless.said]  # it would be told
        refused = files_of(tmp_path)
        lm.refuses = False
        for name, program in programs.items():  # the run goes on, so its LM is found to be the same
            evaluate(program, QUESTIONS, out=tmp_path / name, metrics=["em", Judged(lm)], **options)
        header = json.loads((folder / HEADER).read_text())  # as earlier versions left it: it is cleaned, and goes on
        named = {name: value for name, value in lm.kwargs.items() if name not in _ADDRESS and not names_secret(name)}
        header["identity"]["lm"]["answer"]["decoding"] = named
        (folder / HEADER).write_text(json.dumps(header))
        evaluate(programs["run"], QUESTIONS, out=folder, metrics=["em", Judged(lm)], **options)
        compile_variants(Direct(), ["zero-shot"], train=QUESTIONS[:1], dev=QUESTIONS[1:], to=tmp_path / "made.json")
        save(WithKey(service_key=planted["a key"]), tmp_path / "saved.json", about=about_lm(lm))
        evaluate(WithKey(service_key=planted["a key"]), QUESTIONS, out=tmp_path / "key", **options)
        kept = read_header(folder)["identity"]["lm"]["answer"]["decoding"]
        with dspy.context(lm=lm.copy(pass_phrase="another")), pytest.raises(MismatchError, match="decoding.others"):
            evaluate(Direct(), QUESTIONS, out=folder, metrics=["em", Judged(lm)], **options)
    digests = [each.pop("others") for each in (kept, kept["extra_body"], kept["chat_template_kwargs"])]
    assert [len(digest) for digest in digests] == [4, 4, 4]
    assert kept == {**SHOWN, "chat_template_kwargs": {"enable_thinking": False}, "extra_body": {"top_k": 7}}
    commands = [["show", folder], ["show", folder, "--json"], ["show", folder, "q0"], ["view", folder, "-c", "little"]]
    for command in (*commands, ["show", tmp_path / "made.json"], ["compare", folder, tmp_path / "own"]):
        code, *said = run(*command)
        told += said
        assert code == 0
    there = ("is refused", "Jane Austen", "0.125", "127.0.0.1:9/***/v1")
    assert_untold(planted, *told, caplog.text, *capsys.readouterr(), *refused, *files_of(tmp_path), there=there)


def refuse(asked):
    """The answer of a careless server: all that it got, word by word."""
    said = f"{asked.headers} at {asked.path} is refused"
    return 401, {"error": {"message": said, "type": "invalid_request_error", "code": "invalid_api_key"}}


@pytest.fixture
def provider():
    with JsonServer(refuse) as server:
        yield server


@pytest.mark.parametrize("way", ["in code", "past us", "in the environment"])
def test_a_server_tells_no_key_and_logs_none(way, secret, provider, monkeypatch):
    options = {"api_base": f"{provider.url}/v1", "num_retries": 0}
    if way == "in the environment":
        monkeypatch.setenv("OPENAI_API_KEY", secret)
    else:
        options["api_key"] = secret
    lm = open_lm("server/m", structured="text", **options) if way == "in code" else dspy.LM("openai/m", **options)
    paths = ("/", "/metrics", "/openapi.json", "/healthz", "/v1/models", f"/ask?token={secret}", f"/{secret}")
    chat = {"model": "direct", "messages": [{"role": "user", "content": QUESTION}]}
    with web_service({"direct": (Direct(), lm)}, keys=[f"{secret}-of-clients"], with_texts=True) as web:
        told = []
        for key in (f"{secret}-of-clients", secret, f"wrong-{secret}"):
            sent = {"headers": {"Authorization": f"Bearer {key}"}}
            told += [httpx.get(f"{web.url}{path}", **sent) for path in paths]
            told += [httpx.post(f"{web.url}/ask", json={"question": QUESTION}, **sent)]
            for stream in (True, False):
                told += [httpx.post(f"{web.url}/v1/chat/completions", json={**chat, "stream": stream}, **sent)]
        events = json.dumps(web.events())
    assert any(secret in str(asked.headers) for asked in provider.asked)  # else nothing is shown here
    assert {401, 404, 502} <= {answer.status_code for answer in told}
    assert_untold(secret, events, *(f"{answer.text} {answer.headers}" for answer in told), there=["is refused"])


@pytest.mark.parametrize("options", [[], ["-vv", "--log-texts"]])
def test_a_run_tells_no_key(options, secret, provider, monkeypatch, tmp_path, run):
    monkeypatch.setenv("TEAM_KEY", secret)
    at = f"{provider.url}/{secret}-of-path/v1"
    text = f'[small]\nmodel = "server/m"\napi_base = "{at}"\nkey_env = "TEAM_KEY"\nnum_retries = 0\n'
    (tmp_path / "lms.toml").write_text(f'{text}structured = "text"\n')
    lms = ("--lms", tmp_path / "lms.toml", "--lm", "small", *options)
    told = run("evaluate", "direct", "--limit", "3", "--out", tmp_path / "run", *lms)
    told += run("ask", QUESTION, "-p", "direct", *lms)
    assert told[::3] == (1, 1)
    assert any(secret in str(asked.headers) and secret in asked.path for asked in provider.asked)
    texts = (*map(str, told), *files_of(tmp_path / "run"))
    assert_untold(secret, *texts, there=["is refused", f"{provider.url}/***/v1"])


ALONE = "write the address alone, http://127.0.0.1:9/v1"
REFUSED = {
    "an LM's name": (["--lm", "openai/sk-test-{short}"], "a key stands where the name of an LM should"),
    "an LM's login": (["--lm", "server/m@http://me:{}@127.0.0.1:9/v1"], ALONE),
    "an LM's user": (["--lm", "server/m@http://{}@127.0.0.1:9/v1"], ALONE),
    "a login that breaks": (["--lm", "server/m@http://me:[{}@127.0.0.1:9/v1"], "write the address alone"),
    "an LM's query": (["--lm", "server/m@http://127.0.0.1:9/v1?key={}"], ALONE),
    "an LM's fragment": (["--lm", "server/m@http://127.0.0.1:9/v1#{}"], ALONE),
    "an LM's path": (["--lm", "server/m@http://127.0.0.1:9/{}/v1"], "no server answers at http://127.0.0.1:9/***/v1"),
    "no address": (["--lm", "far", "--lms", "LMS"], "is not an address"),
    "an option": (["--lm-set", "api_key={}"], "--lm-set takes no api_key"),
    "a key_env": (["--lm", "small", "--lms", "LMS"], "may be the key) is not set in the environment"),
    "a file": (["--lm", "with-key", "--lms", "KEYS"], "a key is never written into a file"),
    "a header in a file": (["--lms", "HEADERS"], "a key is never written into a file"),
    "a corpus's login": (["-c", "http://me:{}@127.0.0.1:9/retrieve"], "127.0.0.1:9/retrieve cannot be reached"),
    "a corpus's query": (["-c", "http://127.0.0.1:9/retrieve?key={}"], "127.0.0.1:9/retrieve cannot be reached"),
    "a corpus's path": (["-c", "http://127.0.0.1:9/{}/retrieve"], "127.0.0.1:9/***/retrieve cannot be reached"),
    "a corpus that breaks": (["-c", "http://me:{}/x@127.0.0.1:port/retrieve"], "its port cannot be read"),
    "OpenSearch": (["-c", "opensearch:https://me:{}@127.0.0.1:9"], "127.0.0.1:9 names no index"),
    "no option of ours": (["--api-key={}"], "--api-key"),
    "no option of ours, apart": (["--api-key", "{}"], "--api-key"),
}
"""Ways to give a command a secret where it takes none, with what it says."""
FILES = {
    "LMS": '[small]\nmodel = "server/m"\napi_base = "http://127.0.0.1:9/v1"\nkey_env = "{}"\n'
    '[far]\nmodel = "server/m"\napi_base = "me:{}@127.0.0.1"\n',
    "KEYS": '[with-key]\nmodel = "server/m"\napi_key = "{}"\n',
    "HEADERS": '[small]\nmodel = "server/m"\nextra_headers = {Authorization = "Bearer {}"}\n',
}


@pytest.mark.parametrize("way", REFUSED)
def test_a_refusal_repeats_no_secret(way, secret, tmp_path, monkeypatch, run):
    monkeypatch.setattr("multihop.retrieval.remote.pause", lambda attempt, asked_for: 0)
    arguments, sentence = REFUSED[way]
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace("{}", secret))
    given = [each.replace("{short}", secret[-6:]).replace("{}", quote(secret, safe="+")) for each in arguments]
    given = [tmp_path / each if each in FILES else each for each in given]
    code, *said = run("ask", QUESTION, "-p", "one-step", *given)
    assert code in (1, 2)
    assert_untold({"whole": secret, "its end": secret[-6:]}, *said, there=[sentence])


def test_a_variable_that_is_a_key_is_not_repeated(secret, run):
    for given, told in ((secret, "may be the key), which is not set"), ("TEAM_KEY", "TEAM_KEY, which is not set")):
        code, *said = run("serve", "direct", f"--token-env={given}")  # a key may begin with a dash
        assert code == 2
        assert_untold(secret, *said, there=[told])


def test_the_login_of_a_search_server_is_sent_and_never_told(secret, provider, run):
    address = f"http://me:{quote(secret, safe='')}@127.0.0.1:{provider.server_port}"
    _, *said = run("ask", QUESTION, "-p", "one-step", "-c", address, "--lm", "local", "-vv", "--log-texts")
    assert any(b64encode(f"me:{secret}".encode()).decode() in str(asked.headers) for asked in provider.asked)
    assert_untold(secret, *said, there=["answered 401 Unauthorized"])


def test_a_kept_call_and_a_retriever_are_named_by_nothing_that_is_secret(secret):
    keys, names = set(), set()
    for password in (secret, f"{secret}-2"):
        headers, address = {"Authorization": password}, f"http://me:{password}@127.0.0.1/"
        lm = dspy.LM("openai/m", extra_headers=headers, base_url=f"{address}v1")
        keys.add(key_of(lm, [], {"extra_body": {"token": password}}))
        names.add(RemoteRetriever(f"{address}retrieve?api_key={password}&wiki").address.identity)
    assert (len(keys), len(names)) == (1, 1)
    assert key_of(lm, [], {"extra_body": {"top_k": 5}}) not in keys


@pytest.mark.parametrize(
    "key", ["sk-test-SECRET12", "sk-proj-abcdefghijklmnop", "hf_" + "aB3" * 9, "gsk_" + "x9" * 20, "AKIA" + "7Q" * 8]
)
def test_what_is_written_as_a_key_is_hidden_and_names_no_lm(key):
    text = "with {}: refused; see sk-learn, task-2024-05"
    assert hide_secrets(text.format(key)) == text.format("***")
    with pytest.raises(InputError, match="a key stands where the name of an LM should"):
        open_lm(f"openai/{key}")
