import asyncio
import io
import json

import httpx
import pytest

from multihop.retrieval import Hit, Passage, as_retriever
from multihop.serve.application import make_index_application
from multihop.serve.log import EventLog
from multihop.serve.refusal import Refusal
from multihop.serve.searching import IndexLimits, IndexService, PassageSearch, RetrieveRequest, SearchLimits


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"queries": ["a", "b"], "topk": 2, "return_scores": true}', (["a", "b"], 2, True)),
        (b'{"queries": ["a"]}', (["a"], 5, False)),
        (b'{"queries": ["a"], "topk": null}', (["a"], 5, False)),
        (b'{"query": "a", "k": 10}', (["a"], 10, False)),
    ],
)
def test_what_is_asked_for(body, expected):
    asked = RetrieveRequest.model_validate_json(body)
    assert (asked.queries, asked.k, asked.return_scores) == expected


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 422, "the body cannot be used: Field required."),
        (b"\xff", 400, "the body cannot be read; send one JSON object in UTF-8."),
        (b"[" * 100_000, 400, "the body cannot be read; send one JSON object in UTF-8."),
        (b"{", 400, "the body is no JSON; send one JSON object."),
        (b"[]", 422, "the body cannot be used: Input should be a valid dictionary or object"),
        (b"{}", 422, "'queries' of the body cannot be used: Field required."),
        (b'{"queries": []}', 422, "'queries' of the body cannot be used: List should have at least 1 item"),
        (b'{"queries": ["a", 5]}', 422, "'queries.1' of the body cannot be used: Input should be a valid string."),
        (b'{"queries": ["a", "b", "c", "d"]}', 413, "4 queries are too many at once; send at most 3."),
        (b'{"queries": ["a"], "topk": 0}', 422, "'topk' of the body cannot be used: Input should be greater than"),
        (b'{"queries": ["a"], "topk": true}', 422, "'topk' of the body cannot be used: Input should be a valid int"),
        (b'{"queries": ["a"], "topk": "5"}', 422, "'topk' of the body cannot be used: Input should be a valid int"),
        (b'{"queries": ["a"], "topk": 11}', 422, "'topk' is at most 10 here, not 11."),
        (b'{"queries": ["a"], "return_scores": 1}', 422, "'return_scores' of the body cannot be used: "),
    ],
)
def test_what_is_refused(body, status, sentence):
    service = IndexService(Long(1), IndexLimits(queries=3, k=10), log=EventLog(io.StringIO()))

    async def main():
        transport = httpx.ASGITransport(make_index_application(service))
        async with httpx.AsyncClient(transport=transport) as client:
            headers = {"Content-Type": "application/json"}
            return await client.post("http://here/retrieve", content=body, headers=headers)

    said = asyncio.run(main())
    assert said.status_code == status
    assert said.json()["error"].startswith(sentence)


class Long:
    """A retriever whose passages are all as long."""

    def __init__(self, length):
        self.length, self.searched = length, 0

    def search(self, queries, k):
        self.searched += len(queries)
        return [[Hit(Passage(str(rank), "", "x" * self.length), 1.0) for rank in range(k)] for _ in queries]


def searching(length, **limits):
    retriever = Long(length)
    return retriever, PassageSearch(retriever, SearchLimits(**limits), log=EventLog(io.StringIO()))


def ask(search, queries, k):
    return asyncio.run(search.search(RetrieveRequest(queries=[str(number) for number in range(queries)], topk=k)))


def test_an_answer_that_would_be_too_long_is_refused_before_anything_is_searched_for():
    retriever, search = searching(10)
    with pytest.raises(Refusal) as refused:
        ask(search, 1024, 1000)
    assert (refused.value.status, refused.value.sentence) == (
        413,
        "an answer has at most 33,554,432 bytes, and 1024 queries with 1000 hits each make it about 1,024,000,000 "
        "bytes; send fewer queries, or a smaller 'topk'.",
    )
    assert retriever.searched == 0


def test_passages_that_are_longer_than_was_thought_are_not_searched_for_to_the_end():
    retriever, search = searching(10_000, answer_bytes=4_000_000)
    for searched in (204, 204):  # the second time it is known how long they are
        with pytest.raises(Refusal, match=r"^an answer has at most 4,000,000 bytes"):
            ask(search, 350, 10)
        assert retriever.searched == searched
    ask(search, 10, 10).release()
    assert retriever.searched == 214


def test_what_is_not_sent_yet_is_held_and_others_wait_until_it_is():
    _, search = searching(400, held_bytes=1_000_000)
    first = ask(search, 60, 10)
    with pytest.raises(Refusal) as refused:
        ask(search, 60, 10)
    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
    first.release()
    first.release()
    ask(search, 60, 10)


def test_a_search_that_takes_too_long_is_ended_and_holds_nothing():
    class Slow:
        async def asearch(self, queries, k):
            await asyncio.Event().wait()

    search = PassageSearch(as_retriever(Slow()), SearchLimits(seconds=0.01), log=EventLog(io.StringIO()))
    for _ in range(2):
        with pytest.raises(Refusal, match=r"^the search took longer than 0\.01 s\.$"):
            ask(search, 1, 1)
    assert search.waiting == 0


def test_the_pieces_of_an_answer_are_one_json_value():
    _, search = searching(50_000)
    found = ask(search, 3, 4)
    pieces = list(found.pieces())
    assert len(pieces) > 3
    assert [len(hits) for hits in json.loads("".join(pieces))["result"]] == [4, 4, 4]
    assert json.loads("".join(pieces))["result"][2][3]["contents"] == '""\n' + "x" * 50_000
