"""`multihop view`: runs as one HTML page that opens from disk."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.corpus import FileOptions
from ..options.single import AsJSON


def view_command(
    *runs: Path,
    to: Path | None = None,
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    files: FileOptions = FileOptions(),
    different_data: Annotated[bool, Parameter(negative=())] = False,
    open_: Annotated[bool, Parameter(name="--open", negative=())] = False,
    json: AsJSON = False,
) -> None:
    """Write runs, or a reproduced table, as one HTML page.

    The page holds all it needs: it opens from disk, asks no network, and can be sent as it is.

    For example:

        multihop view runs/first
        multihop view runs/first --corpus little --open
        multihop view runs/first runs/second --to compared.html

    Parameters
    ----------
    runs
        A run's folder, or several; the others are compared with the first. A folder of `--repeats` stands for its runs,
        a compiled program's file for its variants on the dev split; that of `multihop reproduce` is
        shown as its table.
    to
        The file; by default page.html in the folder, and for several, or for a file, comparison.html beside the first.
    corpus
        The corpus or index that was searched, for the texts of the passages; without it they are shown by title. The
        page of a study takes it where it shows searches, those that a paper shows.
    different_data
        Go on even if the runs were made on different question sets.
    open_
        Open the page in the browser.
    """
    import webbrowser

    from ...base import InputError
    from ...view import is_study, write_run_page, write_study_page
    from ..showing.output import tell_written

    if not runs:
        raise InputError("give the folder of a run, such as: multihop view runs/first")
    alone = len(runs) == 1 and not runs[0].is_file()
    by_default = runs[0] / "page.html" if alone else runs[0].parent / "comparison.html"
    target = to or by_default
    inputs = files.inputs(corpus)
    passages = None if corpus is None else lambda: inputs.passages(corpus)
    if len(runs) == 1 and is_study(runs[0]):
        path = write_study_page(runs[0], target, corpus=passages)
    else:
        path = write_run_page(runs, target, corpus=passages, different_data=different_data)
    tell_written([path], json=json)
    if open_:
        webbrowser.open(path.resolve().as_uri())
