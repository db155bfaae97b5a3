"""The help of every command: it fits a terminal of 80 columns, says each option, and its examples can be pasted."""

import io
import re
from contextlib import redirect_stdout
from importlib import import_module

import pytest
from cyclopts import App
from golden import check_picture

from multihop.__main__ import main
from multihop.cli.app import COMMAND_GROUPS, COMMANDS, FILES
from multihop.cli.help_page import GROUPS, OWN

WIDE = 1000


def help_of(command, width):
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
        patch.setenv("COLUMNS", str(width))
        assert main([*command.split(), "--help"]) == 0
    return out.getvalue()


@pytest.fixture(scope="module")
def pages():
    """The help of the whole command line, under "", and of each command, by its width."""
    return {width: {command: help_of(command, width) for command in ("", *COMMANDS)} for width in (80, WIDE)}


def function_of(command):
    return getattr(import_module(f"multihop.cli.commands.{FILES.get(command, command)}"), f"{command}_command")


def words(page):
    return re.sub(r"╭─.*|╰─.*|│", "", page).split()


def examples(page):
    text = page.partition("For example:")[2].partition("╭")[0]
    return [line.strip() for line in re.sub(r" \\\n +", " ", text).splitlines() if line.strip()]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_help_fits_the_terminal_and_cuts_no_word_and_no_example(command, pages):
    page, wide = pages[80][command], pages[WIDE][command]
    assert [line for line in page.splitlines() if len(line.rstrip()) > 80 and line[:4].strip()] == []
    assert sorted(words(page)) == sorted(words(wide))
    assert examples(page) == examples(wide) != []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help_and_none_empties_a_list(command, pages):
    shown = " ".join(pages[WIDE][command].split()).lower()
    app = App(name="x", result_action="return_value")
    app.default(function_of(command))
    for argument in app.assemble_argument_collection(parse_docstring=True):
        if argument.children:
            continue  # a group of options
        assert argument.parameter.help, f"{command} {argument.name}"
        assert argument.name.lstrip("-").lower() in shown
    assert "--empty-" not in shown


def titles(page):
    return re.findall(r"╭─ ([A-Za-z ]+?) ─", page)


def test_options_and_commands_stand_in_groups(pages):
    assert titles(pages[80]["evaluate"]) == ["Options", *GROUPS]
    assert titles(pages[80]["ask"])[:3] == ["Arguments", "Corpus", "Program"]
    together = "".join(pages[WIDE].values())
    assert [name for names in GROUPS.values() for name in names.split() if f" --{name} " not in together] == []
    assert titles(pages[80][""]) == [*COMMAND_GROUPS, OWN]


def test_the_commands_are_listed_with_the_first_lines_of_their_own_help(pages, run, monkeypatch):
    check_picture("help", pages[80][""])
    page = pages[WIDE][""]
    listed = [line.strip("│ \n") for line in page.splitlines() if re.match(r"│ [a-z]", line)]
    assert [line.split()[0] for line in listed] == COMMANDS
    assert [line.partition(" ")[2].strip() for line in listed] == [
        function_of(command).__doc__.partition("\n")[0] for command in COMMANDS
    ]
    assert page.index("-v") > page.index("view ")
    monkeypatch.setenv("COLUMNS", str(WIDE))
    assert run("-h") == run() == (0, page, "")
    assert run("--version")[1].strip()
    assert "Replace the passages of an index that have the ids of new ones." in run("index", "--help")[1]
