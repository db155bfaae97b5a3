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
    text = f"Emma {{}} is a novel by Jane{ATTACK} Austen."
    rows = [{"id": f"p{n}{ATTACK}", "title": f"Emma {n}{ATTACK}", "text": text.format(n)} for n in range(3)]
    question = {"id": f"q{ATTACK}", "question": f"Who wrote Emma 1{ATTACK}?", "answers": [f"Jane{ATTACK}"]}
    corpus, questions = tmp_path / f"corpus{ATTACK.replace('/', '')}.jsonl", tmp_path / "questions.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    questions.write_text(json.dumps(question) + "\n")
    return corpus, questions, tmp_path / f"run{ATTACK}"


@pytest.fixture
def told(run):
    """Runs a command, for what it says, in which nothing commands a terminal."""

    def told(*arguments, code=0):
        got, out, err = run(*arguments)
        assert got == code, err
        assert not COMMANDS.search(out + err)
        return out + err

    return told


@pytest.mark.parametrize("options", [[], ["--json"], ["-vv", "--log-texts"]])
def test_asking(options, files, told):
    corpus, _, _ = files
    question = f"Who wrote Emma 1{ATTACK}?"
    assert "Jane" in told("ask", question, "-c", corpus, "-p", "one-step", "--lm", "local", *options)


def test_running_and_looking_at_the_run(files, told):
    corpus, questions, run = files
    told("evaluate", "one-step", "-q", questions, "-c", corpus, "--lm", "local", "--out", run)
    assert "␛]52" in told("show", run)
    assert "␛]52" in told("show", run, f"q{ATTACK}")
    assert json.loads(told("compare", run, run, "--json"))


def test_what_fails(files, told):
    corpus, questions, run = files
    assert "␛]52" in told("show", run, code=2)
    assert "␛]52" in told("ask", "Who?", "-c", f"{corpus}{ATTACK}", "--lm", "local", code=2)
    assert "␛]52" in told("ask", "Who?", "-p", f"resp{ATTACK}", "--lm", "local", code=2)
    questions.write_text(f'{{"id": "{ATTACK}"')
    told("evaluate", "direct", "-q", questions, "--lm", "local", "--out", run, code=2)


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
