"""A run's rankings in TREC's two formats, for the tools that read them."""

import os
import re
from pathlib import Path
from urllib.parse import quote

from ..base import DamagedFileError, InputError, writing
from .journal.journal import read_header, read_rows
from .report.report import program_name


def write_trec(folder: str | os.PathLike[str], to: str | os.PathLike[str] | None = None) -> tuple[Path, Path]:
    """Write run.trec (`question Q0 passage rank score name`) and qrels.trec (`question 0 passage 1`).

    TREC's tools order by score, and a program's order need not be that of its retrievals' scores, so the score written
    is the reciprocal rank. Spaces in ids are written as %20, and a "%" as %25, so that no two ids become one.

    Args:
        folder: The run's folder.
        to: The folder to write to; the run's own by default.

    Raises:
        InputError: The folder holds no run, or a damaged one; or `to` is a file.
    """
    name = _token(program_name(read_header(folder)))
    target = Path(folder if to is None else to).expanduser()
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give --to a folder.")
    run, qrels = target / "run.trec", target / "qrels.trec"
    last: dict[str, tuple[list[str], list[str]]] = {}  # of a question asked again, the last row counts
    for row in read_rows(folder):
        try:
            last[row["id"]] = [passage for passage, _ in row["passages"]], list(row["supporting"])
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFileError(
                f"{folder}: the row of question '{row['id']}' has no ranking that can be read."
            ) from error
    with writing(run) as ranked, writing(qrels) as gold:
        for identifier, (passages, supporting) in last.items():
            question = _token(identifier)
            for rank, passage in enumerate(dict.fromkeys(passages), 1):
                ranked.write(f"{question} Q0 {_token(passage)} {rank} {1 / rank:.6g} {name}\n")
            for passage in dict.fromkeys(supporting):
                gold.write(f"{question} 0 {_token(passage)} 1\n")
    return run, qrels


def _token(identifier: str) -> str:
    return re.sub(r"[\s%]", lambda found: quote(found[0]), identifier)
