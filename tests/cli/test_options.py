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


REFUSED = {
    "compile one-step --train little --to x --train-limit=-3": "--train-limit. Must be >= 1.",
    "compile one-step --train little --to x --max-calls 0": "--max-calls. Must be >= 1.",
    "compile one-step --train little --to x --concurrency 0": "--concurrency. Must be >= 1.",
    "clone tor --out x --limit 0": "--limit. Must be >= 1.",
    "evaluate one-step --out x --budget-calls=-1": "--budget-calls. Must be >= 0.",
    "ask why --skip-bad=-1": "--skip-bad. Must be >= 0.",
    "train q.jsonl --to x --learning-rate 0": "--learning-rate. Must be > 0.",
    "demo --questions 0": "--questions. Must be >= 1.",
}


@pytest.mark.parametrize(("line", "reason"), REFUSED.items())
def test_a_number_out_of_its_range_is_refused_before_anything_is_done(line, reason, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    message = capsys.readouterr().err
    assert message.startswith("multihop: Invalid value ")
    assert message.endswith(f" for {reason}\n")
    assert message.count("\n") == 1
    assert not list(tmp_path.iterdir())
