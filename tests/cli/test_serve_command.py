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
from multihop import InputError, create, save
from multihop.cli.commands.serve import LONGEST, example_questions, read_keys
from multihop.cli.data_options import CorpusOptions
from multihop.data import open_questions
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


def told_by_page(run, monkeypatch, *arguments):
    """What the server tells its page, which is asked while the server would wait for clients."""
    told = []

    async def ask_once(server, listener):
        transport = httpx.ASGITransport(server.config.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            told.append((await client.get("/about")).json())

    monkeypatch.setattr("multihop.serve.web_server.WebServer.serve_at", ask_once)
    code, _, err = run("serve", *arguments, "--port", "0", "--lm", "local")
    assert (code, len(told)) == (0, 1), err
    return told[0]


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


def test_a_file_of_examples_that_is_not_there_is_refused(run, saved):
    code, _, err = run("serve", saved / "mine.json", "--port", "0", "--lm", "local", "--examples", "nosuch.jsonl")
    assert code == 2
    assert "nosuch.jsonl" in err


def test_a_port_that_is_taken_is_told_in_one_sentence(run, saved):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run("serve", saved / "mine.json", "--port", port)
    assert (code, out) == (2, "")
    assert err == (
        f"multihop: cannot serve at 127.0.0.1:{port}: Address already in use; choose another --host or --port.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuch.json"], "nosuch.json cannot be read: No such file or directory."),
        (["onestep"], "unknown program 'onestep'; did you mean 'one-step'?"),
        (["one-step", "one-step", "-c", "CORPUS", "--lm", "local"], "two programs are called 'one-step'"),
        (["one-step", "-c", "CORPUS", "--set", "kk=3"], "unknown setting"),
        (["one-step", "-c", "CORPUS", "--lm", "openai/gpt-4.1"], "LM 'openai/gpt-4.1' needs a key: set OPENAI_API_KEY"),
        (["one-step", "-c", "CORPUS", "--token-env", "NOWHERE"], "--token-env names NOWHERE, which is not set"),
        (["one-step", "--port", "70000"], "--port"),
        (["one-step", "--seconds", "0"], "--seconds"),
    ],
)
def test_what_cannot_be_served_is_refused(arguments, said, run, corpus, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, _, err = run(
        "serve",
        *(corpus if each == "CORPUS" else each for each in arguments),
        *([] if "--port" in arguments else ["--port", "0"]),
    )
    assert code == 2
    assert said in err
    assert "Traceback" not in err


def test_a_saved_program_that_does_not_fit_is_refused_as_load_refuses_it(run, saved):
    BM25.build([Passage("9", "Other", "Another corpus.")], folder=saved / "other")
    (saved / "index").rename(saved / "before")
    (saved / "other").rename(saved / "index")
    code, _, err = run("serve", saved / "mine.json", "--port", "0")
    assert code == 2
    assert f"is not the corpus that {saved / 'mine.json'} was compiled with" in err


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


def test_a_key_is_for_http(run, saved):
    code, _, err = run("mcp", saved / "mine.json", "--token-env", "KEY")
    assert (code, err) == (2, "multihop: --token-env is for --http; standard input and output need no key.\n")


def test_keys_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("KEYS", "one, two,")
    assert read_keys("KEYS") == ["one", "two"]
    assert read_keys(None) == []


def test_the_encyclopedia_offers_questions_of_its_own():
    offered = example_questions(CorpusOptions(), None, "little")
    assert offered == [each.question for each in open_questions("little")][:3]


def test_a_question_file_offers_its_first_short_ones(tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = ["w" * (LONGEST + 1), "one?", "two?", "one?", "three?", "four?"]
    file.write_text("\n".join(json.dumps({"question": text, "answer": "a"}) for text in rows))
    assert example_questions(CorpusOptions(), str(file), "little") == ["one?", "two?", "three?"]


def test_what_brings_no_questions_offers_none():
    assert example_questions(CorpusOptions(), None, "http://127.0.0.1:1") == []


def test_a_file_without_questions_is_refused(tmp_path):
    with pytest.raises(InputError, match="none.jsonl"):
        example_questions(CorpusOptions(), str(tmp_path / "none.jsonl"), "little")
