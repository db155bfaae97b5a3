import io
import re
import subprocess
import sys
from importlib import import_module

import pytest
import ujson
from small_corpus import ROWS

from multihop.cli.app import COMMANDS, FILES
from multihop.evaluation.journal import read_rows


def test_ask_shows_answer_passages_and_steps(run, corpus):
    code, out, err = run("ask", "When was Jerzy Kowal born?", "--corpus", corpus, "--set", "k=2")
    assert (code, err) == (0, "")
    assert "→ 1922" in out
    assert "1 ▸  Jerzy Kowal  " in out
    assert "one-step on local\n" in out
    assert "1 LM call · 1 retrieval" in out


def test_ask_as_json_holds_everything(run, corpus):
    code, out, _ = run("ask", "When was Jerzy Kowal born?", "--corpus", corpus, "--set", "k=1", "--json")
    record = ujson.loads(out)
    assert code == 0
    assert record["answer"] == "1922"
    assert record["passages"] == [ROWS[1]]
    assert record["settings"]["k"] == 1
    assert [step["step"] for step in record["trajectory"]] == ["find", "answer"]
    assert record["cost"]["calls"] == 1


@pytest.mark.usefixtures("tiny_encoder")
def test_ask_without_retrieval_needs_no_corpus(run):
    code, out, _ = run("ask", "Is it?", "--program", "direct", "--corpus", "/nowhere", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"] == []


@pytest.mark.usefixtures("tiny_encoder")
def test_ask_reads_the_question_from_standard_input(run, corpus, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Wo? é".encode())))
    code, out, _ = run("ask", "-", "--corpus", corpus, "--json")
    assert code == 0
    assert ujson.loads(out)["question"] == "Wo? é"


def test_programs_lists_every_program_with_its_settings(run):
    code, out, _ = run("programs")
    assert code == 0
    assert all(name in out for name in ("direct", "cot", "one-step", "one-step-cot", "k=5"))
    code, out, _ = run("programs", "--json")
    assert {row["name"]: row["settings"] for row in ujson.loads(out)}["one-step"] == {"k": 5, "reads": True}


@pytest.mark.seconds
@pytest.mark.usefixtures("tiny_encoder")
def test_demo_runs_from_nothing_and_keeps_what_it_makes(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "--questions", 3)
    assert code == 0
    assert "Which river flows through the city where Albert Einstein was born?\n→ " in out
    assert "\nsources  ▸ from the sentence that bears the answer\n1 ▸  " in out
    assert "tor on local" in out
    names = ["one-step", "ranked-rag", "tor"]
    assert "$ multihop evaluate METHOD --limit 3 --out multihop-demo/METHOD" in out
    assert re.findall(r"^ (\S+) +[\d.]+±[\d.]+ ", out, re.MULTILINE) == names
    assert err == ""
    assert "<title>one-step · ranked-rag · tor" in (tmp_path / "multihop-demo" / "searches.html").read_text()
    assert all(len([*read_rows(tmp_path / "multihop-demo" / name)]) == 3 for name in names)


@pytest.mark.seconds
@pytest.mark.usefixtures("tiny_encoder")
def test_demo_opens_its_page_when_asked(run, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run("demo", "--questions", 1, "--to", tmp_path / "demo", "--open")[0] == 0
    assert opened == [(tmp_path / "demo" / "searches.html").as_uri()]


def test_demo_makes_its_own_folder_anew_and_no_other(run, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    code, _, err = run("demo", "--to", tmp_path)
    assert (code, "holds 'mine.txt', which no demo made; give another folder with --to." in err) == (2, True)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    code, _, err = run("demo", "--to", tmp_path / "mine.txt")
    assert (code, "mine.txt is a file; give a folder with --to." in err) == (2, True)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_every_command_with_the_first_line_of_its_own_help(run, arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run(*arguments)
    assert code == 0
    for name in COMMANDS:
        module = import_module(f"multihop.cli.commands.{FILES.get(name, name)}")
        line = getattr(module, f"{name}_command").__doc__.partition("\n")[0]
        assert re.search(rf"{name} +{re.escape(line)}", out)


def test_help_needs_no_dspy():
    code = "import sys; from multihop.__main__ import main; main(['--help']); print('dspy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["index", "--help"], ["--version"]])
def test_help_is_there(run, arguments):
    code, out, _ = run(*arguments)
    assert code == 0
    assert out.strip()
    if arguments[0] != "--version":
        assert "For example:" in out


def test_ask_says_that_the_little_encyclopedia_is_searched(run):
    code, _, said = run("ask", "Who?", "--lm", "local")
    assert code == 0
    assert said == (
        "multihop: no --corpus, so the little encyclopedia is searched; give --corpus to search your own passages.\n"
    )
    assert run("ask", "Who?", "--lm", "local", "--corpus", "little")[2] == ""


def test_a_folder_is_printed_letter_by_letter_whatever_its_name(run, corpus, tmp_path):
    index, out = tmp_path / "in[de]x", tmp_path / "run[1]"
    assert str(index) in run("index", corpus, "--to", index)[1]
    asked = ("evaluate", "one-step", "-q", "little", "-c", index, "--limit", "1", "--lm", "local", "--out", out)
    assert f"{out}/summary.md has" in run(*asked)[1]
    assert f"multihop view {out} writes" in run("show", out)[1]
