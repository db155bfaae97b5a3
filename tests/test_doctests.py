import doctest
import importlib
import pkgutil

import pytest
from packages import PACKAGES


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
        if error.name not in ("torch", "transformers", "accelerate", "onnx"):
            raise
        pytest.skip("needs the extra [train]")
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0
