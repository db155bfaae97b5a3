"""`multihop data`: the question sets that are known by name, and one of them fetched."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..options.single import Quiet


def data_command(
    action: Literal["list", "get"],
    name: str | None = None,
    /,
    *,
    to: Path | None = None,
    split: Annotated[list[str] | None, Parameter(negative=())] = None,
    from_: Annotated[Path | None, Parameter(name="--from")] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    quiet: Quiet = False,
) -> None:
    """List the known question sets, or get one and its corpus.

    Those that come with the library are listed first and need not be got: other commands take them by their names.

    What is got is questions in multihop's own rows, a file for each split, corpus.jsonl, and set.json with the licence,
    the sources and the checksums. The same command again goes on where it stopped, and checks what is there.

    For example:

        multihop data list
        multihop data list --json
        multihop data get hotpotqa-1000 --to data/hotpotqa-1000
        multihop data get hotpotqa --split dev --to data/hotpotqa
        multihop data get hotpotqa --split dev --from downloads/hotpot_qa --to data/hotpotqa-copied

    Parameters
    ----------
    action
        "list" or "get".
    name
        For get: the set's name, as in the list.
    to
        For get: the folder to write, a new or an empty one.
    split
        For get: only this split, such as dev, and the corpus; may be given more than once.
    from_
        For get: a folder with a copy of the set's repository as it is on the hub, for machines without a network; or
        with the makers' files of a set that is not on the hub, such as the folder of IRCoT's repository after its
        downloads.
    json
        For list: print one JSON array instead.
    """
    from ...base import InputError
    from ...base.terminal import Terminal
    from ...data import fetch_set, known_set
    from ...data.little.little import is_little
    from ..opening.this_process import resumable
    from ..showing.known_sets import known_sets_as_json, show_known_sets, show_set

    if action == "list":
        if name is not None or to is not None or split or from_ is not None:
            raise InputError(
                "`multihop data list` takes nothing but --json; to get a set: multihop data get NAME --to FOLDER."
            )
        if json:
            known_sets_as_json()
        else:
            show_known_sets(Terminal())
        return
    if json:
        raise InputError("--json goes with `multihop data list`; set.json in the folder says the same of a set.")
    if name is None or to is None:
        raise InputError(
            "say which set and where: multihop data get NAME --to FOLDER; `multihop data list` lists the sets."
        )
    if is_little(name):
        raise InputError(f"{name} comes with the library; give --questions {name} and --corpus {name} as they are.")
    with resumable(f"{to} keeps what has come"):
        record = fetch_set(name, to, splits=split or (), copy=from_)
    show_set(record, known_set(name), to, Terminal())
