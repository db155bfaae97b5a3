"""`multihop world`: a fictional encyclopedia with multi-hop questions, written to a folder."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.single import AsJSON, AtLeastOne, AtMost


def world_command(
    *,
    to: Path,
    questions: AtLeastOne = 200,
    passages: AtMost = None,
    seed: int = 0,
    unanswerable: Annotated[float, Parameter(validator=Number(gte=0, lte=0.5))] = 0.0,
    json: AsJSON = False,
) -> None:
    """Generate a fictional world: a corpus and questions about it.

    For example:

        multihop world --to worlds/small
        multihop world --questions 1000 --passages 1000000 --seed 7 --to worlds/large
        multihop world --questions 1000 --unanswerable 0.2 --to worlds/refusing

    Parameters
    ----------
    to
        The folder to write corpus.jsonl and questions.jsonl to.
    questions
        How many questions.
    passages
        How many paragraphs at least; by default as many as the questions need, and some to mislead.
    seed
        The same seed gives the same world.
    unanswerable
        The share of questions that cannot be answered, since a page that each takes is missing; at most a half.
    """
    from ...data import World
    from ..opening.work_line import working
    from ..showing.output import tell_written

    to = to.expanduser()
    with working(f"writing {to}"):
        World(questions=questions, passages=passages, seed=seed, unanswerable=unanswerable).write(to)
    tell_written([to / "corpus.jsonl", to / "questions.jsonl"], json=json)
