import ast
import inspect
from pathlib import Path

import pytest

import multihop
from multihop import programs
from multihop.programs import PROGRAMS, methods
from multihop.runtime import Program

LINES = [node for node in ast.walk(ast.parse(inspect.getsource(methods))) if isinstance(node, ast.ImportFrom)][1:]
"""The programs as type checkers and editors see them: a line each."""


@pytest.mark.parametrize("line", LINES, ids=ast.unparse)
def test_a_line_makes_a_program_known_everywhere(line):
    (alias,) = line.names
    program = getattr(programs, alias.name)
    assert methods.CLASSES[program.name] == f"{line.module}:{alias.name}"
    assert alias.asname == alias.name == program.__name__
    assert program.__module__ == f"multihop.programs.{line.module}"
    assert issubclass(program, Program)
    assert PROGRAMS[program.name] is program
    assert getattr(multihop, alias.name) is program
    assert alias.name in programs.__all__
    assert alias.name in multihop.__all__


def test_the_order_of_the_lines_is_that_of_the_list():
    assert [program.__name__ for program in PROGRAMS.values()] == [line.names[0].name for line in LINES]
    assert [*PROGRAMS] == [program.name for program in PROGRAMS.values()] == [*methods.CLASSES]
    assert len(PROGRAMS) == len(LINES) == 26


def test_no_program_is_forgotten():
    """Every class in the files of `programs/` that has a name of its own is in the list."""
    folder = Path(inspect.getfile(programs)).parent
    named = {
        cls.name
        for file in (*folder.glob("*.py"), *folder.glob("baselines/*.py"))
        for cls in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(cls, ast.ClassDef) and any(ast.unparse(line).startswith("name = ") for line in cls.body)
    }
    assert named == {place.partition(":")[2] for place in methods.CLASSES.values()}


def test_a_name_stands_in_one_list_only():
    """Beside its line and its own file, no module of the package repeats a baseline's name."""
    root = Path(inspect.getfile(programs)).parents[1]
    mentions = [
        file.relative_to(root).as_posix()
        for file in root.glob("*/**/*.py")
        if file.parts[len(root.parts)] in ("cli", "programs", "runtime")
        and "InterleavedThought" in file.read_text("utf-8")
    ]
    assert sorted(mentions) == ["programs/baselines/ircot.py", "programs/methods.py"]
