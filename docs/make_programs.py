"""Writes multihop/cli/commands/programs.json: the list of programs that `multihop programs` shows, from their classes.

python docs/make_programs.py
"""

from pathlib import Path

import ujson

from multihop.cli.commands.programs import OURS, describe_program
from multihop.programs import PROGRAMS

FILE = Path(__file__).parents[1] / "multihop" / "cli" / "commands" / OURS.name


def listed() -> str:
    """The file's text."""
    ours = [describe_program(name, program) for name, program in PROGRAMS.items()]
    return ujson.dumps(ours, ensure_ascii=False, escape_forward_slashes=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(listed(), encoding="utf-8")
