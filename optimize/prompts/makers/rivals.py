"""Wrong answers of the right kind: what a reader could take for the answer."""

import re
from collections.abc import Iterator, Sequence

from ....data.gold import GoldPath
from ....data.gold.whole_words import occurrences
from ....retrieval import Passage

_DAY = r"(?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2},?) \d{4}"
_KINDS = (
    ("yes or no", re.compile(r"yes|no", re.I)),
    ("day", re.compile(_DAY)),
    ("year", re.compile(r"\d{4}")),
    ("number", re.compile(r"\d[\d,.]*")),
)


def rival(paths: Sequence[GoldPath], place: int, found: Sequence[Passage]) -> str:
    """Another thing that the question names, or that is in what it finds; else another question's answer.

    Args:
        paths: All questions there are.
        place: The place of its question among them.
        found: The passages that it finds.
    """
    path = paths[place]
    kind = _kind(path.answer)
    if kind == "yes or no":
        return "no" if path.answer.lower() == "yes" else "yes"
    right = [path.answer, *path.question.answers, *(hop.answer for hop in path.hops[-1:] if not path.compares)]
    for other in _others(paths, place, found, kind):
        if other and not occurrences(other, right) and not any(occurrences(each, [other]) for each in right):
            return other
    return "unknown"


def _others(paths: Sequence[GoldPath], place: int, found: Sequence[Passage], kind: str) -> Iterator[str]:
    path = paths[place]
    if path.compares:
        yield from (page.name for page in path.passages if page.is_named_in(path.question.question))
    if kind == "name":
        yield from (hop.answer for hop in path.hops if not path.compares and _kind(hop.answer) == kind)
        yield from (page.name for page in found if not page.is_named_in(path.question.question))
    else:
        pattern = dict(_KINDS)[kind]
        yield from (match[0].strip(",.") for page in (*path.passages, *found) for match in pattern.finditer(page.text))
    later = (paths[(place + step) % len(paths)].answer for step in range(1, len(paths)))
    yield from (answer for answer in later if _kind(answer) == kind)


def _kind(answer: str) -> str:
    return next((name for name, pattern in _KINDS if pattern.fullmatch(answer)), "name")
