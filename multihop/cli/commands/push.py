"""`multihop push`: a saved program, shared with others."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.single import AsJSON


def push_command(
    program: Path,
    place: str,
    /,
    *,
    run: Path | None = None,
    public: Annotated[bool, Parameter(negative=())] = False,
    revision: str | None = None,
    licence: str | None = None,
    replace: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
) -> None:
    """Share a saved program on the Hugging Face hub, or in a folder.

    Two files are pushed: program.json, and README.md, the card, which says what the program is, what a run of it came
    to and cost, and how it is loaded. No key, no address and no path of this machine leaves it; a key in a prompt or a
    demonstration is refused. A new repository is private. The hub asks for a token: `hf auth login`, or HF_TOKEN.

    For example:

        multihop push resp.json hf://ada/films
        multihop push resp.json hf://ada/films-measured --run runs/resp --licence cc-by-sa-4.0 --public
        multihop push resp.json hf://ada/films --revision v2
        multihop push resp.json file:shared/films

    Parameters
    ----------
    program
        The saved program's file.
    place
        hf://OWNER/NAME, or file:FOLDER.
    run
        The folder of a finished run of the program, whose figures go on the card.
    public
        Let everybody read it; a new repository is private otherwise.
    revision
        A branch of the repository, which is made if it is not there.
    licence
        The licence of what is pushed, by its short name on the hub, such as cc-by-sa-4.0: demonstrations hold texts of
        the training questions and their pages.
    replace
        Put it in the place of a program that is there.
    """
    from ...optimize import push
    from ..showing.output import print_json, print_line

    pushed = push(program, place, run=run, public=public, revision=revision, licence=licence, replace=replace)
    if json:
        print_json(pushed._asdict())
        return
    print_line(f"pushed {program} to {pushed.place} (sha256 {pushed.sha256})")
    for name, path in pushed.left_out.items():
        what = path if name == "corpus" else f"the folders of {path}"
        print_line(f"left out: {what}, which the file names as its {name}")
    print_line(f"see {pushed.at}")
