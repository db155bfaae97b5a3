"""The examples in docstrings run as they are printed there."""

import doctest
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import multihop


def with_examples():
    for each in pkgutil.walk_packages(multihop.__path__, "multihop."):
        if ">>>" in Path(importlib.util.find_spec(each.name).origin).read_text(encoding="utf-8"):
            yield each.name


@pytest.mark.parametrize("name", with_examples())
def test_examples_in_docstrings_run(name):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0
