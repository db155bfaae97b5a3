"""The examples in the docstrings of public names run as they are printed there; other names have none."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
from pathlib import Path

import pytest
from packages import PACKAGES

EXPORTED = {
    value.__module__
    for package in map(importlib.import_module, PACKAGES)
    for value in (getattr(package, name, None) for name in getattr(package, "__all__", ()))
    if inspect.isclass(value) or inspect.isfunction(value)
}
"""The modules in which public names are made."""


def with_examples():
    for name in sorted(EXPORTED):
        if name.startswith("multihop"):
            module = importlib.import_module(name)
            if ">>>" in inspect.getsource(module):
                yield name


@pytest.mark.parametrize("name", with_examples())
def test_examples_in_docstrings_run(name):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0


def test_other_modules_have_no_examples():
    modules = pkgutil.walk_packages(importlib.import_module("multihop").__path__, "multihop.")
    files = [importlib.util.find_spec(each.name).origin for each in modules if each.name not in EXPORTED]
    assert [file for file in files if re.search("^ +>>> ", Path(file).read_text(encoding="utf-8"), re.MULTILINE)] == []
