import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from multihop import BM25, create, save
from multihop.retrieval import Passage

EXAMPLES = Path(__file__).parents[1] / "examples"
CORPUS = [
    Passage("1", "Night Train (film)", "Night Train is a 1959 film directed by Jerzy Kowal."),
    Passage("2", "Jerzy Kowal", "Jerzy Kowal was born in Torun in 1922."),
]


def imported(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "says"),
    [("one_step_alone", "relevant: True"), ("own_retriever", "Torun"), ("new_method", "calls a question")],
)
def test_an_example_runs_as_it_stands(name, says):
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=True)
    assert says in done.stdout


def test_the_new_method_takes_no_more_than_it_promises():
    code = (EXAMPLES / "new_method.py").read_text().partition("class Guess(")[2].partition("if __name__")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 60


@pytest.fixture
def client(tmp_path, monkeypatch):
    from fastapi.testclient import TestClient

    index = tmp_path / "index"
    save(create("resp", BM25.build(CORPUS, folder=index)), tmp_path / "resp.json", corpus=str(index))
    monkeypatch.setenv("PROGRAM", str(tmp_path / "resp.json"))
    with TestClient(imported("web_application").app) as client:
        yield client


def test_the_web_application_answers(client):
    said = client.get("/answer", params={"question": "When was Jerzy Kowal born?"}).json()
    assert said["answer"] == "1922"
    assert said["passages"][0]["title"] == "Jerzy Kowal"
    assert client.get("/answer", params={"question": " "}).status_code == 422


def test_the_web_application_streams_the_steps(client):
    with client.stream("GET", "/steps", params={"question": "When was Jerzy Kowal born?"}) as stream:
        events = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line]
    assert events[-1] == {"answer": "1922"}
    steps = [next(iter(event["step"])) for event in events[:-1]]
    assert (steps[:2], steps[-1]) == (["summary", "enough"], "answer")


def test_compiling_against_a_server(tmp_path, monkeypatch, capsys):
    from multihop import World, lexical
    from multihop.data import write_questions

    world = World(questions=12)
    questions = list(world.questions())
    BM25.build(world.passages(), folder=tmp_path / "index")
    write_questions(tmp_path / "train.jsonl", questions[:6])
    write_questions(tmp_path / "dev.jsonl", questions[6:])
    module = imported("compile_against_a_server")
    monkeypatch.setattr(module, "open_lm", lambda name, **options: lexical())
    arguments = {"server": "http://127.0.0.1:1/v1", "model": "openai/m", "corpus": tmp_path / "index"}
    arguments |= {"train": tmp_path / "train.jsonl", "dev": tmp_path / "dev.jsonl", "to": tmp_path / "tor.json"}
    words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    monkeypatch.setattr(sys, "argv", ["example", *words])
    module.main()
    assert "is saved in" in capsys.readouterr().out
    assert (tmp_path / "tor.json").exists()
