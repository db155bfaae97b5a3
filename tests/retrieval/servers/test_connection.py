import asyncio
import pickle
import threading

import httpx
import pytest
from json_server import JsonServer

from multihop.base import InputError, RunFailed
from multihop.retrieval.servers.address import Address
from multihop.retrieval.servers.connection import Connection

BUSY = (503, {"error": "busy."}, {"Retry-After": "7"})


def connect(url, **options):
    return Connection(Address.read(url), **{"timeout": 30.0, "attempts": 4, "headers": None, **options})


def ask(url, **options):
    connection = connect(url, **options)

    async def main():
        async with connection.open() as client:
            return await connection.ask(client, "POST", connection.address, {"a": 1})

    return asyncio.run(main())


def in_turn(*answers):
    rest = list(answers)
    return lambda asked: rest.pop(0)


def test_what_is_sent_and_what_comes_back():
    with JsonServer(lambda asked: {"b": 2}) as server:
        assert ask(f"http://ada:x@{server.host}/r?key=1", headers={"X-Key": "k"}) == {"b": 2}
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.json) == ("POST", "/r?key=1", {"a": 1})
    assert asked.headers["Authorization"] == "Basic YWRhOng="
    assert asked.headers["X-Key"] == "k"
    assert asked.headers["Content-Type"] == "application/json"


def test_a_busy_server_is_asked_again_after_the_time_it_asks_for(pauses):
    with JsonServer(in_turn(BUSY, (429, {}), None, {"b": 2})) as server:
        assert ask(server.url) == {"b": 2}
    assert len(server.asked) == 4
    assert pauses == [(1, 7.0), (2, 0.0), (3, 0.0)]


def test_one_that_stays_busy_is_given_up_with_what_it_said():
    with JsonServer(lambda asked: BUSY) as server:
        with pytest.raises(RunFailed) as failed:
            ask(server.url, attempts=2)
        assert len(server.asked) == 2
    assert str(failed.value) == f"{server.url} answered 503 Service Unavailable: busy."


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {"detail": "who are you?"}), "answered 401 Unauthorized: who are you?."),
        ((404, b"<html>\nno</html>"), "answered 404 Not Found: <html> no</html>."),
        ((400, {"error": {"reason": "no such field."}}), "answered 400 Bad Request: no such field."),
        ((500, b""), "answered 500 Internal Server Error."),
        (b"<html>hello</html>", "answered with what is no JSON: <html>hello</html>."),
        (b"", "answered with what is no JSON: nothing."),
        ((200, b"{}", {"Content-Encoding": "gzip"}), "answered with what is not encoded as it says."),
        ((307, b"", {"Location": "/elsewhere"}), "answered 307 Temporary Redirect."),
    ],
)
def test_a_refusal_and_rubbish_are_one_sentence_and_not_asked_for_again(answer, said):
    with JsonServer(lambda asked: answer) as server, pytest.raises(RunFailed) as failed:
        ask(f"http://ada:secret@{server.host}/r?key=secret")
    assert str(failed.value) == f"{server.url}/r {said}"
    assert len(server.asked) == 1


def test_a_server_that_is_down():
    with JsonServer(lambda asked: {}) as server:
        place = server.host
    with pytest.raises(RunFailed) as failed:
        ask(f"http://ada:secret@{place}/r", attempts=3)
    assert str(failed.value) == (
        f"http://{place}/r cannot be reached (All connection attempts failed; asked 3 times); is the server running "
        "there?"
    )


def test_a_server_that_is_slow():
    done = threading.Event()
    with JsonServer(lambda asked: done.wait(60) and None) as server:
        with pytest.raises(RunFailed) as failed:
            ask(server.url, timeout=0.05, attempts=2)
        done.set()
    assert str(failed.value) == f"{server.url} did not answer within 0.05 s (asked 2 times); is it there, or too busy?"


@pytest.mark.parametrize("options", [{"timeout": 0.0}, {"timeout": -1.0}, {"timeout": float("nan")}, {"attempts": 0}])
def test_no_time_and_no_attempts_are_refused(options):
    with pytest.raises(InputError, match="needs more than 0 seconds and 1 attempt"):
        connect("http://h", **options)


def test_a_host_that_can_be_none():
    with pytest.raises(InputError, match="is no address that can be asked: "):
        ask("http://\u2013.\u2013/")


def test_pauses_grow_and_honour_what_is_asked_for(monkeypatch):
    monkeypatch.undo()
    from multihop.retrieval.servers.connection import pause

    for attempt, most in ((1, 0.5), (2, 1.0), (3, 2.0), (9, 8.0)):
        assert all(0 <= pause(attempt) <= most for _ in range(50))
    assert 7 <= pause(1, 7.0) <= 7.5
    assert pause(1, 10_000.0) <= 30.5
    assert len({pause(3) for _ in range(9)}) > 1


def test_it_can_be_pickled_after_it_was_used():
    connection = connect("https://h")

    async def main():
        async with connection.open() as client:
            assert isinstance(client, httpx.AsyncClient)

    asyncio.run(main())
    assert pickle.loads(pickle.dumps(connection)).address == connection.address
