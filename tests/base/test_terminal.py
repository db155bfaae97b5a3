import io
import re
import sys
import threading
from pathlib import Path

import pytest
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

import multihop
from multihop.base.terminal import Terminal, muted

ATTACK = "Emma \x1b]52;c;Y3VybA==\x07\x9b2J"
ROOMS = ("base", "cli", "evaluation", "experiments", "view", "serve", "training")


def boxed(text):
    table = Table("title", "score")
    table.add_row(text, "1")
    return table


@pytest.mark.parametrize("drawn", [Text, boxed, lambda text: Padding(Text(text), 1), str])
def test_texts_command_no_terminal_however_they_are_drawn(drawn):
    out = io.StringIO()
    Terminal(file=out, width=60).print(drawn(ATTACK), markup=False)
    assert "Emma ␛]52;c;Y3VybA==" in out.getvalue()
    assert drawn is not boxed or len({len(line) for line in out.getvalue().splitlines()}) == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out.getvalue())


def test_colours_and_moving_lines_are_drawn_as_ever():
    out = io.StringIO()
    terminal = Terminal(file=out, width=60, force_terminal=True, color_system="standard")
    terminal.print("Emma", style="bold red")
    terminal.show_cursor(False)
    assert out.getvalue() == "\x1b[1;31mEmma\x1b[0m\n\x1b[?25l"


def test_nothing_is_printed_past_it():
    home = Path(multihop.__file__).parent
    files = [file for room in ROOMS for file in (home / room).rglob("*.py")]
    made = {file.name for file in files if re.search(r"(?<![\w.])Console\(", file.read_text(encoding="utf-8"))}
    assert made == set()


def test_the_block_and_its_threads_are_not_heard(capsys):
    with muted():
        sys.stdout.write("here")
        sys.stderr.write("an error")
        thread = threading.Thread(target=lambda: sys.stdout.write("in a thread"))
        thread.start()
        thread.join()
        assert not sys.stdout.isatty()
    with pytest.raises(KeyError), muted(prints=False):
        sys.stdout.write("a result, ")
        sys.stderr.write("progress")
        raise KeyError
    sys.stdout.write("after")
    assert capsys.readouterr() == ("a result, after", "")


def test_a_thread_that_was_there_before_goes_on_speaking(capsys):
    begun, go_on = threading.Event(), threading.Event()

    def speak():
        begun.set()
        assert go_on.wait(30)
        sys.stdout.write("an answer")
        sys.stderr.write("a warning")

    other = threading.Thread(target=speak)
    other.start()
    assert begun.wait(30)
    with muted():
        go_on.set()
        other.join()
    assert capsys.readouterr() == ("an answer", "a warning")
