"""Holds tables of pages against the commands above them: figures that need no LM, simulated ones and `local`'s.

    python docs/make_figures.py --check                        # reruns all: half an hour of one core
    python docs/make_figures.py --check docs/methods/resp.md   # those of one page
    python docs/make_figures.py --fill docs/methods/resp.md    # writes what is printed now into the page
    python docs/make_figures.py --check --small                # of three questions, beside a record; so do tests

A `bash` block of nothing but scripts of benchmarks/ is followed by the table that they print, to the digit; a table
without such a block before it is not looked at. What people wrote stays: rows of the paper, and its figures in
brackets. Columns whose head begins with "seconds" or "x " are times of one machine, and are not compared; where `local`
or an encoder takes part, another kind of processor may round its sums otherwise. The sets are in ../shared/data.
"""

import argparse
import importlib.util
import io
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
SHARED = DOCS.parents[1] / "shared" / "data"
SMALL = DOCS / "records" / "figures-small.txt"
"""The simulated tables of few questions."""
BLOCK = re.compile(r"^```bash\n((?:python benchmarks/.*\n)+)```\n\n((?:\|.*\n)+)", re.M)
PUBLISHED = re.compile(r" \(\d[\d.]*\)$")
TIMES = ("seconds", "x ")
Table = list[list[str]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or write; returns the exit status, 1 where a digit differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--check", action="store_true", help="say what differs; exit code 1 where something does")
    how.add_argument("--fill", action="store_true", help="write what is printed now")
    parser.add_argument("--small", action="store_true", help="of few questions, beside the record of that")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="all that have such tables, unless given")
    given = parser.parse_args(arguments)
    if not SHARED.is_dir():
        parser.error(f"the question sets are not there: {SHARED}")
    differ = 0
    for page in [SMALL] if given.small else given.pages or sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = BLOCK.sub(filled, text)
        for was, now in zip(text.splitlines(), new.splitlines(), strict=True):
            if was != now:
                differ += 1
                sys.stdout.write(f"{page.name}\n  there: {was}\n  now:   {now}\n")
        if given.fill:
            page.write_text(new, encoding="utf-8")
    sys.stdout.write(f"{differ} lines differ\n")
    return 1 if differ and given.check else 0


def filled(block: re.Match[str]) -> str:
    """A block and its table as its commands print it now."""
    head, rule, *rows = as_table(block[2])
    found = [row for command in block[1].splitlines() for row in as_table(printed(command))[2:]]
    ours = [row for row in rows if not row[0].startswith("the paper")]
    if len(found) != len(ours):
        raise SystemExit(f"{block[1]}prints {len(found)} rows, and the page has {len(ours)}")
    new = iter(found)
    table = [head, rule, *(merged(head, row, next(new)) if row in ours else row for row in rows)]
    lines = "".join(f"| {' | '.join(row)} |\n" for row in table)
    return f"```bash\n{block[1]}```\n\n{lines}"


def merged(head: list[str], shown: list[str], now: list[str]) -> list[str]:
    """A row as it is now, with what is the page's own."""
    cells = zip(head, shown, now, strict=True)
    return [
        was if name.startswith(TIMES) else cell + (found[0] if (found := PUBLISHED.search(was)) else "")
        for name, was, cell in cells
    ]


def as_table(text: str) -> Table:
    """The cells of the lines of a table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def printed(command: str) -> str:
    """The output of a command."""
    _, path, *arguments = shlex.split(command)
    written = io.StringIO()
    with redirect_stdout(written):
        script(DOCS.parent / path).main([*arguments, "--shared", str(SHARED)])
    return written.getvalue()


@cache
def script(path: Path) -> Any:
    """The module of a script; one for all its commands, so that it opens a corpus once."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"there is no script {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
