"""docs/serving.md as a reader follows it: every command and block, against a server that is there."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
import ujson
from small_corpus import ROWS
from web_service import web_service

from multihop import BM25, OneStep, Passage, create, lexical, save
from multihop.__main__ import main

PAGE = (Path(__file__).parents[1] / "docs" / "serving.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.S)


@pytest.fixture
def web(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MULTIHOP_KEY", "none")
    Path("corpus.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in ROWS))
    save(create("resp", lambda query, k: []), "resp.json")
    with web_service({"one-step": (OneStep(BM25.build(Passage(**row) for row in ROWS)), lexical())}) as web:
        yield web


def curl(words, web):
    """What a command of curl prints."""
    url = next(word for word in words if word.startswith("localhost:8000"))
    headers = [words[at + 1].split(": ") for at, word in enumerate(words) if word == "-H"]
    content = words[words.index("-d") + 1]
    return httpx.post(url.replace("localhost:8000", web.url), headers=dict(headers), content=content)


def test_every_command_and_block_runs(web, monkeypatch, capsys, tiny_encoder):
    async def waits(server, listener):
        served.append([each.name for each in server.service.catalogue])

    async def listens(server):
        served.append([tool.name for tool in await server.list_tools()])

    served, answers = [], []
    monkeypatch.setattr("mcp.server.MCPServer.run_stdio_async", listens)
    monkeypatch.setattr("multihop.serve.web.web_server.WebServer.serve_at", waits)
    for language, block in BLOCKS:
        if language == "python":
            if "as_runnable" in block and find_spec("langchain_core") is None:
                continue
            exec(compile(block.replace("http://localhost:8000", web.url), "docs/serving.md", "exec"), {})
            answers.append(capsys.readouterr().out)
            continue
        for line in block.splitlines():
            words = shlex.split(line)
            if words[0] == "curl":
                assert curl(words, web).status_code == 200, line
            else:
                port = ["--port", "0"] if words[1] == "serve" or "--http" in words else []
                assert main([*words[1:], *port]) == 0, (line, capsys.readouterr().err)
    assert served == [["one-step"], ["fast", "careful"], ["ask", "retrieve"], ["resp"]]
    assert answers[0].splitlines()[1] == "Torun passage:p3"
    assert answers[1].splitlines()[:2] == ["[] find", "[] answer"]


def test_the_limits_are_those_of_the_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["serve", "--help"]) == 0
    said = capsys.readouterr().out
    shown = re.findall(r"`(--[a-z-]+)(?: ([\d.]+))?`", PAGE)
    assert len(shown) > 10
    for option, default in shown:
        assert option in said
        if default:
            assert re.search(rf"{option}\b[^\[]*.*\[default: {default}(\.0)?\]", said), option
