"""What a command's `--corpus`, `--lm` and `--set` mean."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError

if TYPE_CHECKING:
    import dspy
    from rich.console import Console

    from ..data import Question
    from ..programs import Program
    from ..retrieval import Passage, Retriever

Item = TypeVar("Item")


def open_retriever(corpus: str) -> "Retriever":
    """The retriever for `world`, an index folder, or a corpus file, which is indexed on the spot.

    Raises:
        InputError: The corpus is none of these.
    """
    from ..data import open_retriever

    with working(f"opening {corpus}"):
        return open_retriever(corpus)


def open_passages(corpus: str) -> "Iterator[Passage]":
    """The passages of `world`, an index folder, or a corpus file, one at a time."""
    from ..data import open_corpus
    from ..retrieval import is_index, open_index

    return iter(open_index(corpus)) if is_index(corpus) else open_corpus(corpus)


class Questions:
    """The questions of a source, read anew each time they are gone through, so that none need be kept."""

    def __init__(self, source: str) -> None:
        """Count them, which also finds what is wrong with the file before anything is asked."""
        self.source = source
        self._count = sum(1 for _ in self)

    def __iter__(self) -> "Iterator[Question]":
        from ..data import open_questions

        return open_questions(self.source)

    def __len__(self) -> int:
        return self._count


def open_lm_named(
    name: str,
    settings: list[str] | None,
    *,
    api_base: str | None,
    questions: Iterable["Question"] = (),
    corpus: str = "world",
    seed: int = 0,
) -> "dspy.LM":
    """The LM by name with its parameters as written on the command line; `simulated` needs the questions and corpus."""
    from ..models import open_lm, simulated
    from ..programs.settings import parse_settings

    options = parse_settings(settings or [])
    if name != "simulated":
        return open_lm(name, api_base=api_base, **options)
    if api_base is not None:
        raise InputError("LM 'simulated' runs in this process; it takes no --api-base.")
    try:
        return simulated(questions, open_passages(corpus), **{"seed": seed, **options})
    except TypeError as error:
        raise InputError(f"LM 'simulated' does not take all of {', '.join(options)}: {error}.") from None


def open_step_lms(pairs: list[str] | None, open_lm: Callable[[str], "dspy.LM"]) -> dict[str, Any]:
    """The setting `lms` for LMs written as step=LM; nothing where there are none."""
    lms = {}
    for pair in pairs or ():
        step, equals, name = pair.partition("=")
        if not (equals and step.strip() and name.strip()):
            raise InputError(f"the LM of a step is written step=LM, not '{pair}'.")
        lms[step.strip()] = open_lm(name.strip())
    return {"lms": lms} if lms else {}


def is_artefact(program: str) -> bool:
    """Whether this is a saved program's file rather than a program's name."""
    return program.endswith(".json") or Path(program).is_file()


def corpus_of(program: str, corpus: str | None) -> str:
    """The corpus given, the one a saved program names, or the world."""
    if corpus is None and is_artefact(program):
        from ..optimize.artefact import read

        corpus = read(program)["metadata"]["multihop"]["corpus"]
    return corpus or "world"


def open_program(name: str, corpus: str | None, settings: list[str] | None, **limits: Any) -> "Program":
    """The program by name, or from a saved program's file, with its settings as written on the command line."""
    from ..programs import Budget, create, program_named
    from ..programs.settings import check_setting, parse_settings, settings_of

    given = {**parse_settings(settings or []), **{name: limit for name, limit in limits.items() if limit != Budget()}}
    if is_artefact(name):
        from ..optimize import load

        return load(name, None if corpus is None else open_retriever(corpus), settings=given)
    program = program_named(name)
    for setting, value in given.items():  # before the corpus is opened, which may take long
        check_setting(name, setting, value, settings_of(program))
    return create(name, open_retriever(corpus or "world") if program.retrieves else None, **given)


@contextmanager
def quiet() -> Iterator[None]:
    """Without what libraries write to the terminal on their way: DSPy's optimizers print and draw bars."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner on a terminal while something takes its time; nothing elsewhere."""
    return _stderr().status(f"{what} …")


@contextmanager
def counting(what: str, items: Iterable[Item]) -> Iterator[Iterator[Item]]:
    """The items, with a running count on the terminal while they are consumed."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:,}"), TimeElapsedColumn())
    console = _stderr()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield iter(progress.track(items, description=what, total=None))


def _stderr() -> "Console":
    from rich.console import Console

    return Console(file=sys.stderr)
