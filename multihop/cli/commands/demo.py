"""`multihop demo`: the whole main job in a minute, with no key and no network."""

import shlex
from pathlib import Path

from ..options.amounts import AtLeastOne

VARIANTS = ("zero-shot", "labeled-3")
TO_LEARN = 20
"""Questions that every step has three demonstrations in."""
MADE = frozenset({"index", "tor.json", "tor.json.work", "runs"})
"""The files and folders that the demo makes in its folder."""


def demo_command(*, questions: AtLeastOne = 60, seed: int = 0, to: Path = Path("multihop-demo")) -> None:
    """Make a world, compile a program for it, compare, save, load in a fresh process, and ask.

    For example:

        multihop demo
        multihop demo --to elsewhere

    Parameters
    ----------
    questions
        How many questions the world holds; a third of them, and 20 at least, are there to learn from.
    seed
        The same seed gives the same world.
    to
        A folder for what the demo makes; that of an earlier demo is made anew.
    """
    import logging
    import subprocess
    import sys

    import dspy

    from ...base.muting import muted
    from ...base.terminal import Terminal
    from ...data import World
    from ...evaluation import compare, evaluate
    from ...evaluation.progress import Progress
    from ...lms import local
    from ...optimize import compile_variants, load
    from ...programs import OneStep, RankedRAG, TreeOfReviews
    from ...retrieval import BM25
    from ..opening.compiling import StageDisplay
    from ..opening.heap import heap_at_rest
    from ..opening.work_line import working
    from ..showing.few_shot import show_few_shot
    from ..showing.output import print_line
    from ..showing.results import show_results
    from ..showing.study_results import show_study

    folder = _emptied(to.expanduser())
    console, errors = Terminal(), Terminal(file=sys.stderr)
    logging.getLogger("dspy").setLevel(logging.ERROR)
    learned = max(TO_LEARN, questions // 3)
    world = World(questions=max(questions, learned + 1), seed=seed)
    with working("making and indexing a fictional world"):
        retriever = BM25.build(world.passages(), folder=folder / "index")
        all_questions = list(world.questions())
    console.print(f"1. a fictional world: {len(retriever):,} passages, {len(all_questions)} questions about them")
    print_line(f"   all that the demo makes is kept in {folder}\n", console)

    train, dev = all_questions[:learned], all_questions[learned:]
    lm, saved, index = local(), folder / "tor.json", str(folder / "index")
    console.print(
        "2. tor, compiled in two ways for `local`, the built-in LM: an extractive\n"
        "   reader of 22 million parameters, whose decisions demonstrations calibrate"
    )
    tree = TreeOfReviews(retriever, depth=2, widths=(4, 2))
    with dspy.context(lm=lm), StageDisplay(errors) as stages, muted(), heap_at_rest():
        study = compile_variants(
            tree, VARIANTS, train=train, dev=dev, to=saved, corpus=index, tell=stages.tell, watch=stages.watch
        )
    show_study(study, len(dev), console)
    before, after = (Path(f"{saved}.work") / "dev" / variant for variant in VARIANTS)
    show_few_shot(before, after, console)
    if compare(before, after).metrics["f1"].change.low <= 0:
        console.print(
            "why so little: demonstrations only move where `local` decides, it learns no more\n"
            "from them; any LM that follows prompts is compiled by the same call"
        )

    console.print("\n3. what was saved, beside one retrieval and reading, and ranked-rag")
    runs = {}
    with dspy.context(lm=lm):
        asked = {"one-step": OneStep(retriever), "ranked-rag": RankedRAG(retriever), "tor": load(saved)}
        for name, program in asked.items():
            shown = f"{name}, {study.best}" if name == "tor" else name
            progress = Progress(name, len(dev), errors)
            runs[shown] = evaluate(program, dev, out=folder / "runs" / name, progress=progress)
    show_results(runs, console)

    console.print("\n4. loaded in a fresh process and asked\n")
    sys.stdout.flush()
    question = dev[0]
    command = [sys.executable, "-m", "multihop", "ask", question.question, "--program", str(saved)]
    console.print(subprocess.run(command, capture_output=True, text=True, check=True).stdout, markup=False)
    console.print(f"the gold answer is “{question.answer}”, found by these hops:", style="dim")
    for hop in question.decomposition:
        console.print(f"  {hop.question} → [green]{hop.answer}[/]", highlight=False)

    console.print("\n5. all of it as a page, with every search drawn\n")
    page = f"multihop view {shlex.quote(str(folder / 'runs'))}/* --open"
    print_line(f"  {page}", console)


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
