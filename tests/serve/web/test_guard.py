import asyncio

import httpx
import pytest
from toys import Steps
from web_service import service_of

from multihop import scripted
from multihop.serve.event_log import EventLog
from multihop.serve.web.application import make_application
from multihop.serve.web.guard import Guard


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
