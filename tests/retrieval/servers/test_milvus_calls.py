import pickle
import sys
from types import SimpleNamespace

import pytest

from multihop import Passage
from multihop.base import InputError, MissingExtraError, RunFailed
from multihop.retrieval import Milvus
from multihop.retrieval.servers.milvus_calls import MilvusCalls
from multihop.retrieval.servers.milvus_place import MilvusPlace

CLUSTER = MilvusPlace.read("milvus:https://host:19530#wiki")


def test_without_the_extra_it_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(MissingExtraError, match=r"Milvus needs the extra \[milvus\].*pip install 'multihop\[milvus\]'"):
        Milvus.build([Passage("p", "", "It is.")], f"milvus:{tmp_path}/x.db#wiki")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limits", [{"timeout": 0, "attempts": 1}, {"timeout": 1, "attempts": 0}])
def test_limits_that_are_none_are_refused(limits):
    with pytest.raises(InputError, match="a server needs more than 0 seconds and 1 attempt"):
        MilvusCalls(CLUSTER, **limits)


class Client:
    """Stands in for a client: raises or returns what was written down, call by call."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def list_collections(self, *arguments, **options):
        self.asked.append((arguments, options))
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def calls_of(client, attempts=3):
    pytest.importorskip("pymilvus")
    calls = MilvusCalls(CLUSTER, timeout=7, attempts=attempts)
    vars(calls)["_opened"] = client
    return calls


def refusal(code, message):
    from pymilvus import MilvusException

    return MilvusException(code=code, message=message)


def test_a_server_that_is_away_or_busy_is_asked_again(pauses):
    pytest.importorskip("pymilvus")
    client = Client(refusal(2, "gone"), refusal(8, "too many"), ["wiki"])
    assert calls_of(client).ask("list_collections", "a", b=1) == ["wiki"]
    assert client.asked == [(("a",), {"b": 1, "timeout": 7})] * 3
    assert pauses == [(1, 0.0), (2, 0.0)]


def test_what_stays_away_is_named():
    pytest.importorskip("pymilvus")
    client = Client(refusal(2, "gone"), refusal(2, "gone"))
    with pytest.raises(RunFailed, match=r"^https://host:19530#wiki cannot be reached \(asked 2 times\); is Milvus"):
        calls_of(client, attempts=2).ask("list_collections")


def test_a_refusal_is_said_once_and_without_the_token(monkeypatch, pauses):
    pytest.importorskip("pymilvus")
    monkeypatch.setenv("MILVUS_TOKEN", "ada:secret")
    with pytest.raises(RunFailed) as caught:
        calls_of(Client(refusal(1100, "no such\nuser ada:secret."))).ask("list_collections")
    assert str(caught.value) == "https://host:19530#wiki: no such user [hidden] (asked 1 time)."
    assert pauses == []


def test_what_takes_too_long_is_said_with_the_limit():
    pytest.importorskip("pymilvus")
    import grpc

    class Slow(grpc.RpcError):
        def code(self):
            return grpc.StatusCode.DEADLINE_EXCEEDED

        def details(self):
            return "Deadline Exceeded"

    with pytest.raises(RunFailed, match=r"^https://host:19530#wiki did not answer within 7 s \(asked 3 times\)"):
        calls_of(Client(Slow(), Slow(), Slow())).ask("list_collections")


def test_the_token_goes_to_the_client_alone(monkeypatch):
    pymilvus = pytest.importorskip("pymilvus")
    opened = []

    def client(uri, **options):
        opened.append((uri, options))
        return SimpleNamespace(list_collections=lambda timeout: [])

    monkeypatch.setenv("MILVUS_TOKEN", "ada:secret")
    monkeypatch.setattr(pymilvus, "MilvusClient", client)
    calls = MilvusCalls(CLUSTER, timeout=30, attempts=1)
    assert calls.ask("list_collections") == []
    assert opened == [("https://host:19530", {"token": "ada:secret", "timeout": 5.0})]
    assert b"secret" not in pickle.dumps(calls)
