"""`multihop demo`: the whole main job in a minute, with no key and no network."""

import shlex
from pathlib import Path

from ..terminal.amounts import AtLeastOne

VARIANTS = ("zero-shot", "labeled-3")
TO_LEARN = 20
"""Questions that every step has three demonstrations in."""


def demo_command(*, questions: AtLeastOne = 60, seed: int = 0, to: Path | None = None) -> None:
    """Make a world, compile a program for it, compare, save, load in a fresh process, and ask.

    For example:

        multihop demo
        multihop demo --to demo     # and keep what it makes

    Parameters
    ----------
    questions
        How many questions the world holds; a third of them, and 20 at least, are there to learn from.
    seed
        The same seed gives the same world.
    to
        A folder for what the demo makes; a temporary one by default.
    """
    import logging
    import subprocess
    import sys
    import tempfile

    import dspy
    from rich.console import Console

    from ..data import World
    from ..evaluation import evaluate
    from ..models import local
    from ..optimize import compile_variants, load
    from ..programs import EfficientRAG, OneStep, TreeOfReviews
    from ..retrieval import BM25
    from ..terminal.few_shot import show_few_shot
    from ..terminal.results import show_results
    from ..terminal.sources import muted, working
    from ..terminal.study_results import show_study

    console = Console()
    logging.getLogger("dspy").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="multihop-demo-") as scratch:
        folder = to.expanduser() if to else Path(scratch)
        learned = max(TO_LEARN, questions // 3)
        world = World(questions=max(questions, learned + 1), seed=seed)
        with working("making and indexing a fictional world"):
            retriever = BM25.build(world.passages(), folder=folder / "index")
            all_questions = list(world.questions())
        console.print(f"1. a fictional world: {len(retriever):,} passages, {len(all_questions)} questions about them\n")

        train, dev = all_questions[:learned], all_questions[learned:]
        lm, saved, index = local(), folder / "tor.json", str(folder / "index")
        tree = TreeOfReviews(retriever, depth=2, widths=(4, 2))
        with dspy.context(lm=lm), working("compiling tor"), muted():
            study = compile_variants(tree, VARIANTS, train=train, dev=dev, to=saved, corpus=index)
        console.print(
            "2. tor, compiled in two ways for `local`, the built-in LM: an extractive\n"
            "   reader of 22 million parameters, whose decisions demonstrations calibrate"
        )
        show_study(study, len(dev), console)
        before, after = (Path(f"{saved}.work") / "dev" / variant for variant in VARIANTS)
        show_few_shot(before, after, console)

        console.print("\n3. what was saved, beside one retrieval and reading, and EfficientRAG")
        runs = {}
        with dspy.context(lm=lm), working("evaluating"):
            asked = {"one-step": OneStep(retriever), "efficientrag": EfficientRAG(retriever), "tor": load(saved)}
            for name, program in asked.items():
                shown = f"{name}, {study.best}" if name == "tor" else name
                runs[shown] = evaluate(program, dev, out=folder / "runs" / name, progress=False)
        show_results(runs, console)

        console.print("\n4. loaded in a fresh process and asked\n")
        sys.stdout.flush()
        question = dev[0]
        command = [sys.executable, "-m", "multihop", "ask", question.question, "--program", str(saved)]
        console.print(subprocess.run(command, capture_output=True, text=True, check=True).stdout, markup=False)
        console.print(f"the gold answer is “{question.answer}”, found by these hops:", style="dim")
        for hop in question.decomposition:
            console.print(f"  {hop.question} → [green]{hop.answer}[/]", highlight=False)

        kept = to or Path("demo")
        view = " ".join(["multihop view", *(shlex.quote(str(kept / "runs" / name)) for name in asked), "--open"])
        console.print("\n5. all of it as a page, with every search drawn\n")
        command_line = view if to else f"multihop demo --to {kept} && {view}"
        console.print(f"  {command_line}", soft_wrap=True, highlight=False, markup=False)
