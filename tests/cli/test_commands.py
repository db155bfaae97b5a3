"""`ask` and `demo`: what is asked and searched where nothing is named, with which LM, settings and prices."""

import io
import re
import sys

import pytest
import ujson
from answering import reply
from openai_server import OpenAIServer
from small_corpus import ROWS

from multihop import BM25, Passage, create, save
from multihop.evaluation.journal import read_rows

pytestmark = pytest.mark.usefixtures("tiny_encoder")


def test_ask_as_json_holds_everything(run, corpus, monkeypatch):
    asked = ("--corpus", corpus, "--set", "k=1", "--lm", "local", "--json")
    asked = (*asked, "-p", "one-step")
    code, out, err = run("ask", "When was Jerzy Kowal born?", *asked)
    record = ujson.loads(out)
    assert (code, err) == (0, "")
    assert record["passages"] == [ROWS[1]]
    assert record["settings"]["k"] == 1
    assert [step["step"] for step in record["trajectory"]] == ["find", "answer"]
    assert record["cost"]["calls"] == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Wo? é".encode())))
    assert ujson.loads(run("ask", "-", *asked)[1])["question"] == "Wo? é"


def test_ask_says_that_the_little_encyclopedia_is_searched_unless_nothing_is(run):
    told = "multihop: no --corpus, so the little encyclopedia is searched; give --corpus to search your own passages.\n"
    assert run("ask", "Who?", "--lm", "local")[::2] == (0, told)
    assert run("ask", "Who?", "--lm", "local", "--corpus", "little")[::2] == (0, "")
    assert run("ask", "Who?", "--lm", "local", "--quiet")[::2] == (0, "")
    code, out, err = run("ask", "Is it?", "--program", "direct", "--corpus", "/nowhere", "--json")
    assert (code, err, ujson.loads(out)["passages"]) == (0, "", [])


def test_the_home_folder_and_names_that_a_terminal_would_read_as_markup(run, corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert f"{tmp_path}/in[de]x" in run("index", "~/corpus.jsonl", "--to=~/in[de]x")[1]
    asked = ("evaluate", "one-step", "-q", "little", "-c", "~/in[de]x", "--limit", "1", "--lm", "local")
    assert f"{tmp_path}/run[1]/summary.md has" in run(*asked, "--out", "~/run[1]")[1]


@pytest.mark.seconds
def test_demo_runs_from_nothing_and_keeps_what_it_makes(run, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "--questions", 3, "--open")
    assert (code, err) == (0, "")
    assert "Which river flows through the city where Albert Einstein was born?\n→ " in out
    assert "\nsources  ▸ from the sentence that bears the answer\n1 ▸  " in out
    assert "tor on local" in out
    names = ["one-step", "ranked-rag", "tor"]
    assert "$ multihop evaluate one-step,ranked-rag,tor --limit 3 --out multihop-demo" in out
    assert re.findall(r"^ (\S+) +[\d.]+ +[\d.]+ ", out, re.MULTILINE) == names
    page = tmp_path / "multihop-demo" / "searches.html"
    assert "<title>one-step · ranked-rag · tor" in page.read_text()
    assert opened == [page.as_uri()]
    assert all(len([*read_rows(tmp_path / "multihop-demo" / name)]) == 3 for name in names)


@pytest.fixture
def server():
    with OpenAIServer(reply) as server:
        yield server


def test_a_question_is_asked_with_the_settings_and_the_decoding_of_a_preset(run, server, corpus):
    given = ["ask", "Where was Ada born?", "-p", "mzqa", "--preset", "mzqa/table-1", "--set", "iterations=1"]
    given += ["--lm-set", "top_p=0.7", "-c", corpus, "--lm", f"server/m@{server.url}"]
    code, out, errors = run(*given, "--json")
    assert (code, {(body["temperature"], body["top_p"]) for body in server.bodies}) == (0, {(0.1, 0.7)})
    settings = ujson.loads(out)["settings"]
    assert [settings[name] for name in ("iterations", "reuse", "k")] == [1, "none", 6]
    told = "settings and decoding are the paper's; besides, it shows no demonstrations, and has gpt-3.5-turbo-1106,"
    assert f"mzqa/table-1: {told} BM25 (Elasticsearch), IRCoT's corpora of Wikipedia" in " ".join(errors.split())


def test_an_lm_of_a_file_answers_with_its_parameters_and_its_price(run, server, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-4711")
    path = tmp_path / "lms.toml"
    mine = f'model = "server/m"\napi_base = "{server.url}"\nkey_env = "MY_KEY"\nmax_tokens = 77'
    path.write_text(f"[mine]\n{mine}\nprice = {{input = 1.0, output = 10.0}}\n")
    asked = ("ask", "Which river?", "-p", "direct", "--cache", "off")
    code, out, _ = run(*asked, "--lms", path, "--lm", "mine", "--json")
    (body,) = server.bodies
    assert (code, body["model"], body["max_tokens"]) == (0, "m", 77)
    usd = (server.tokens["in"] + 10 * server.tokens["out"]) / 1e6
    assert ujson.loads(out)["cost"]["usd"] == pytest.approx(usd, abs=1e-15)
    assert " tokens · $0.000" in run(*asked, "--lms", path, "--lm", "mine")[1]
    assert "price unknown" in run(*asked, "--lm", f"server/m@{server.url}")[1]


def saved(folder, lm, **about):
    program = create("one-step", BM25.build([Passage("p1", "Ada", "Ada was born in London.")], folder=folder / "index"))
    save(program, folder / "p.json", corpus=folder / "index", about={"lm": lm, **about})
    return folder / "p.json"


def test_a_saved_program_on_another_lm_says_so_in_one_line(run, tmp_path):
    path = saved(tmp_path, "openai/foo")
    code, out, err = run("ask", "Where was Ada born?", "--program", path, "--lm", "local", "--json")
    told = f"multihop: {path} was compiled for openai/foo and is used with {ujson.loads(out)['lm']}; "
    assert (code, err) == (0, told + "its scores were not measured with it.\n")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Where was Ada born?", "answers": ["London"]}\n')
    code, _, err = run("evaluate", path, "-q", questions, "--lm", "local", "--out", tmp_path / "run")
    assert (code, err.count("was compiled for")) == (0, 1)


def test_an_lm_that_its_name_alone_does_not_reach_is_asked_for(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = saved(tmp_path, "openai/foo", **{"own server": True})
    told = f"multihop: {path} was compiled for 'openai/foo' on a server whose address is not stored: "
    told += "give it with --lm openai/foo@http://HOST:PORT/v1, or name another LM.\n"
    assert run("ask", "Where?", "--program", path) == (2, "", told)
    code, _, err = run("ask", "Where?", "--program", saved(tmp_path, "openai/foo"))
    assert (code, "OPENAI_API_KEY" in err) == (2, True)
    assert err.startswith(f"multihop: {path} was compiled for 'openai/foo' (--lm names another one): ")
