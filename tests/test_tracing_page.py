"""docs/tracing.md as a reader follows it: every command and block runs, and tells what the page says."""

import logging
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import ujson
from small_corpus import ROWS

pytest.importorskip("opentelemetry.exporter.otlp", reason="spans need the extra [otel], which is not installed")
PAGE = (Path(__file__).parents[1] / "docs" / "tracing.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("corpus.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in ROWS))
    Path("questions.jsonl").write_text(ujson.dumps({"id": "q1", "question": "Where is Torun?", "answer": "Poland"}))


def test_every_block_runs(folder, caplog):
    level = logging.getLogger("multihop").level
    try:
        for language, block in BLOCKS:
            if language == "python":
                exec(compile(block, "docs/tracing.md", "exec"), {})
    finally:
        logging.getLogger("multihop").setLevel(level)
    assert any(line.startswith("step answer: 0.") for line in caplog.messages)


@pytest.mark.seconds
def test_every_command_tells_what_the_page_says(folder):
    commands = [line for language, block in BLOCKS if language == "console" for line in block.splitlines()]
    told = []
    for command in commands:
        words = shlex.split(command)
        variables = dict(word.split("=", 1) for word in words if re.match(r"OTEL_\w+=", word))
        arguments = [sys.executable, "-m", *words[len(variables) :]]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, env={**os.environ, **variables})
        assert done.returncode == 0, done.stderr
        told.append(done.stderr)
    assert "step answer: " in told[0]
    assert "call multihop/lexical" in told[1]
    assert '"name": "invoke_agent one-step"' in told[2]
    assert not any("Where is Torun?" in each for each in told)
