"""A reader who types what a page says, block by block, in a folder of their own, and sees what each prints."""

import io
import json
import linecache
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TextIO

import dspy
import nursery
import pytest
from page_blocks import Block, commands, fits, turns
from page_stand_ins import BIG, ELSEWHERE, STAND_INS
from time_limit import LIMIT

from multihop.__main__ import main

SERVERS = re.compile(r"multihop (index )?serve\b")
"""Commands that go on until the page ends; `mcp` does with --http."""
PARSED = {"json": json.loads, "toml": tomllib.loads}
"""Blocks without a title that only have to be what they say they are."""


class PageReader:
    """Use it in a `with` block; `read` gives each shown text that is not what was printed, with what was.

    Args:
        name: The page, for tracebacks.
        provider: The address of the server that plays every provider of LMs.
        tiny: The folder of a tiny encoder.
    """

    def __init__(self, name: str, provider: str, tiny: Path) -> None:
        self.name, self.provider, self.tiny = name, provider, tiny
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.ports: dict[str, str] = {}
        self.printed, self.code = "", 0

    def __enter__(self) -> "PageReader":
        self.ends = ExitStack()
        self.patch = self.ends.enter_context(pytest.MonkeyPatch.context())
        self.patch.setattr(dspy, "configure", lambda **chosen: self.ends.enter_context(dspy.context(**chosen)))
        self.patch.syspath_prepend(str(Path.cwd()))
        self.modules = set(sys.modules)
        return self

    def __exit__(self, *_: object) -> None:
        self.ends.close()
        for name in set(sys.modules) - self.modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(os.getcwd()):
                del sys.modules[name]

    def read(self, block: Block) -> list[tuple[int, str, str]]:
        """Do what the block says; where its text differs, the place in the page, what is shown, what was printed."""
        if block.title is not None:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text)
        elif block.language == "text":
            return [] if fits(block.text, self.printed) else [(block.start, block.text, self.printed)]
        elif block.language in PARSED:
            PARSED[block.language](block.text)
        elif block.language == "python":
            self.python(block.text)
        elif block.language == "bash":
            for command in commands(block.text):
                self.command(command)
                assert self.code == 0, f"{self.name}: {command}\n{self.printed}"
        else:
            assert block.language == "console", f"{self.name}: nobody knows what to do with {block.language}"
            return [each for turn in turns(block.text) for each in self.turn(*turn, block.start)]
        return []

    def turn(self, command: str, shown: str, place: int, start: int) -> list[tuple[int, str, str]]:
        """One command of a console, and what it shows."""
        self.command(command)
        refused = shown.startswith("multihop: ") and "served at http" not in self.printed
        assert (self.code != 0) == refused, f"{self.name}: {command} ended with {self.code}\n{self.printed}"
        return [] if fits(shown, self.printed) else [(start + place, shown, self.printed)]

    def command(self, command: str) -> None:
        """Run it here where it is one of ours alone, and otherwise in a shell."""
        if command.startswith(ELSEWHERE):
            self.printed, self.code = "", 0
            return
        if variable := re.fullmatch(r"export (\w+)=(\S+)", command):
            self.patch.setenv(variable[1], variable[2])
            return
        for said, instead in STAND_INS.items():
            command = command.replace(said, instead)
        if "server/NAME@" in command:  # the model that the page has trained
            (trained,) = Path("mine.json.work/models").iterdir()
            command = command.replace("NAME", trained.name)
        command = self.local(command)
        words = shlex.split(command)
        if SERVERS.match(command) or (words[0] == "multihop" and "--http" in words):
            self.serve(words)
        elif words[:2] == ["multihop", "mcp"]:
            self.wait_for(words)
        elif words[0] == "multihop" and not re.search(r"\s(&&|[|<>])\s", command):
            self.here(words, command)
        else:
            tools = f'multihop() {{ "{sys.executable}" -m multihop "$@"; }}; python() {{ "{sys.executable}" "$@"; }}; '
            done = subprocess.run(
                ["bash", "-c", tools + command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
            )
            self.printed, self.code = done.stdout + (done.stderr if done.returncode else ""), done.returncode

    def here(self, words: list[str], command: str) -> None:
        """A command of ours, in this process."""
        screen, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(screen), redirect_stderr(errors), pytest.MonkeyPatch.context() as patch:
            self.small(patch, command)
            try:
                self.code = main(words[1:])
            except SystemExit as end:
                self.code = int(end.code or 0)
        self.printed = screen.getvalue() + (errors.getvalue().splitlines()[-1] + "\n" if self.code else "")

    def python(self, text: str) -> None:
        """A block of Python, among the names of those before it."""
        place = f"<{self.name} {len(linecache.cache)}>"
        text = self.local(text)
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
        screen = io.StringIO()
        with redirect_stdout(screen), pytest.MonkeyPatch.context() as patch:
            self.small(patch, text)
            exec(compile(text, place, "exec"), self.names)
        self.printed = screen.getvalue()

    def small(self, patch: pytest.MonkeyPatch, text: str) -> None:
        if any(word in text for word in BIG):
            patch.setattr("multihop.encoder.encoder.BUILT_IN", self.tiny)

    def serve(self, words: list[str]) -> None:
        """A server, in a process of its own; it has printed its first line, which says where it is."""
        given = words.index("--port") + 1 if "--port" in words else None
        asked = words[given] if given else "8765" if words[1] == "mcp" else "8000"
        words = [*words[:given], "0", *words[given + 1 :]] if given else [*words, "--port", "0"]
        process, told = self.elsewhere(words)
        self.ends.callback(process.join, LIMIT)
        self.ends.callback(process.terminate)
        self.printed, self.code = told.readline(), 0
        address = re.search(r"127\.0\.0\.1:(\d+)", self.printed)
        assert address, f"{self.name}: {shlex.join(words)} printed {self.printed}"
        self.ports[asked] = address[1]
        self.printed = self.printed.replace(address[0], f"127.0.0.1:{asked}")

    def wait_for(self, words: list[str]) -> None:
        """A command that reads its standard input, which ends at once."""
        process, told = self.elsewhere(words)
        self.printed = told.read()
        process.join(LIMIT)
        self.code = process.exitcode

    def elsewhere(self, words: list[str]) -> tuple[BaseProcess, TextIO]:
        """The command in a process of its own, and what it says there."""
        said, errors = multiprocessing.Pipe(duplex=False)
        process = nursery.start(nursery.run_where_told, errors, dict(os.environ), *words[1:])
        errors.close()
        self.ends.callback(said.close)
        return process, self.ends.enter_context(open(said.fileno(), closefd=False))

    def local(self, text: str) -> str:
        """With the addresses of the servers that are there."""
        for asked, port in self.ports.items():
            text = re.sub(rf"\b(localhost|127\.0\.0\.1):{asked}\b", f"127.0.0.1:{port}", text)
        return re.sub(r"http://localhost:(8000|8080|11434|1234)/v1", self.provider, text)
