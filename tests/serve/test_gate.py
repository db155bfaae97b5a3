import asyncio
import io

import httpx
import pytest
from toys import Steps
from web_service import service_of

from multihop import scripted
from multihop.retrieval import BM25, Passage
from multihop.serve.application import make_application, make_index_application
from multihop.serve.operation import EventLog
from multihop.serve.service import IndexService
from multihop.serve.web_server import Gate

JSON = {"Content-Type": "application/json"}


def sent(headers, *, path="/ask", **options):
    """The reply to a request with those headers."""
    service, _ = service_of({"steps": (Steps(rounds=0), scripted(lambda prompt: {"answer": "x"}))})
    index = IndexService(BM25.build([Passage("p1", "Po", "A river.")]))
    application = make_index_application(index, local=True) if path == "/retrieve" else None

    async def main():
        transport = httpx.ASGITransport(application or make_application(service, **options))
        async with httpx.AsyncClient(transport=transport) as client:
            body = b'{"queries": ["q"]}' if path == "/retrieve" else b'{"question": "q"}'
            return await client.post(f"http://localhost{path}", content=body, headers=headers)

    return asyncio.run(main())


@pytest.mark.parametrize("host", ["evil.example:8000", "localhost.evil.example", "", "[::2]:8000", "::1"])
def test_a_server_of_this_machine_without_a_key_answers_to_its_own_names_alone(host):
    for own in ("localhost", "127.0.0.1:8000", "[::1]", "[::1]:8000"):
        assert sent({**JSON, "Host": own}, local=True).status_code == 200
    refused = sent({**JSON, "Host": host}, local=True)
    said = "without a key this server answers to the name localhost alone; see --token-env."
    assert (refused.status_code, refused.json()) == (421, {"error": said})
    assert sent({**JSON, "Host": host}, path="/retrieve").status_code == 421
    assert sent({**JSON, "Host": host, "Authorization": "Bearer key"}, local=True, keys=["key"]).status_code == 200
    assert sent({**JSON, "Host": host}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "", "text/plain; a=application/json"])
def test_what_a_page_may_send_unasked_and_a_body_of_two_lengths_is_refused(kind):
    for path in ("/ask", "/retrieve"):
        assert sent({"Content-Type": kind} if kind else {}, path=path).status_code == 415
        assert sent({"Content-Type": "Application/JSON; charset=utf-8"}, path=path).status_code == 200
    assert sent({**JSON, "Transfer-Encoding": "chunked", "Content-Length": "17"}).status_code == 400  # of two lengths


def test_an_error_that_was_not_foreseen_leaves_as_one_sentence_and_its_place_is_logged(monkeypatch):
    async def broken(scope, receive, send):
        raise KeyError("secret")

    async def main():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(make_application(service))) as client:
            return await client.get("http://server/v1/models")

    log = io.StringIO()
    scope = {"type": "http", "path": "/", "headers": [], "method": "GET"}
    asyncio.run(Gate(broken, keys=[], largest=10, log=EventLog(log))(scope, None, None))
    assert "KeyError at " in log.getvalue()
    service, of_service = service_of({"steps": (Steps(rounds=0), scripted([]))})
    monkeypatch.setattr(service, "catalogue", 5)
    said = asyncio.run(main())
    assert (said.status_code, said.json()["error"]["message"]) == (500, "the server failed; its log says where.")
    assert "TypeError at " in of_service.getvalue()
    assert "secret" not in log.getvalue() + said.text
