"""Each benchmark can be imported: what it takes from the library, and from its neighbours, is there."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_a_benchmark_finds_what_it_imports(name, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for neighbour in BENCHMARKS.glob("*.py"):
        monkeypatch.delitem(sys.modules, neighbour.stem, raising=False)
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__doc__
    shared = ("apart", "fair_clock", "generated", "simulation")
    assert name in shared or callable(module.main)  # what they share is run by none
