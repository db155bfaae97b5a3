"""The help of every command fits the terminal, and looks as tests/golden shows it."""

import re
from itertools import pairwise

import pytest
from golden import check_picture

from multihop.cli.app import COMMAND_GROUPS, COMMANDS
from multihop.cli.help_page import GROUPS, OWN

WIDTHS = [80, 100, 160]


@pytest.fixture
def shown(run, monkeypatch):
    """The output in a terminal of this width."""

    def shown(width, *arguments):
        monkeypatch.setenv("COLUMNS", str(width))
        code, out, _ = run(*arguments)
        assert code == 0
        return out

    return shown


def words(page):
    return re.sub(r"╭─.*|╰─.*|│", "", page).split()


@pytest.mark.grid
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_help_fits_the_terminal_and_cuts_no_word(command, width, shown):
    page = shown(width, *command.split(), "--help")
    assert [line for line in page.splitlines() if len(line.rstrip()) > width and line[:4].strip()] == []
    assert sorted(words(page)) == sorted(words(shown(1000, *command.split(), "--help")))


@pytest.mark.grid
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_line_of_a_text_ends_where_the_next_word_has_no_room(command, width, shown):
    text = shown(width, command, "--help").partition("\n\n")[2].partition("For example:")[0]
    for paragraph in text.strip().split("\n\n"):
        lines = paragraph.splitlines()
        for line, following in pairwise(lines):
            assert len(line) + 1 + len(following.split()[0]) > width


def titles(page):
    return re.findall(r"╭─ ([A-Za-z ]+?) ─", page)


def test_options_stand_in_groups(shown):
    found = titles(shown(100, "evaluate", "--help"))
    assert found == ["Arguments", *GROUPS]
    assert titles(shown(100, "ask", "--help"))[:3] == ["Arguments", "Corpus", "Program"]


def test_commands_stand_in_groups(shown):
    page = shown(100, "--help")
    assert titles(page) == [*COMMAND_GROUPS, OWN]
    listed = [line.split()[1] for line in page.splitlines() if re.match(r"│ [a-z]", line)]
    assert listed == list(COMMANDS)
    assert listed[:2] == ["demo", "ask"]
    assert page.index("-v") > page.index("view ")


def test_an_option_that_stands_in_a_group_is_one_of_a_command(shown):
    pages = "".join(shown(100, command, "--help") for command in COMMANDS)
    assert [name for names in GROUPS.values() for name in names.split() if f" --{name} " not in pages] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_empties_a_list(command, shown):
    assert "--empty-" not in shown(100, command, "--help")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("arguments", ["--help", "evaluate --help"])
def test_a_help_looks_as_its_picture(arguments, width, shown):
    name = arguments.replace("--", "").replace(" ", "-")
    check_picture(f"{name}-{width}", shown(width, *arguments.split()))
