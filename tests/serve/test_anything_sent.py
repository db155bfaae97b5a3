"""Whatever is sent, the answer is one sentence and never the server's fault."""

import asyncio
import json
import string

import httpx
from hypothesis import example, given
from hypothesis import strategies as st
from toys import FakeRetriever, Steps, echo
from web_service import service_of

from multihop import OneStep, scripted
from multihop.serve.application import make_application

PATHS = ("/ask", "/ask/stream", "/v1/chat/completions", "/retrieve")
SERVICE, LOG = service_of(
    {"steps": (Steps(rounds=1), scripted(echo)), "one-step": (OneStep(FakeRetriever()), scripted(echo))},
    body_bytes=5000,
)
OPEN = make_application(SERVICE)
LOCKED = make_application(SERVICE, keys=["the key"])

TEXT = st.text(st.characters(codec=None), max_size=20) | st.sampled_from(["q", "steps", "user", "text", "\ud800", "\0"])
NUMBER = st.integers(-(10**30), 10**30) | st.floats()
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
PART = st.fixed_dictionaries({"type": TEXT | JSON}, optional={"text": TEXT | JSON})
MESSAGE = st.fixed_dictionaries({"role": TEXT | JSON}, optional={"content": TEXT | st.lists(PART, max_size=3) | JSON})
NEAR = st.fixed_dictionaries(
    {},
    optional={
        "question": TEXT | JSON,
        "program": TEXT | JSON,
        "tokens": st.booleans() | JSON,
        "pictures": st.booleans() | JSON,
        "earlier": st.lists(st.fixed_dictionaries({"question": TEXT | JSON}, optional={"answer": TEXT | JSON})) | JSON,
        "model": TEXT | JSON,
        "messages": st.lists(MESSAGE | JSON, max_size=3) | JSON,
        "stream": st.booleans() | JSON,
        "stream_options": st.fixed_dictionaries({"include_usage": JSON}) | JSON,
        "n": JSON,
        "response_format": st.fixed_dictionaries({"type": TEXT | JSON}) | JSON,
        "queries": st.lists(TEXT | JSON, max_size=3) | JSON,
        "topk": JSON,
        "return_scores": JSON,
    },
)
BODY = (
    st.binary(max_size=200)
    | (NEAR | JSON).map(lambda each: json.dumps(each).encode())
    | (NEAR | JSON).map(lambda each: json.dumps(each, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    | st.integers(1, 6000).map(lambda depth: b"[" * depth)
)
VALUE = st.binary(max_size=40).filter(lambda value: value.strip(b" \t") == value)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from([b"content-type", b"authorization", b"accept", b"content-length", b"host", b"x-other"])
        | st.text(string.ascii_lowercase, min_size=1, max_size=10).map(str.encode),
        VALUE | st.sampled_from([b"application/json", b"Bearer the key", b"Bearer", b"text/plain; charset=utf-16"]),
    ),
    max_size=4,
)


async def send(application, method, path, query, headers, body):
    """The application's reply to a request as a server hands it over: nothing is checked or put right on the way."""
    parts, done = [], asyncio.Event()
    asked = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive():
        if (message := next(asked, None)) is not None:
            return message
        await done.wait()
        return {"type": "http.disconnect"}

    async def answer(message):
        parts.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            done.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    await application(scope, receive, answer)
    content = b"".join(part["body"] for part in parts[1:])
    return httpx.Response(parts[0]["status"], headers=parts[0]["headers"], content=content)


def check(said):
    """One sentence, or an answer."""
    assert said.status_code < 500
    assert "Traceback" not in said.text
    if said.status_code >= 400:
        error = said.json()["error"]
        sentence = error if isinstance(error, str) else error["message"]
        assert sentence.endswith((".", "?")) or "Valid: " in sentence
        assert "\n" not in sentence
    else:
        for line in said.text.splitlines():
            assert not line.startswith("event: error")


@given(path=st.sampled_from(PATHS), headers=HEADERS, body=BODY, query=st.binary(max_size=20))
@example(path="/ask", headers=[], body=json.dumps({"question": "q"}).encode(), query=b"")
@example(
    path="/v1/chat/completions", headers=[], body=b'{"messages": [{"role": "user", "content": "\\ud800"}]}', query=b""
)
def test_any_body_with_any_headers(path, headers, body, query):
    headers = [(b"content-type", b"application/json"), *headers]
    check(asyncio.run(send(OPEN, "POST", path, query, headers, body)))


@given(
    path=st.sampled_from([*PATHS, "/v1/models"]) | st.text(max_size=20).map(lambda text: f"/{text}"),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "QUERY"]),
    headers=HEADERS,
)
def test_any_path_with_any_headers(path, method, headers):
    locked = asyncio.run(send(LOCKED, method, path, b"", headers, b"{}"))
    if (b"authorization", b"Bearer the key") not in headers and path != "/":
        assert locked.status_code == 401
    if method != "HEAD":
        check(locked)
        check(asyncio.run(send(OPEN, method, path, b"", headers, b"{}")))


def test_nothing_that_was_sent_was_a_failure_of_the_server():
    assert '"failed"' not in LOG.getvalue()
