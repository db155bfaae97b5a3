import asyncio
import io

import httpx
import pytest
from toys import Steps
from web_service import service_of

from multihop import scripted
from multihop.retrieval import BM25, Passage
from multihop.serve.application import make_application, make_index_application
from multihop.serve.guard import Guard
from multihop.serve.log import EventLog
from multihop.serve.searching import IndexService


def said_to(host, **options):
    """The reply of a server to a request under that name."""
    service, _ = service_of({"steps": (Steps(rounds=0), scripted(lambda prompt: {"answer": "x"}))})

    async def main():
        transport = httpx.ASGITransport(make_application(service, **options))
        async with httpx.AsyncClient(transport=transport) as client:
            headers = {"Host": host, "Authorization": "Bearer key"}
            return await client.post("http://server/ask", json={"question": "q"}, headers=headers)

    return asyncio.run(main())


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]", "[::1]:8000"])
def test_a_server_of_this_machine_answers_to_its_own_names(host):
    assert said_to(host, local=True).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "[::2]:8000", "::1"]
)
def test_a_server_of_this_machine_without_a_key_answers_to_no_other_name(host):
    refused = said_to(host, local=True)
    assert refused.status_code == 421
    assert refused.json() == {
        "error": "without a key this server answers to the name localhost alone; see --token-env."
    }
    assert said_to(host, local=True, keys=["key"]).status_code == 200
    assert said_to(host).status_code == 200


def sent(headers, *, method="POST", path="/ask", **options):
    """The status of a request with those headers."""
    service, _ = service_of({"steps": (Steps(rounds=0), scripted(lambda prompt: {"answer": "x"}))})
    index = IndexService(BM25.build([Passage("p1", "Po", "A river.")]))
    application = make_index_application(index, local=True) if path == "/retrieve" else None

    async def main():
        transport = httpx.ASGITransport(application or make_application(service, **options))
        async with httpx.AsyncClient(transport=transport) as client:
            body = b'{"queries": ["q"]}' if path == "/retrieve" else b'{"question": "q"}'
            return (await client.request(method, f"http://localhost{path}", content=body, headers=headers)).status_code

    return asyncio.run(main())


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("path", ["/ask", "/retrieve"])
def test_a_page_from_elsewhere_is_refused_by_every_server(path):
    assert sent(JSON, path=path) == 200
    assert sent({**JSON, "Origin": "http://localhost"}, path=path) == 200
    for origin in ("http://evil.example", "null", "http://localhost:1", "http://localhost.evil.example"):
        assert sent({**JSON, "Origin": origin}, path=path) == 403
    assert sent({**JSON, "Host": "evil.example", "Origin": "http://evil.example"}, path="/retrieve") == 421


def test_with_a_key_the_page_may_be_behind_a_proxy_of_another_name():
    headers = {**JSON, "Origin": "https://answers.example", "Authorization": "Bearer key"}
    assert sent(headers, keys=["key"]) == 200


@pytest.mark.parametrize("kind", ["text/plain", "", "text/plain; a=application/json", "application/jsonp"])
def test_what_a_page_may_send_unasked_is_refused_by_every_server(kind):
    for path in ("/ask", "/retrieve"):
        assert sent({"Content-Type": kind} if kind else {}, path=path) == 415
        assert sent({"Content-Type": "Application/JSON; charset=utf-8"}, path=path) == 200


def test_a_body_of_two_lengths_is_refused():
    assert sent({**JSON, "Transfer-Encoding": "chunked", "Content-Length": "17"}) == 400


def test_a_request_that_is_ended_with_the_server_is_told_so():
    async def waiting(scope, receive, send):
        await asyncio.Event().wait()

    async def main():
        guard = Guard(waiting, keys=[], largest=10, patience=60, log=EventLog(io.StringIO()))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guard)) as client:
            asking = asyncio.create_task(client.get("http://server/readyz"))
            await asyncio.sleep(0.01)
            asking.cancel()
            return await asking

    said = asyncio.run(main())
    assert (said.status_code, said.json()) == (503, {"error": "this server has ended; ask another."})


def test_an_error_that_nobody_foresaw_leaves_as_one_sentence():
    async def broken(scope, receive, send):
        raise KeyError("secret")

    async def main():
        guard = Guard(broken, keys=[], largest=10, patience=60, log=EventLog(stream))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guard)) as client:
            return await client.get("http://server/v1/models")

    class Closed:
        """A log that nobody takes any more."""

        def write(self, text):
            written.append(text)
            raise BrokenPipeError

    written, stream = [], Closed()
    said = asyncio.run(main())
    assert (said.status_code, said.json()["error"]["message"]) == (500, "the server failed; its log says where.")
    assert "KeyError at " in written[0]
    assert "secret" not in written[0] + said.text
