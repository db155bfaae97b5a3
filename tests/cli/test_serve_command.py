"""`serve`, `index serve` and `mcp`: what is served, what its page offers, and how a server ends."""

import os
import signal
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from answering import reply
from nursery import run_command, start
from openai_server import OpenAIServer
from server_process import healthy
from small_corpus import ROWS
from time_limit import LIMIT

from multihop import create, save
from multihop.cli.commands.serve import LONGEST, read_keys
from multihop.retrieval import BM25, Passage


@pytest.fixture
def saved(tmp_path):
    index = tmp_path / "index"
    retriever = BM25.build([Passage(**row) for row in ROWS], folder=index)
    save(create("one-step", retriever), tmp_path / "mine.json", corpus=str(index), about={"lm": "multihop/local@1"})
    return tmp_path


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.seconds
def test_programs_are_served_and_what_was_taken_is_answered_after_sigterm(saved, free_port):
    asked, held = threading.Event(), threading.Event()

    def slowly(prompt):
        asked.set()
        assert held.wait(LIMIT)
        return reply(prompt)

    address = f"http://127.0.0.1:{free_port}"
    with OpenAIServer(slowly) as server, ThreadPoolExecutor() as pool:
        served = (str(saved / "mine.json"), "fast=one-step", "-c", str(saved / "index"))
        process = start(run_command, "serve", *served, "--port", str(free_port), "--lm", f"server/m@{server.url}")
        try:
            assert healthy(address, process) == {"status": "ok"}
            models = httpx.get(f"{address}/v1/models").json()["data"]
            assert [model["id"] for model in models] == ["mine", "fast"]
            asking = pool.submit(httpx.post, f"{address}/ask", json={"question": "Where is Torun?"}, timeout=LIMIT)
            assert asked.wait(LIMIT)
            os.kill(process.pid, signal.SIGTERM)
            held.set()
            assert asking.result(LIMIT).json()["answer"]
            process.join(LIMIT)
            assert process.exitcode == 0
        finally:
            held.set()
            process.kill()
            process.join()


@pytest.fixture
def asked_once(run, monkeypatch):
    """What a server answers to one request, which comes while it would wait for clients."""

    def ask(method, url, body, *command):
        told = []

        async def ask_once(server, listener):
            transport = httpx.ASGITransport(server.config.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                told.append((await client.request(method, url, json=body)).json())

        monkeypatch.setattr("multihop.serve.web_server.WebServer.serve_at", ask_once)
        code, _, err = run(*command, "--port", "0")
        assert (code, len(told)) == (0, 1), err
        return told[0]

    return ask


def test_an_index_or_a_corpus_is_served(asked_once, saved, corpus):
    asked = {"queries": ["Where is Torun?"], "topk": 1, "return_scores": True}
    for served in (saved / "index", corpus):
        found = asked_once("POST", "/retrieve", asked, "index", "serve", served)
        assert found["result"][0][0]["document"]["text"] == "Torun is a city on the Vistula."


def test_a_folder_of_documents_is_served_with_its_sources(asked_once, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "torun.md").write_text("# Torun\n\nTorun is a city on the Vistula.")
    body = {"model": "ranked-rag", "messages": [{"role": "user", "content": "On which river is Torun?"}]}
    message = asked_once("POST", "/v1/chat/completions", body, "serve", docs, "--lm", "local")["choices"][0]["message"]
    assert (message["content"], message["annotations"][0]["url_citation"]["title"]) == ("Vistula", "Torun")
    models = asked_once("GET", "/v1/models", None, "serve", docs, "one-step", "fast=one-step", "--lm", "local")
    assert [model["id"] for model in models["data"]] == ["one-step", "fast"]
    found = asked_once("POST", "/retrieve", {"queries": ["Torun"], "topk": 1}, "index", "serve", docs)
    assert found["result"][0][0]["text"] == "Torun is a city on the Vistula."


def test_the_page_offers_the_first_short_questions_of_a_file_or_those_of_the_corpus(asked_once, saved):
    def offered(*served):
        return asked_once("GET", "/about", None, "serve", *served, "--lm", "local")

    told = offered(saved / "mine.json")
    assert (told["examples"], [program["name"] for program in told["programs"]]) == ([], ["mine"])
    file = saved / "mine.jsonl"
    questions = ["w" * (LONGEST + 1), "one?", "two?", "one?", "three?", "four?"]
    file.write_text("".join(f'{{"question": "{each}", "answer": "a"}}\n' for each in questions))
    assert offered(saved / "mine.json", "--examples", file)["examples"] == ["one?", "two?", "three?"]
    assert offered("one-step")["examples"][0] == "In which country was the discoverer of penicillin born?"


def test_a_port_that_is_taken_is_told_in_one_sentence(run, saved):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = f"multihop: cannot serve at 127.0.0.1:{port}: Address already in use; choose another --host or --port.\n"
        assert run("serve", saved / "mine.json", "--port", port) == (2, "", told)


@pytest.mark.parametrize(
    ("command", "module"), [("serve", "application"), ("index serve", "application"), ("mcp", "mcp_server")]
)
def test_without_the_extra_there_is_one_sentence(command, module, run, saved, monkeypatch):
    monkeypatch.setitem(sys.modules, f"multihop.serve.{module}", None)
    code, _, err = run(*command.split(), saved / "mine.json")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"multihop: multihop {command} needs the extra [serve] (")
    assert err.endswith("): pip install 'multihop[serve]'.\n")


def test_keys_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("KEYS", "one, two,")
    assert read_keys("KEYS") == ["one", "two"]
    assert read_keys(None) == []
