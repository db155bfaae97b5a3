"""Questions that a server's page offers: of a question file, of what is searched, or about some of its passages."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from ...base import InputError
from .inputs import Inputs

if TYPE_CHECKING:
    from ...data import Question

OFFERED = 3
"""Questions that are offered."""
LOOKED_AT = 200
"""Records among which they are looked for, from the start."""
LONGEST = 200
"""Characters of a question that is offered, and of a title that one is made of."""


def example_questions(inputs: Inputs, source: str | None, corpus: str) -> list[str]:
    """The questions, three at most.

    Args:
        inputs: Opens the source and the corpus.
        source: A question file, or what else `--questions` takes; by default the corpus itself, where it has questions.
        corpus: What is searched. Where it has no questions, each is about one of its passages.

    Raises:
        InputError: The source holds no questions.
    """
    from ...data.little.little import is_little

    if source is None and not is_little(corpus):
        return list(islice(_about_passages(inputs, corpus), OFFERED))
    return _unlike(islice(inputs.questions(source or corpus), LOOKED_AT))


def _unlike(questions: "Iterable[Question]") -> list[str]:
    """The first questions, of as many kinds as there are."""
    short = [each for each in questions if len(each.question) <= LONGEST]
    by_kind = {(each.type, each.hops): each.question for each in reversed(short)}
    firsts = [each.question for each in short if each.question in by_kind.values()]
    return list(dict.fromkeys([*firsts, *(each.question for each in short)]))[:OFFERED]


def _about_passages(inputs: Inputs, corpus: str) -> Iterable[str]:
    """A question about a passage, by its title; none where a server does not give its passages."""
    try:
        titles = [passage.title.strip() for passage in islice(inputs.passages(corpus), LOOKED_AT)]
    except InputError:
        return
    for title in dict.fromkeys(titles):
        if title and len(title) <= LONGEST:
            yield f"Who or what is {title}?"
