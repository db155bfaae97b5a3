"""The run that a card tells of: it must be one of the very program that is shared."""

import os
from typing import Any, NamedTuple

import ujson

from ...base import InputError, MismatchError
from ...evaluation import open_run
from ...evaluation.journal.header import Header
from ...evaluation.journal.journal import read_header
from ...evaluation.report.report import program_name
from ...evaluation.report.summary import Summary
from ..saved_program import SavedProgram


class MeasuredRun(NamedTuple):
    """A finished run of a saved program."""

    header: Header
    """What was asked of whom."""
    summary: Summary
    """What it came to."""

    @property
    def source(self) -> str:
        """The questions, by the name that the header has for them."""
        return self.header.get("source") or "questions of its own"


def measured_run(folder: str | os.PathLike[str], saved: SavedProgram) -> MeasuredRun:
    """The run in the folder, if it is a finished one of the program.

    Raises:
        InputError: It is no finished run, or one of another program, of other settings or of other prompts.
    """
    header = read_header(folder)
    asked: Any = header["identity"]["program"]
    if (other := program_name(header)) != saved.ours["program"]:
        raise MismatchError(f"{folder} is a run of '{other}', and {saved.path} holds '{saved.ours['program']}'.")
    same = f"give --run a run of the file as it is: multihop evaluate {saved.path} --out FOLDER"
    known = {**saved.settings, **saved.ours.get("fingerprints", {})}
    for name, value in asked.get("settings", {}).items():
        if name in known and known[name] != value:
            here, there = ujson.dumps(value), ujson.dumps(known[name])
            raise MismatchError(f"{folder} was made with {name} = {here}, and {saved.path} has {there}; {same}.")
    if _prompts_asked(asked) != _prompts_of(saved):
        raise MismatchError(f"{folder} was made with other prompts than those of {saved.path}; {same}.")
    run = open_run(folder)
    if header["status"] != "finished" or not run.summary["n_ok"] + run.summary["n_over_budget"]:
        raise InputError(f"{folder} is not finished; give the command that began it again, and then push.")
    return MeasuredRun(header, run.summary)


def _prompts_asked(program: dict[str, Any]) -> dict[str, Any]:
    """The instructions and demonstrations of a run, by step."""
    return {step: (prompt["instructions"], prompt["demos"]) for step, prompt in program["prompts"].items()}


def _prompts_of(saved: SavedProgram) -> dict[str, Any]:
    """The same of a saved program, as a run writes them down."""
    return {
        step: (
            saved.content[step]["signature"]["instructions"],
            [{name: str(value) for name, value in demo.items()} for demo in saved.content[step]["demos"]],
        )
        for step in saved.ours["fields"]
    }
