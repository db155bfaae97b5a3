"""Every example of every `--help`, run as it is printed, with small stand-ins for what is big or paid."""

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import ujson
from little_lessons import PAGES, QUESTIONS
from page_stand_ins import stand_ins
from search_engine import SearchEngine
from tiny_encoder import write_tiny_encoder

from multihop import create, save, with_demonstrations
from multihop.__main__ import main
from multihop.cli.app import COMMANDS, command_line
from multihop.data.own_rows import question_row, write_rows

STAND_INS = {
    "multihop COMMAND": "multihop programs",
    "multihop demo": "multihop demo --questions 2",
    "http://localhost:8000/v1": "SERVER",
    "--program tor.json": "--program tor.json --lm openai/gpt-4o-mini",  # the provider is a server here
    "opensearch:https://localhost:9200": "opensearch:ENGINE",
    "--variants labeled-5,random-search": "--variants labeled-1,random-search",
    "--limit 500": "--limit 3",
    "--limit 100": "--limit 3",
    "--sample 20": "--sample 3",
    "evaluate one-step --out": "evaluate one-step --limit 3 --out",
    "evaluate ranked-rag": "evaluate ranked-rag --limit 3",
    "evaluate efficientrag": "evaluate efficientrag --limit 3",
    "--max-calls 5000": "--max-calls 5000 --dev-limit 1 --set iterations=2 --set depth=2",
    "clone mzqa": "clone mzqa --set iterations=3",
    "compile tor": "compile tor --set depth=1 --set widths=2",
    "multihop serve ": "multihop serve --port 0 ",
    "--http --port 8765": "--http --port 0",
    "--metric judged": "--metric recall@5",  # no run here has a judge
}
"""Parts of examples, each with what runs in its place: fewer questions, and nobody's key, model or money.

Besides, a server on this machine stands in for every provider, another for the hub, and one for OpenSearch; a tiny
encoder for the built-in one, and for what a training would make; servers end at once. Files are made under the names
that the examples use.
"""
EXTRAS = ("--retriever colbert", "--encoder", "--ray")
"""Examples with these need extras, with which other tests run them."""
MADE_BEFORE = {
    "clone": [
        "evaluate resp -q little -c indexes/wiki --lm local --out runs/resp",
        "evaluate mzqa -q train.jsonl -c indexes/wiki --lm local --set iterations=3 --limit 3 --out runs/mzqa",
    ],
    "compare": [f"evaluate one-step --limit 3 --out runs/{name}" for name in ("first", "second", "third")],
    "show": ["evaluate one-step --limit 3 --out runs/first"],
    "view": [
        *(f"evaluate one-step --limit 3 --out runs/{name}" for name in ("first", "second", "tor", "resp", "one-step")),
        *(f"evaluate one-step --set k={k} --limit 3 --out runs/k{k}" for k in (1, 5, 20)),
        "reproduce efficientrag-figure-2 -q little -c little --lm local --rows 'Direct, k=1' 'Direct, k=3' --limit 2 "
        "--out runs/efficientrag-figure-2",
    ],
}
"""Commands that make what the examples of another one are about."""


def printed(capsys, *arguments):
    """The examples of a help, each on one line, as a shell reads it."""
    assert main([*arguments, "--help"]) == 0
    text = capsys.readouterr().out.partition("For example:")[2].partition("╭")[0]
    joined = re.sub(r" \\\n +", " ", text)
    return [line.strip() for line in joined.splitlines() if line.strip()]


def completed(lines: list[str]) -> Iterator[list[str]]:
    """The examples as arguments; "..." is what the first example gives behind the program, but for its last option."""
    for line in lines:
        if " ... " in line:
            line = line.replace("...", lines[0].rsplit(" --", 1)[0].split(" ", 3)[3])
        for big, small in STAND_INS.items():
            line = line.replace(big, small)
        yield shlex.split(line, comments=True)[1:]


@pytest.fixture
def folder(tmp_path, monkeypatch, tiny_encoder_folder):
    """A folder to work in, with the files that the examples name."""
    with stand_ins(tmp_path, tiny_encoder_folder) as provider:
        pages = [page._asdict() for page in PAGES]
        asked = [question_row(replace(each, passages=(*each.passages, PAGES[-1]))) for each in QUESTIONS[:10]]
        rows = {
            "corpus.jsonl corpus.jsonl.gz musique.corpus.jsonl.gz": pages,
            "train.jsonl hotpotqa.train.jsonl.gz": asked[:6],
            "dev.jsonl musique.train.jsonl.gz": asked[6:],
            "mine.jsonl musique.extra.jsonl.gz": asked,
            "squad.jsonl.gz": asked[:4],
            "new.jsonl": [{"id": "new", "title": "A new page", "text": "It was not there before."}],
        }
        for names, some in rows.items():
            for name in names.split():
                write_rows(name, some)
        Path("docs").mkdir()
        Path("docs/po.md").write_text("# Po\n\nThe Po is a river in Italy.\n")
        Path("ten.csv").write_text("question,answer\nWhere is the Po?,Italy\n")
        Path("mine.csv").write_text("pid,body\n1,The Po is a river.\np,\n")
        shots = {"judge": [{"question": "Who?", "evidence": ["Ada did."], "pathway": [], "enough": True}]}
        Path("shots.json").write_text(ujson.dumps(shots))
        save(with_demonstrations(create("resp", lambda query, k: []), shots), "resp.json")
        assert main(["index", "corpus.jsonl", "--to", "indexes/wiki"]) == 0
        yield provider


def trains(lessons, folder, options, **_):
    """The folder that a training would write."""
    assert lessons
    write_tiny_encoder(folder, own=("labeler", "filter"))


async def waits(server, listener):
    """The beginning of what a server of programs, or of an index, does; no example brings the end that it waits for."""


async def listens(server):
    """The same of a server that an agent starts."""
    sys.stderr.write("listens\n")


@pytest.mark.seconds
@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_example_of_a_help_runs(command, folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("MULTIHOP_KEY", "none")
    trainer = SimpleNamespace(train_encoder=trains, TrainingOptions=SimpleNamespace)  # it would import PyTorch
    monkeypatch.setitem(sys.modules, "multihop.training.trainer", trainer)
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    monkeypatch.setattr("multihop.serve.web_server.WebServer.serve_at", waits)
    monkeypatch.setattr("mcp.server.MCPServer.run_stdio_async", listens)
    lines = printed(capsys, *command.split())
    assert [line for line in lines if not line.startswith("multihop ")] == []
    for line in MADE_BEFORE.get(command, []):
        assert main(shlex.split(line)) == 0, line
    with SearchEngine() as engine:
        for line, arguments in zip(lines, completed(lines), strict=True):
            if any(option in line for option in EXTRAS):
                command_line(arguments).parse_args(arguments)  # its options are there
                continue
            capsys.readouterr()
            code = main([each.replace("SERVER", folder.url).replace("ENGINE", engine.url) for each in arguments])
            said = capsys.readouterr()
            assert (code, line) == (0, line), said.err
            assert said.out.strip() or said.err.strip()
