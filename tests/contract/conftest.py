"""What the three contracts share: commands in this process, and a folder to work in."""

import json
import os
import sys

import pytest

from multihop.__main__ import main


class Said:
    """What a command came to."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def multihop(capsys):
    """A command in this process: `multihop("ask", "Who?", "--lm", "local")`, which ends with the exit code `code`."""

    def run(*arguments, code=0):
        came_to = main([str(argument) for argument in arguments])
        said = Said(came_to, *capsys.readouterr())
        assert said.code == code, said.err
        return said

    return run


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, as the current one, from which a module `mine` is imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("mine", None)
    yield tmp_path
    sys.modules.pop("mine", None)
