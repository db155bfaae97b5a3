"""Each benchmark can be imported: what it takes from the library, and from its neighbours, is there."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts import load_script

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_a_benchmark_finds_what_it_imports(name, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for neighbour in BENCHMARKS.glob("*.py"):
        monkeypatch.delitem(sys.modules, neighbour.stem, raising=False)
    module = load_script(BENCHMARKS / f"{name}.py")
    assert module.__doc__
    assert name == "apart" or callable(module.main)  # what they share is run by none


def test_each_benchmark_stands_beside_a_figure():
    told = "".join(page.read_text() for page in (BENCHMARKS.parent / "docs").rglob("*.md"))
    scripts = {path.stem for path in BENCHMARKS.glob("*.py")} - {"apart", "mutants"}
    assert {name for name in scripts if f"benchmarks/{name}.py" not in told} == set()


def test_every_fault_can_be_made():
    """Whoever moves a text that a fault changes moves the fault too."""
    command = [sys.executable, BENCHMARKS / "mutants.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
