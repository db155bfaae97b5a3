"""The tools of an agent, asked with the protocol's own client."""

import asyncio
from contextlib import asynccontextmanager

import httpx2
import pytest
import ujson
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from never_ending import never_ending
from small_corpus import ROWS
from time_limit import in_loop
from toys import FakeRetriever, Steps, echo
from web_service import service_of

from multihop import OneStep, scripted
from multihop.retrieval import BM25, Passage
from multihop.serve.mcp_server import make_mcp_server
from multihop.serve.web_server import Gate, WebServer, address_of_socket, listening_socket

CORPUS = [Passage(**row) for row in ROWS]
NO_PAGES = {"steps": (Steps(), scripted(echo))}


def programs():
    answering = scripted(lambda prompt: {"answer": "1922"})
    return {"one-step": (OneStep(BM25.build(CORPUS)), answering), "steps": (Steps(rounds=2), scripted(echo))}


def asked(main, served=None, **limits):
    """The result of `main(client)`."""
    service, _ = service_of(served or programs(), **limits)

    async def work():
        async with Client(make_mcp_server(service)) as client:
            return await main(client)

    return in_loop(work), service


def test_the_tools_describe_themselves_and_a_question_is_answered_with_its_steps_as_progress():
    heard = []

    async def note(progress, total, message):
        heard.append((progress, message))

    async def main(client):
        born = await client.call_tool("ask", {"question": "When was Jerzy Kowal born?"})
        steps = await client.call_tool("ask", {"question": "a", "program": "steps"}, progress_callback=note)
        return (await client.list_tools()).tools, born.structured_content, steps.structured_content

    (tools, born, steps), _ = asked(main)
    takes = {tool.name: (tool.input_schema["required"], [*tool.input_schema["properties"]]) for tool in tools}
    assert takes == {
        "ask": (["question"], ["question", "program"]),
        "search": (["query"], ["query"]),
        "fetch": (["id"], ["id"]),
    }
    assert "Programs: one-step, steps; the first where none is named." in tools[0].description
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert (born["answer"], born["over_budget"], born["cost"]["calls"]) == ("1922", False, 1)
    assert born.keys() == {"answer", "citations", "passages", "over_budget", "cost"}
    assert born["passages"][0] == CORPUS[1]._asdict()
    assert (steps["answer"], heard) == ("a a", [(1, "guess"), (2, "guess"), (3, "read")])


def test_research_clients_search_for_pages_and_fetch_their_texts():
    async def main(client):
        found = await client.call_tool("search", {"query": "When was Jerzy Kowal born?"})
        fetched = await client.call_tool("fetch", {"id": found.structured_content["results"][0]["id"]})
        return found, fetched, [await text_of(client, passage.id) for passage in CORPUS]

    (found, fetched, texts), _ = asked(main)
    first, *_ = found.structured_content["results"]
    assert first == {"id": "p2", "title": "Jerzy Kowal", "url": "passage:p2"}
    text = "Jerzy Kowal was born in Torun in 1922."
    assert fetched.structured_content == {**first, "text": text, "metadata": {}}
    for said in (found, fetched):  # some read the text of the one piece of content
        (content,) = said.content
        assert ujson.loads(content.text) == said.structured_content
    assert texts == [passage.text for passage in CORPUS]


def test_a_page_of_a_document_is_fetched_with_its_file_and_page():
    page = Passage("a/po.pdf#page=3", "The Po", "The Po is a river.")

    async def main(client):
        return (await client.call_tool("fetch", {"id": page.id})).structured_content

    served = {"one-step": (OneStep(BM25.build([page])), scripted(echo))}
    assert asked(main, served)[0]["metadata"] == {"file": "a/po.pdf", "page": 3}


async def text_of(client, id_):
    said = await client.call_tool("fetch", {"id": id_})
    return said.content[0].text if said.is_error else said.structured_content["text"]


def test_of_a_retriever_that_only_searches_what_was_found_lately_is_fetched(monkeypatch):
    monkeypatch.setattr("multihop.serve.mcp_server._REMEMBERED", 11)

    async def main(client):
        before = await text_of(client, "one-0")
        await client.call_tool("search", {"query": "one"})
        found = await text_of(client, "one-0")
        await client.call_tool("search", {"query": "two"})
        return before, found, await text_of(client, "one-9"), await text_of(client, "one-8")

    (before, found, kept, forgotten), _ = asked(
        main, NO_PAGES | {"one-step": (OneStep(FakeRetriever()), scripted(echo))}
    )
    assert "there is no passage with the id 'one-0'; search for it again." in before
    assert (found, kept) == ("text 0", "text 9")
    assert "search for it again" in forgotten


@pytest.mark.parametrize(
    ("tool", "arguments", "served", "sentence"),
    [
        ("ask", {"question": "q", "program": "resp"}, None, "unknown program 'resp'"),
        ("fetch", {"id": "p9"}, None, "there is no passage with the id 'p9'; `search` gives the ids there are."),
        ("search", {"query": "q"}, NO_PAGES, "no program here searches anything."),
        ("fetch", {"id": "q"}, NO_PAGES, "no program here searches anything."),
    ],
)
def test_what_cannot_be_done_is_told_to_the_agent(tool, arguments, served, sentence):
    said, _ = asked(lambda client: client.call_tool(tool, arguments), served)
    assert said.is_error
    assert sentence in said.content[0].text


@pytest.mark.at_once
def test_an_agent_that_gives_up_cancels_its_calls():
    lm, engine = never_ending()

    async def main(client):
        asking = asyncio.create_task(client.call_tool("ask", {"question": "q"}))
        await engine.begun.wait()
        asking.cancel()
        await engine.cancelled.wait()

    _, service = asked(main, {"stuck": (Steps(rounds=0), lm)})
    assert engine.under_way == 0
    assert service.admission.running == 0


@asynccontextmanager
async def over_http(service, *, keys=()):
    """The address of the tools."""
    with listening_socket("127.0.0.1", 0) as listener:
        tools = make_mcp_server(service).streamable_http_app()
        gate = Gate(tools, keys=keys, largest=10_000, log=service.log, local=True)
        server = WebServer(gate, service.limits)
        serving = asyncio.create_task(server.serve_at(listener))
        try:
            yield f"{address_of_socket(listener, '127.0.0.1')}/mcp"
        finally:
            server.end()
            await serving


def test_over_http_with_a_key():
    service, _ = service_of(programs())

    async def main():
        right = httpx2.AsyncClient(headers={"Authorization": "Bearer key"}, verify=False)
        wrong = httpx2.AsyncClient(headers={"Authorization": "Bearer other"}, verify=False)
        async with over_http(service, keys=["key"]) as url, right, wrong:
            async with Client(streamable_http_client(url, http_client=right)) as client:
                said = await client.call_tool("ask", {"question": "a", "program": "steps"})
            return said, await wrong.post(url, json={})

    said, refused = in_loop(main)
    assert said.structured_content["answer"] == "a a"
    assert (refused.status_code, "the key is missing or wrong" in refused.text) == (401, True)


HEAD = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
FIRST = ujson.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()
SEARCH = b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search", "arguments": %s}}'
HOSTILE = [
    *[(400, body, {}) for body in (b"", b"null", b"[]", b"[" * 9_000, b'{"id": "\xff"}', b'{"method": 7}')],
    *[(200, SEARCH % asked, {}) for asked in (b"{}", b'{"query": 7}', b'{"query": "\\u0000", "k": 1000000000}')],
    (404, SEARCH % b"{}", {"mcp-session-id": "../x"}),
    (413, b"x" * 20_000, {}),
    (415, FIRST, {"Content-Type": "text/plain"}),
    (403, FIRST, {"Origin": "http://evil.example"}),
    (421, FIRST, {"Host": "evil.example"}),
    (406, FIRST, {"Accept": "text/html"}),
]


def test_no_message_over_http_is_the_servers_fault():
    service, stream = service_of(programs())

    async def main():
        async with over_http(service) as url, httpx2.AsyncClient(verify=False) as client:
            session = (await client.post(url, content=FIRST, headers=HEAD)).headers["mcp-session-id"]
            heads = HEAD | {"mcp-session-id": session}
            said = [await client.post(url, content=body, headers=heads | more) for _, body, more in HOSTILE]
            said += [await client.request(method, url, headers=heads) for method in ("PUT", "HEAD", "DELETE")]
            said.append(await client.post(url, content=SEARCH % b"{}", headers=heads))
        return said

    said = in_loop(main)
    assert [each.status_code for each in said] == [*(code for code, _, _ in HOSTILE), 405, 405, 200, 404]
    assert not [each.text for each in said if "Traceback" in each.text]
    assert "failed" not in stream.getvalue()
