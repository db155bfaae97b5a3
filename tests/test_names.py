"""A public name is one thing: no module shares its name with an export, and no two exports share theirs."""

import importlib
import pkgutil
from collections import defaultdict

import pytest
from packages import PACKAGES


@pytest.mark.parametrize("name", PACKAGES)
def test_no_module_shares_its_name_with_an_export(name):
    package = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert modules & set(getattr(package, "__all__", ())) == set()


def test_no_two_exports_share_a_name():
    meanings = defaultdict(dict)
    for package in map(importlib.import_module, PACKAGES):
        for name in getattr(package, "__all__", ()):
            value = getattr(package, name)
            meanings[name].setdefault(id(value), f"{package.__name__}.{name}")
    assert len(meanings) > 200
    assert {name: sorted(values.values()) for name, values in meanings.items() if len(values) > 1} == {}
