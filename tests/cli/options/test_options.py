import inspect
from importlib import import_module

import pytest
from cyclopts import App

from multihop.__main__ import main
from multihop.cli.app import COMMANDS
from multihop.cli.options import single

SHARED = {name: value for name, value in vars(single).items() if hasattr(value, "__metadata__")}
DECLARED = {
    "prices": single.PricesFile,
    "rules": single.RulesName,
    "cache": single.CacheScope,
}


def function_of(command):
    module = command.replace("-", "_")
    return getattr(import_module(f"multihop.cli.commands.{module}"), f"{module}_command")


def parameters(command):
    return inspect.signature(function_of(command), eval_str=True).parameters


@pytest.mark.parametrize(("option", "declared"), DECLARED.items())
def test_commands_that_share_an_option_share_its_declaration(option, declared):
    takers = [command for command in COMMANDS if option in parameters(command)]
    assert len(takers) >= 2
    assert all(parameters(command)[option].annotation == declared for command in takers)


def test_every_shared_option_is_used_and_brings_its_help():
    used = [parameter.annotation for command in COMMANDS for parameter in parameters(command).values()]
    for name, declared in SHARED.items():
        (parameter,) = declared.__metadata__
        assert parameter.help.endswith("."), name
        assert sum(str(declared)[:-1] in str(annotation) for annotation in used) >= 2, name


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
