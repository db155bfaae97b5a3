"""`multihop demo`: a question, its search, three methods compared, and a page of it all; no key and no network."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..shared_options import AtLeastOne

ASKED = "einstein-river"
"""The question that is asked first."""
COMPARED = ("one-step", "ranked-rag", "tor")
PAGE = "searches.html"
MADE = frozenset({"runs", PAGE})
"""The files and folders that the demo makes in its folder."""


def demo_command(
    *,
    questions: AtLeastOne = 40,
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
    import sys
    import webbrowser

    import dspy

    from ...base.terminal import Terminal
    from ...data import Little
    from ...evaluation import compare, evaluate
    from ...evaluation.progress import Progress
    from ...lms import local
    from ...programs import create
    from ...retrieval import BM25
    from ...runtime import cite
    from ...view import write_run_page
    from ..output import print_line
    from ..process import working
    from ..show_answer import show_prediction
    from ..show_results import show_results

    folder = _emptied(to.expanduser())
    console, errors, lm = Terminal(), Terminal(file=sys.stderr), local()
    little = Little()
    known = list(little.questions())
    asked = next(each for each in known if each.id == ASKED)
    with working("indexing the little encyclopedia"):
        pages = list(little.passages())
        retriever = BM25.build(pages)
    programs = {name: create(name, retriever) for name in COMPARED}

    console.print(f"1. {len(pages)} pages of true facts, and a question that none of them answers alone\n")
    with dspy.context(lm=lm):
        with working("Tree of Reviews is answering"):
            prediction, once = (programs[name](question=asked.question) for name in ("tor", "one-step"))
        show_prediction(asked.question, programs["tor"], lm.model, prediction, cite(asked.question, prediction))
        console.print(f"\nright is “{asked.answer}”; one retrieval, read once, answers “{once.answer}”", markup=False)

        count = min(questions, len(known))
        console.print(f"\n2. three methods over {count} of its questions; the built-in LM reads")
        runs = {}
        for name, program in programs.items():
            progress = Progress(name, count, errors)
            runs[name] = evaluate(program, known[:count], out=folder / "runs" / name, progress=progress)
    show_results(runs, console)
    for name in COMPARED[1:]:
        change = compare(runs[COMPARED[0]].folder, runs[name].folder).metrics["f1"].change
        mean, low, high = (100 * each for each in (change.mean, change.low, change.high))
        console.print(f"{name} over {COMPARED[0]}: F1 {mean:+.1f} [{low:+.1f}, {high:+.1f}]", markup=False)
    console.print("so few questions are a first sight, not a result")

    page = write_run_page([run.folder for run in runs.values()], folder / PAGE, corpus=lambda: pages)
    console.print("\n3. every question and every search as a page, which stays here:\n")
    print_line(f"   {page.resolve()}", console)
    if open_:
        webbrowser.open(page.resolve().as_uri())


def _emptied(folder: Path) -> Path:
    """The folder without what an earlier demo made; one that holds anything else is refused."""
    import shutil

    from ...base import InputError

    if folder.is_dir():
        others = sorted(path.name for path in folder.iterdir() if path.name not in MADE and path.name[0] != ".")
        if others:
            raise InputError(f"{folder} holds '{others[0]}', which no demo made; give another folder with --to.")
        for path in (folder / name for name in MADE):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    elif folder.exists():
        raise InputError(f"{folder} is a file; give a folder with --to.")
    return folder
