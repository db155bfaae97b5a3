from dataclasses import is_dataclass
from pathlib import Path

import pytest

from multihop.base import InputError
from multihop.cli.app import command_line


def parsed(*arguments):
    """The options that the command is called with, by their names in a file."""
    arguments = [str(each) for each in arguments]
    _, bound, _ = command_line(arguments).parse_args(arguments)
    bound.arguments.pop("config", None)
    found = {}
    for name, value in bound.arguments.items():
        options = vars(value) if is_dataclass(value) else {name: value}
        by_default = vars(type(value)()) if is_dataclass(value) else {}
        found |= {each: one for each, one in options.items() if each not in by_default or one != by_default[each]}
    return {name.rstrip("_").replace("_", "-"): value for name, value in found.items()}


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "run.toml"
        path.write_text(text)
        return path

    return write


def test_the_command_line_counts_before_the_file(config):
    path = config('program = "tor"\nout = "a"\nlimit = 5\nmetric = ["acc", "contains"]\nset = { k = 8, width = 3 }\n')
    found = parsed("evaluate", "resp", "--config", path, "--limit", 7, "--metric", "judged", "--set", "k=2")
    assert found == {"program": "resp", "out": Path("a"), "limit": 7, "metric": ["judged"], "set": ["k=2", "width=3"]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("limi = 5", "unknown option 'limi'; did you mean 'limit'? Valid: actors, allow, api-base, "),
        ("budget_tokens = 5", "unknown option 'budget_tokens'; did you mean 'budget-tokens'? Valid: "),
        ('config = "other.toml"', "unknown option 'config'"),
        ("limit = { a = 5 }", 'limit is no table, not {"a":5}.'),
        ('set = ["k=8"]', 'set is a table, such as { NAME = VALUE }, not ["k=8"].'),
        ("limit = ?", "is not TOML: Invalid value (at line 1, column 9)."),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(config, text, sentence):
    path = config(text)
    with pytest.raises(InputError) as refused:
        parsed("evaluate", "tor", "--out", "a", "--config", path)
    said = str(refused.value)
    assert said.removeprefix(f"{path}: ").removeprefix(f"{path} ").startswith(sentence), said
    assert str(path) in said


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    code, _, said = run("evaluate", "--config", tmp_path / "none.toml")
    assert (code, said) == (2, f"multihop: {tmp_path / 'none.toml'} cannot be read: No such file or directory.\n")


@pytest.mark.parametrize("line", ["limit = 0", 'limit = "many"', "limit = true", "timeout = false"])
def test_a_value_that_the_option_does_not_take_is_refused_with_the_file(config, run, line):
    path = config(f'program = "tor"\nout = "a"\n{line}')
    code, _, said = run("evaluate", "--config", path)
    assert code == 2
    assert said.startswith("multihop: Invalid value")
    assert f" {line.partition(' ')[0]} " in said
    assert str(path) in said
    assert said.count("\n") == 1


def test_every_kind_of_option_can_stand_there(config):
    path = config(
        'program = "tor"\nout = "a"\nlimit = 5\ntimeout = 0.5\nreferences = true\nlm = "local"\nmetric = ["acc", "K"]\n'
        'set = { k = 8, rate = 0.5, on = true, widths = [5, 3], mode = "mpc" }\n'
    )
    assert parsed("evaluate", "--config", path) == {
        "program": "tor", "out": Path("a"), "limit": 5, "timeout": 0.5, "references": True, "lm": "local",
        "metric": ["acc", "K"], "set": ["k=8", "rate=0.5", "on=true", "widths=[5,3]", "mode=mpc"],
    }  # fmt: skip
