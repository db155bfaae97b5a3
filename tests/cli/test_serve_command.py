import builtins
import json
import os
import signal
import socket
import sys
import threading

import httpx
import pytest
import ujson
from answering import reply as answer
from nursery import run_command, start
from openai_server import OpenAIServer
from server_process import healthy
from small_corpus import ROWS
from time_limit import LIMIT

import multihop.serve
from multihop import create, save
from multihop.cli.commands.serve import LONGEST, example_questions, read_keys
from multihop.cli.data_options import CorpusOptions
from multihop.retrieval import BM25, Passage


@pytest.fixture
def saved(tmp_path):
    index = tmp_path / "index"
    retriever = BM25.build([Passage(**row) for row in ROWS], folder=index)
    save(create("one-step", retriever), tmp_path / "mine.json", corpus=str(index), about={"lm": "multihop/local@1"})
    return tmp_path


@pytest.mark.seconds
def test_programs_are_served_and_what_was_taken_is_answered_after_sigterm(saved, free_port, run):
    held = threading.Event()

    def reply(prompt):
        if prompt.inputs["question"] == "Where is Torun?":
            asked.set()
            assert held.wait(LIMIT)
        return answer(prompt)

    asked = threading.Event()
    with OpenAIServer(reply) as server:
        options = ["--port", str(free_port), "--cache", "off", "--lm", f"server/m@{server.url}"]
        process = start(
            run_command, "serve", str(saved / "mine.json"), "fast=one-step", "-c", str(saved / "index"), *options
        )
        address, answers = f"http://127.0.0.1:{free_port}", []
        try:
            assert healthy(address, process) == {"status": "ok"}
            names = [model["id"] for model in httpx.get(f"{address}/v1/models").json()["data"]]
            assert names == ["mine", "fast"]
            said = httpx.post(f"{address}/ask", json={"question": "Where was Ada born?"}, timeout=LIMIT).json()
            code, out, _ = run(
                "ask", "Where was Ada born?", "-p", saved / "mine.json", "--json", "--cache", "off", *options[4:]
            )
            record = ujson.loads(out)
            for one in (said, record):
                one["cost"].pop("seconds")
            assert (code, said) == (0, record)
            asking = threading.Thread(
                target=lambda: answers.append(
                    httpx.post(f"{address}/ask", json={"question": "Where is Torun?"}, timeout=LIMIT).json()["answer"]
                )
            )
            asking.start()
            assert asked.wait(LIMIT)
            os.kill(process.pid, signal.SIGTERM)
            held.set()
            asking.join(LIMIT)
            process.join(LIMIT)
            assert len(answers) == 1
            assert process.exitcode == 0
        finally:
            held.set()
            process.kill()
            process.join()


def asked_once(run, monkeypatch, request, *command):
    """What a server answers to one request, which comes while it would wait for clients."""
    told = []

    async def ask_once(server, listener):
        transport = httpx.ASGITransport(server.config.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            told.append((await client.request(**request)).json())

    monkeypatch.setattr("multihop.serve.web_server.WebServer.serve_at", ask_once)
    code, _, err = run(*command, "--port", "0")
    assert (code, len(told)) == (0, 1), err
    return told[0]


def test_an_index_or_a_corpus_is_served(run, saved, corpus, monkeypatch):
    request = {"method": "POST", "url": "/retrieve", "json": {"queries": ["Where is Torun?"], "topk": 1}}
    for served in (saved / "index", corpus):
        found = asked_once(run, monkeypatch, request, "index", "serve", served)
        assert "Torun is a city on the Vistula." in json.dumps(found["result"][0][0])


def told_by_page(run, monkeypatch, *arguments):
    """What the server tells its page."""
    return asked_once(run, monkeypatch, {"method": "GET", "url": "/about"}, "serve", *arguments, "--lm", "local")


def test_the_page_offers_questions_of_the_corpus_or_of_a_file(run, saved, monkeypatch, tmp_path):
    told = told_by_page(run, monkeypatch, saved / "mine.json")
    assert told["examples"] == []
    assert [program["name"] for program in told["programs"]] == ["mine"]
    file = tmp_path / "mine.jsonl"
    file.write_text('{"question": "Where is Torun?", "answer": "Poland"}\n')
    told = told_by_page(run, monkeypatch, saved / "mine.json", "--examples", file)
    assert told["examples"] == ["Where is Torun?"]
    told = told_by_page(run, monkeypatch, "one-step")
    assert told["examples"][0] == "In which country was the discoverer of penicillin born?"


def test_a_port_that_is_taken_is_told_in_one_sentence(run, saved):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run("serve", saved / "mine.json", "--port", port)
    assert (code, out) == (2, "")
    assert err == (
        f"multihop: cannot serve at 127.0.0.1:{port}: Address already in use; choose another --host or --port.\n"
    )


@pytest.mark.parametrize(
    ("command", "extra", "package"),
    [("serve", "serve", "fastapi"), ("index serve", "serve", "fastapi"), ("mcp", "serve", "mcp")],
)
def test_without_the_extra_there_is_one_sentence(command, extra, package, run, saved, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named '{name.partition('.')[0]}'")
        return real(name, *rest)

    for name in [each for each in sys.modules if each.startswith("multihop.serve.")]:
        monkeypatch.delitem(sys.modules, name)
        room = name.split(".")[2]  # what is imported in vain takes its place in the package too; both are given back
        monkeypatch.setattr(multihop.serve, room, getattr(multihop.serve, room))
    monkeypatch.setattr(builtins, "__import__", without)
    code, _, err = run(*command.split(), saved / "mine.json")
    assert code == 2
    assert err == (
        f"multihop: multihop {command} needs the extra [{extra}] (No module named '{package}'): "
        f"pip install 'multihop[{extra}]'.\n"
    )


def test_keys_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("KEYS", "one, two,")
    assert read_keys("KEYS") == ["one", "two"]
    assert read_keys(None) == []


def test_a_question_file_offers_its_first_short_ones(tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = ["w" * (LONGEST + 1), "one?", "two?", "one?", "three?", "four?"]
    file.write_text("\n".join(json.dumps({"question": text, "answer": "a"}) for text in rows))
    assert example_questions(CorpusOptions(), str(file), "little") == ["one?", "two?", "three?"]


def test_what_brings_no_questions_offers_none():
    assert example_questions(CorpusOptions(), None, "http://127.0.0.1:1") == []
