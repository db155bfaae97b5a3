"""A name is one thing: no module shares its name with an export, and no two definitions share theirs."""

import ast
import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from packages import PACKAGES


@pytest.mark.parametrize("name", PACKAGES)
def test_no_module_shares_its_name_with_an_export(name):
    package = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert modules & set(getattr(package, "__all__", ())) == set()


def test_a_package_that_exports_says_so():
    silent = {name for name in PACKAGES if not hasattr(importlib.import_module(name), "__all__")}
    for name in silent:
        package = importlib.import_module(name)
        modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
        values = {key for key, value in vars(package).items() if key in modules and type(value).__name__ != "module"}
        assert values == set(), f"{name}: {values}"


ONE_A_MODULE = {
    "read": "every format of questions is a module with a `read`",
}
"""Names that mean the same wherever they stand, and why they stand more than once."""


def public_names(tree: ast.Module) -> Iterator[str]:
    """The classes, functions and named types of a module; type variables are local to theirs."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not called(node.value, "TypeVar"):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            yield from (name for name in names if not name.isupper())


def called(value: ast.expr | None, name: str) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == name


def test_no_two_definitions_share_a_name():
    places = defaultdict(list)
    for name in PACKAGES:
        for path in sorted(Path(importlib.import_module(name).__path__[0]).glob("*.py")):
            for found in public_names(ast.parse(path.read_text())):
                if not found.startswith("_"):
                    places[found].append(f"{name}.{path.stem}")
    assert len(places) > 500
    assert {name: where for name, where in places.items() if len(where) > 1 and name not in ONE_A_MODULE} == {}
    assert all(len(places[name]) > 1 for name in ONE_A_MODULE)
