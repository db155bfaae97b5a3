"""Texts that would command a terminal, wherever a command shows texts of others."""

import json
import re
import sys

import pytest

from multihop.__main__ import main

pytestmark = pytest.mark.usefixtures("quiet_again")

ATTACK = "\x1b]52;c;Y3VybA==\x07\x1b[2J\x9b31m\x7f"
COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def files(tmp_path):
    rows = [
        {"id": f"p{i}{ATTACK}", "title": f"Emma {i}{ATTACK}", "text": f"Emma {i} is a novel by Jane{ATTACK} Austen."}
        for i in range(3)
    ]
    question = {"id": f"q{ATTACK}", "question": f"Who wrote Emma 1{ATTACK}?", "answers": [f"Jane{ATTACK}"]}
    corpus, questions = tmp_path / f"corpus{ATTACK.replace('/', '')}.jsonl", tmp_path / "questions.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    questions.write_text(json.dumps(question) + "\n")
    return corpus, questions, tmp_path / f"run{ATTACK}"


def told(capsys, *arguments, code=0):
    capsys.readouterr()
    got = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert got == code, said.err
    assert not COMMANDS.search(said.out + said.err)
    return said.out + said.err


@pytest.mark.parametrize("options", [[], ["--json"], ["-vv", "--log-texts"]])
def test_asking(options, files, capsys):
    corpus, _, _ = files
    question = f"Who wrote Emma 1{ATTACK}?"
    assert "Jane" in told(capsys, "ask", question, "-c", corpus, "-p", "one-step", "--lm", "local", *options)


def test_running_and_looking_at_the_run(files, capsys):
    corpus, questions, run = files
    told(capsys, "evaluate", "one-step", "-q", questions, "-c", corpus, "--lm", "local", "--out", run)
    assert "␛]52" in told(capsys, "show", run)
    assert "␛]52" in told(capsys, "show", run, f"q{ATTACK}")
    assert json.loads(told(capsys, "compare", run, run, "--json"))


def test_what_fails(files, capsys):
    corpus, questions, run = files
    assert "␛]52" in told(capsys, "show", run, code=2)
    assert "␛]52" in told(capsys, "ask", "Who?", "-c", f"{corpus}{ATTACK}", "--lm", "local", code=2)
    assert "␛]52" in told(capsys, "ask", "Who?", "-p", f"resp{ATTACK}", "--lm", "local", code=2)
    questions.write_text(f'{{"id": "{ATTACK}"')
    told(capsys, "evaluate", "direct", "-q", questions, "--lm", "local", "--out", run, code=2)


def test_a_fault_that_nobody_foresaw(capsys):
    before = sys.excepthook
    try:
        main(["programs"])
        capsys.readouterr()
        sys.excepthook(KeyError, KeyError(f"http://me:word@host {ATTACK}"), None)
    finally:
        sys.excepthook = before
    said = capsys.readouterr().err
    assert not COMMANDS.search(said)
    assert said.startswith("KeyError: 'http://host ")
