import doctest
import importlib
import pkgutil
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
PACKAGES = SETUPTOOLS["packages"]


def modules():
    for package in PACKAGES:
        yield package
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            if not module.ispkg and not module.name.endswith("__main__"):
                yield module.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_examples_in_docstrings_run(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers", "onnx"):
            raise
        pytest.skip("needs the extra [train]")
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0


def test_every_folder_of_the_house_is_shipped():
    rooms = {folder: name for name, folder in SETUPTOOLS["package-dir"].items()}
    found = set()
    for folder, name in rooms.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            inner = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join((name, *inner)))
    assert found == set(PACKAGES)
