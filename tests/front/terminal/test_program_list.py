import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from multihop.programs import OneStep
from multihop.terminal import program_list
from multihop.terminal.program_list import OURS, describe_program, list_programs

SCRIPT = Path(__file__).parents[3] / "docs" / "make_programs.py"


def test_the_file_says_what_the_classes_say():
    spec = importlib.util.spec_from_file_location("make_programs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert OURS.read_text(encoding="utf-8") == module.listed(), "python docs/make_programs.py writes it anew"


def test_a_program_is_described():
    assert describe_program("one-step", OneStep) == {
        "name": "one-step",
        "what": "The answer from the passages that the question itself retrieves.",
        "paper": "retrieve-and-read (Lewis et al., 2020)",
        "calls": "1",
        "retrieves": True,
        "settings": {"k": 5},
    }


@pytest.mark.seconds
def test_the_list_is_shown_without_dspy():
    script = "import sys; from multihop.__main__ import main; main(['programs']); print('dspy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
    assert done.stdout.startswith("direct ")


def test_programs_of_installed_packages_come_first(monkeypatch):
    class Point:
        name = "mine"

    monkeypatch.setattr(program_list, "entry_points", lambda group: [Point] if group == "multihop.programs" else [])
    monkeypatch.setattr("multihop.programs.program_named", lambda name: {"mine": OneStep}[name])
    names = [row["name"] for row in list_programs().programs]
    assert names[:3] == ["mine", "direct", "cot"]
