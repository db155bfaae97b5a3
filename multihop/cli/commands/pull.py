"""`multihop pull`: a shared program, checked and written to a file."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.single import AsJSON


def pull_command(
    place: str,
    /,
    *,
    to: Path | None = None,
    revision: str | None = None,
    sha256: Annotated[list[str] | None, Parameter(negative=())] = None,
    replace: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
) -> None:
    """Fetch a shared program, check it, and write it to a file.

    Only program.json is fetched. It is written if it came whole, is a saved program and of a format that this version
    reads; nothing in it is run, and nothing that it names is contacted. Every command that takes a saved program's file
    takes such a place too.

    For example:

        multihop pull hf://ada/films
        multihop pull hf://ada/films --revision v2 --to programs/films-2.json
        multihop pull file:shared/films --to films-copied.json

    Parameters
    ----------
    place
        hf://OWNER/NAME, or file:FOLDER.
    to
        The file to write; by default NAME.json.
    revision
        A branch, a tag or a commit; by default the main branch.
    sha256
        The digest that the file must have, as `multihop push` and sha256sum print it; given more than once, one of
        them.
    replace
        Put it in the place of a file that is there.
    """
    from ...optimize import pull
    from ...optimize.compiled_for import compiled_for
    from ...optimize.saved_program import SavedProgram
    from ..showing.output import print_json, print_line

    pulled = pull(place, to, revision=revision, sha256=sha256, replace=replace)
    saved = SavedProgram.read(pulled.path)
    lm = compiled_for(saved.about)
    if json:
        print_json(
            {
                "wrote": pulled.path,
                "sha256": pulled.sha256,
                "program": saved.ours["program"],
                "lm": lm,
                "contacts": saved.reach.contacts,
                "not taken": pulled.not_taken,
            }
        )
        return
    print_line(f"wrote {pulled.path}: {saved.ours['program']}{f', compiled for {lm}' if lm else ''}")
    print_line(f"sha256 {pulled.sha256}")
    for name, address in saved.reach.contacts.items():
        print_line(f"it names {address} as its {name}, which is contacted only with --trust")
    if pulled.not_taken:
        print_line(f"left there: {', '.join(pulled.not_taken)}")
    print_line(f"multihop show {pulled.path} says what is in it", style="dim")
