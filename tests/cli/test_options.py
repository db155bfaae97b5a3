from importlib import import_module

import pytest
from cyclopts import App

from multihop.__main__ import main
from multihop.cli.app import COMMANDS, FILES


def function_of(command):
    return getattr(import_module(f"multihop.cli.commands.{FILES.get(command, command)}"), f"{command}_command")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    app = App(name="x", result_action="return_value")
    app.default(function_of(command))
    for argument in app.assemble_argument_collection(parse_docstring=True):
        if argument.children:
            continue  # a group of options
        assert argument.parameter.help, f"{command} {argument.name}"
        assert argument.name.lstrip("-").lower() in shown.lower()
