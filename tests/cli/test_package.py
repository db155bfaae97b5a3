import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import multihop
from multihop import programs


def test_other_names_are_refused_as_python_does():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = multihop.nothing


QUIETLY = "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):"
WITHOUT_DSPY = [
    ("import multihop; from multihop import BM25; hasattr(multihop, '__wrapped__')", ["dspy", "rich", "cyclopts"]),
    ("from multihop.retrieval import *; from multihop.data import *", ["dspy", "numpy", "pyarrow"]),
    (f"from multihop.__main__ import main; {QUIETLY} main(['--help']); main(['programs'])", ["dspy"]),
]
WITH_DSPY = [
    ("from multihop.lms import scripted", ["multihop.lms.local_engine", "multihop.encoder"]),
    ("from multihop.programs import OneStep", ["multihop.programs.mzqa", "multihop.encoder", "multihop.data"]),
    ("import multihop.serve.service, multihop.cli.commands.serve", ["fastapi", "uvicorn", "starlette", "mcp"]),
    ("from multihop.programs import *; from multihop.lms import *", ["litellm", "openai", "datasets", "numpy"]),
    ("import multihop.cli; from multihop.evaluation import *", ["torch", "faiss", "pyarrow"]),
]


@pytest.mark.parametrize("statements", [WITHOUT_DSPY, WITH_DSPY])
def test_imports_are_light(statements):
    """Statements, one after the other in a fresh process, each with modules that are not imported by then."""
    program = "import sys\n" + "".join(
        f"{statement}\nprint(*[name for name in {absent!r} if name in sys.modules])\n"
        for statement, absent in statements
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [""] * len(statements)


def static_names():
    """The names of the package that type checkers and editors see, and the star imports among them."""
    stub = Path(multihop.__path__[0], "__init__.pyi").read_text()
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    return {(alias.asname, alias.name, node.module) for node in imports for alias in node.names}


def test_editors_see_the_names_that_there_are_where_they_are():
    seen = {entry for entry in static_names() if entry[1] != "*"}
    assert all(shown == name for shown, name, _ in seen)
    assert {module for shown, name, module in static_names() if name == "*"} == {"programs"}
    assert {name for name, *_ in seen} | set(programs.__all__) == set(multihop.__all__)
    for name, _, room in seen:
        assert getattr(multihop, name) is getattr(import_module(f"multihop.{room}"), name)


def test_the_star_brings_every_public_name():
    taken = {}
    exec("from multihop import *", taken)
    assert set(multihop.__all__) <= set(taken)
    assert set(multihop.__all__) <= set(dir(multihop))
