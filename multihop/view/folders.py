"""Recognises the kind of a folder to show: a run, repeats, the variants of a compile, a study."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import GenericAlias
from typing import Annotated

from pydantic import AfterValidator

from ..base import InputError, read_small
from ..base.files import parsed
from ..evaluation.journal import HEADER, as_read
from ..experiments.study_table import RECORD, StudyRow, StudyTable

WORK = ".work"
"""The ending of the folder with the work of a compile, after the name of the program's file."""
UNCOMPILED = "zero-shot"
"""The variant that is the program as it was."""
Folder = str | os.PathLike[str]


def is_study(folder: Folder) -> bool:
    """True if the folder is that of `multihop reproduce`."""
    return (Path(folder) / RECORD).is_file()


def _inside(place: str) -> str:
    if Path(place).is_absolute() or ".." in Path(place).parts:
        raise ValueError("a row's folder lies in the study's")
    return place


_ROW = as_read(StudyRow, folder=Annotated[str, AfterValidator(_inside)])
_TABLE = as_read(StudyTable, rows=GenericAlias(list, (_ROW,)))


def read_study(folder: Folder) -> StudyTable:
    """The table of a study."""
    path = Path(folder) / RECORD
    what = "the table of a study (the same `multihop reproduce` writes it again)"
    table: StudyTable = parsed(_TABLE, read_small(path), path, what)
    return table


def runs_in(folders: Iterable[Folder]) -> list[Path]:
    """The runs' folders; one that holds repeats, or the variants of a compile, stands for all of these."""
    runs = [run for folder in folders for run in _runs_of(Path(folder))]
    if twice := [run for run in runs if runs.count(run) > 1]:
        raise InputError(f"{twice[0]} is given twice; give each run once.")
    return runs


def _runs_of(folder: Path) -> list[Path]:
    if folder.is_file():
        work = folder.with_name(f"{folder.name}{WORK}")
        if not (variants := _variants(work)):
            raise InputError(
                f"{folder} is a file; give the folder of a run, or a program with its {work.name} beside it."
            )
        return variants
    if is_study(folder):
        raise InputError(f"{folder} is a study, which has a page of its own; give it alone.")
    if (folder / HEADER).exists():
        return [folder]
    repeats = [each.parent for each in folder.glob(f"repeat-*/{HEADER}")]
    return sorted(repeats, key=lambda run: int(run.name.partition("-")[2])) or _variants(folder) or [folder]


def _variants(work: Path) -> list[Path]:
    """The runs of a compile on its dev split, the program as it was first of all."""
    runs = [each.parent for each in work.glob(f"dev/*/{HEADER}")]
    return sorted(runs, key=lambda run: (run.name != UNCOMPILED, run.name))
