"""Every example of every `--help`, run as it is printed, with small stand-ins for what is big or paid."""

import csv
import gzip
import re
import shlex
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import dspy
import pytest
import ujson
from answering import reply as guess
from hub_server import HubServer
from hub_sets import make_repositories
from openai_server import OpenAIServer
from search_engine import SearchEngine
from simulated import ROLES, simulated
from tiny_encoder import write_tiny_encoder

from multihop import Little, create, save, with_demonstrations
from multihop.__main__ import main
from multihop.cli.app import COMMANDS, command_line
from multihop.lms import lm_by_name

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

More stand-ins are set up below: a server on this machine for every provider, another for the hub, and one for
OpenSearch; a tiny encoder for the built-in one, and for what a training would make; servers that end at
once. Files are made under the names that the examples use.
"""
NEEDED = {"data": "hub"}
"""The fixture that sets up what the examples of a command need."""
PASSAGES, QUESTIONS = list(Little().passages()), list(islice(Little().questions(), 16))


def printed(capsys, *arguments):
    """The examples of a help, each on one line, as a shell reads it."""
    assert main([*arguments, "--help"]) == 0
    text = capsys.readouterr().out.partition("For example:")[2].partition("╭")[0]
    joined = re.sub(r" \\\n +", " ", text)
    return [line.strip() for line in joined.splitlines() if line.strip()]


def completed(lines: list[str]) -> Iterator[list[str]]:
    """The examples as arguments; "..." after a program's name is what the first example gives and this one does not."""
    first = pairs(lines[0])
    for line in lines:
        given = pairs(line)
        rest = [f"{option} {value}" for option, value in first.items() if option not in given]
        line = re.sub(r"(?<= )\.\.\.(?= )", " ".join(rest), line)
        for big, small in STAND_INS.items():
            line = line.replace(big, small)
        yield shlex.split(line, comments=True)[1:]


def pairs(line: str) -> dict[str, str]:
    """The options of an example that take a value, with it."""
    return dict(re.findall(r"(?<= )(--?[a-z][a-z-]*) ([^\s-]\S*)", line))


def test_the_dots_are_the_rest_of_the_first_example():
    lines = ["multihop clone mzqa -q a.jsonl --lm x/y --out c", "multihop clone ircot ... --out d --finetune x/z"]
    assert list(completed(lines))[1] == shlex.split("clone ircot -q a.jsonl --lm x/y --out d --finetune x/z")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_example_is_a_command_with_options_that_it_has(command, capsys):
    for arguments in completed(printed(capsys, *command.split())):
        command_line(arguments).parse_args(arguments)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    pages = [page._asdict() for page in PASSAGES]
    write("corpus.jsonl", pages)
    write("corpus.jsonl.gz", pages)
    write("musique.corpus.jsonl.gz", pages)
    with open("psgs_w100.tsv", "w", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(
            [("id", "text", "title"), *((p.id, p.text, p.title) for p in PASSAGES)]
        )
    with open("mine.csv", "w", newline="") as file:
        csv.writer(file).writerows([("pid", "body"), *((page.id, page.text) for page in PASSAGES), ("p", "")])
    asked = [own_paragraphs(question) for question in QUESTIONS]
    write("train.jsonl", asked[:10])
    write("dev.jsonl", asked[10:])
    write("mine.jsonl", asked)
    write("new.jsonl", [{"id": "new", "title": "A new page", "text": "It was not there before."}])
    write("hotpotqa.train.jsonl.gz", asked[:10])
    write("musique.train.jsonl.gz", asked[10:])
    write("musique.extra.jsonl.gz", asked)
    write("squad.jsonl.gz", [as_read(row) for row in asked[:10]])
    write("nq.jsonl.gz", [as_read(row) for row in asked[10:]])
    shots = {"judge": [{"question": "Who?", "evidence": ["Ada did."], "pathway": [], "enough": True}]}
    Path("shots.json").write_text(ujson.dumps(shots))
    save(with_demonstrations(create("resp", lambda query, k: []), shots), "resp.json")
    assert main(["index", "corpus.jsonl", "--to", "indexes/wiki"]) == 0
    return tmp_path


def as_read(row):
    """A question to learn reading from: its first gold paragraph tells, whatever it asks."""
    page = {name: row["paragraphs"][0][name] for name in ("title", "text")}
    spans = [[0, len(page["text"].split()[0])]]
    return row | {"type": "span", "paragraphs": [page | {"supporting": True, "answer_spans": spans}]}


def own_paragraphs(question):
    """A question as a file holds it, with its gold paragraphs and one other."""
    shown = [page for page in PASSAGES if page.id in question.supporting] + PASSAGES[-1:]
    return {
        "id": question.id,
        "question": question.question,
        "answers": list(question.answers),
        "supporting": list(question.supporting),
        "paragraphs": [page._asdict() for page in shown],
        "decomposition": [
            {"question": hop.question, "answer": hop.answer, "paragraph": hop.passage} for hop in question.decomposition
        ],
    }


def write(name, rows):
    text = "".join(ujson.dumps(row) + "\n" for row in rows).encode()
    Path(name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)


@pytest.fixture
def provider(monkeypatch):
    """Every provider is a server on this machine, which knows the gold of the questions and guesses elsewhere."""
    knows = simulated(QUESTIONS, PASSAGES, error_rate=0).engine

    def reply(prompt):
        fields = [field.name for field in prompt.output_fields]
        if "question" not in prompt.inputs:  # an optimizer that wants a text, such as an instruction
            return dict.fromkeys(fields, "Answer from the passages alone.")
        if fields == ["correct"]:  # a judge
            return {"correct": True}
        known = prompt.inputs["question"] in knows.golds and set(fields) <= set(ROLES)
        return knows.reply(prompt) if known else guess(prompt)

    with OpenAIServer(reply) as server:
        monkeypatch.setattr(
            lm_by_name,
            "_hosted",
            lambda name, provider, key, options: dspy.LM(
                name, api_base=server.url, api_key="EMPTY", engine="lm15", **options
            ),
        )
        yield server


@pytest.fixture
def hub(folder, monkeypatch):
    """In place of the hub a server on this machine, and a copy of one of its repositories."""
    (folder / "downloads").mkdir()
    with HubServer(make_repositories(folder / "hub")) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        (folder / "downloads" / "hotpot_qa").symlink_to(folder / "hub" / "hotpotqa" / "hotpot_qa")
        yield server


@pytest.fixture
def engine():
    with SearchEngine() as engine:
        yield engine


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
@pytest.mark.usefixtures("folder", "tiny_encoder")
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_example_of_a_help_runs(command, provider, engine, capsys, monkeypatch, request):
    monkeypatch.setenv("COLUMNS", "200")
    trainer = SimpleNamespace(train_encoder=trains, TrainingOptions=SimpleNamespace)  # it would import PyTorch
    monkeypatch.setitem(sys.modules, "multihop.training.trainer", trainer)
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    monkeypatch.setattr("multihop.serve.web_server.WebServer.serve_at", waits)
    monkeypatch.setattr("mcp.server.MCPServer.run_stdio_async", listens)
    monkeypatch.setenv("MULTIHOP_KEY", "none")
    lines = printed(capsys, *command.split())
    assert lines
    assert [line for line in lines if not line.startswith("multihop ")] == []
    if command == "clone":
        monkeypatch.setattr("multihop.optimize.cloning.finetune", lambda model, rows, **_: f"{model}-cloned")
        asked = ["-q", "train.jsonl", "--corpus", "indexes/wiki", "--lm", "openai/gpt-4o-mini"]
        assert main(["evaluate", "resp", *asked, "--out", "runs/resp"]) == 0
        assert main(["evaluate", "mzqa", *asked, "--set", "iterations=3", "--limit", "3", "--out", "runs/mzqa"]) == 0
    if command in NEEDED:
        request.getfixturevalue(NEEDED[command])
    if command in ("compare", "show", "view"):
        for k, out in ((1, "first"), (5, "second"), (9, "third")):
            assert main(["evaluate", "one-step", "--set", f"k={k}", "--limit", "3", "--out", f"runs/{out}"]) == 0
    if command == "view":
        for k, out in ((1, "tor"), (5, "resp"), (9, "one-step"), (1, "k1"), (5, "k5"), (20, "k20")):
            assert main(["evaluate", "one-step", "--set", f"k={k}", "--limit", "3", "--out", f"runs/{out}"]) == 0
        for rounds in (5, 20):
            made = [
                "--set",
                f"iterations={rounds}",
                "--lm",
                "local",
                "--limit",
                "2",
                "--out",
                f"runs/musique-{rounds}",
            ]
            assert main(["evaluate", "mzqa", *made]) == 0
        study = ["--lm", "local", "-q", "little", "-c", "little", "--limit", "2"]
        study += ["--rows", "Direct, k=1", "Direct, k=3"]
        assert main(["reproduce", "efficientrag-figure-2", *study, "--out", "runs/efficientrag-figure-2"]) == 0
    for line, arguments in zip(lines, completed(lines), strict=True):
        if any(
            option in line for option in ("--retriever colbert", "--encoder", "--ray")
        ):  # need extras, with which other tests run them
            continue
        code = main([each.replace("SERVER", provider.url).replace("ENGINE", engine.url) for each in arguments])
        said = capsys.readouterr()
        assert (code, line) == (0, line), said.err
        assert said.out.strip() or said.err.strip()
    if any("--lm openai/" in line for line in lines) and command not in ("serve", "mcp", "choose"):  # none is asked
        assert provider.answered
