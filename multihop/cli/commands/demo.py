"""`multihop demo`: a question with its search, three methods in one table, a page of it all; no key and no network."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...base import InputError
from ..output import print_line
from ..shared_options import AtLeastOne

ASKED = "Which river flows through the city where Albert Einstein was born?"
COMPARED = ("one-step", "ranked-rag", "tor")
PAGE = "searches.html"
MADE = frozenset({*COMPARED, PAGE})
"""The files and folders that the demo makes in its folder."""


def demo_command(
    *,
    questions: AtLeastOne = 20,
    to: Path = Path("multihop-demo"),
    open_: Annotated[bool, Parameter(name="--open", negative=())] = False,
) -> None:
    """Ask the little encyclopedia, compare three methods, and leave a page of every search.

    For example:

        multihop demo
        multihop demo --to elsewhere --open

    Parameters
    ----------
    questions
        How many of the forty questions the methods are compared on.
    to
        A folder for what the demo makes; that of an earlier demo is made anew.
    open_
        Open the page in the browser.
    """
    from ..app import run_command

    folder = _emptied(to.expanduser())
    asked = ["ask", ASKED, "--program", "tor"]
    print_line(f"$ multihop {shlex.join(asked)}\n", style="bold")
    run_command([*asked, "--corpus", "little", "--lm", "local", "--quiet"])
    given = ["evaluate", ",".join(COMPARED), "--limit", str(questions), "--out", str(folder)]
    print_line(f"\n$ multihop {shlex.join(given)}", style="bold")
    given += ["--questions", "little", "--corpus", "little", "--lm", "local"]
    run_command(given if sys.stderr.isatty() else [*given, "--quiet"])
    page = ["view", *(f"{folder}/{name}" for name in COMPARED), "--corpus", "little", "--to", str(folder / PAGE)]
    run_command([*page, *(["--open"] if open_ else [])])
    print_line("so few questions are a first sight, not a result; the page shows every search")


def _emptied(folder: Path) -> Path:
    """The folder without what an earlier demo made; one that holds anything else is refused."""
    if folder.is_dir():
        others = sorted(path.name for path in folder.iterdir() if path.name not in MADE and path.name[0] != ".")
        if others:
            raise InputError(f"{folder} holds '{others[0]}', which no demo made; give another folder with --to.")
        for path in (folder / name for name in MADE):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    elif folder.exists():
        raise InputError(f"{folder} is a file; give a folder with --to.")
    return folder
