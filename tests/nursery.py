"""Processes that can be killed and do not each pay for their imports: they are forked from one that has made them."""

import contextlib
import multiprocessing
import os
import sys

IMPORTED = ["dspy", "multihop.cli.app", "multihop.evaluation", "multihop.optimize", "nursery"]


def start(work, *arguments):
    """A process of its own that does the work, which is a function of an imported module."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    process = context.Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


def run_command(*arguments):
    """Runs `multihop ARGUMENTS`, in silence."""
    from multihop.__main__ import main

    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        sys.exit(main(list(arguments)))


def run_where_told(errors, environment, *arguments):
    """Runs `multihop ARGUMENTS` with these variables; what it says of itself goes to the pipe `errors`."""
    from multihop.__main__ import main

    os.environ.update(environment)
    os.dup2(errors.fileno(), 2)
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115 - open until the process ends
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        sys.exit(main(list(arguments)))


def run_evaluation(folder, asked):
    """120 questions, four at a time, with a note in the file `asked` for each LM call."""
    import dspy
    from shelf import slow

    from multihop import Question, scripted
    from multihop.evaluation import evaluate
    from multihop.programs import Direct

    with open(asked, "a") as notes:

        def echo(prompt):
            notes.write(prompt.inputs["question"] + "\n")
            notes.flush()
            return {"answer": prompt.inputs["question"].rstrip("?")}

        questions = [Question(id=f"q{i}", question=f"word{i}?", answers=(f"word{i % 7}",)) for i in range(120)]
        with dspy.context(lm=slow(scripted(echo), 0.01)):
            evaluate(Direct(), questions, out=folder, concurrency=4)
