"""How EfficientRAG ranks what it found: by what the labels promise, as far as they are to be believed."""

from collections.abc import Sequence

from ...retrieval import Passage
from .labelled_chunks import JudgedChunk

SAY = 0.5
"""The share that the labels have in the ranking where no page names another, if the likeliest is sure."""
FIRST = 10
"""How little the first places of two rankings count more than those after them, where both have their share."""


def by_promise(labelled: Sequence[JudgedChunk]) -> list[Passage]:
    """Every passage once, by the most that any path to it promises, as far as the labels are to be believed.

    The labeler learned from pages that name each other. Where none of those found does, as in chats and news, its
    labels mean less, and the order in which the question itself found the pages counts beside them.
    """
    best: dict[Passage, float] = {}
    for chunk in labelled:
        best[chunk.passage] = max(chunk.worth, best.get(chunk.passage, 0.0))
    promised = sorted(best, key=lambda passage: -best[passage])
    if any_named(promised):
        return promised
    found = [chunk.passage for chunk in labelled if not chunk.origin.path]
    return blend(found, promised, SAY * max((chunk.belief for chunk in labelled), default=0.0))


def any_named(pages: Sequence[Passage]) -> bool:
    """Whether any of the pages names another of them.

    Examples:
        >>> from multihop.programs.shared.promise import any_named
        >>> from multihop.retrieval import Passage
        >>> emma, bath = Passage("p1", "Emma (novel)", "Set near London."), Passage("p2", "Bath", "Emma is read here.")
        >>> any_named([emma, bath]), any_named([emma])
        (True, False)
    """
    texts = [page.text.lower() for page in pages]
    return any(
        page is not other and other.name.lower() in text and other.is_named_in(text)
        for page, text in zip(pages, texts, strict=True)
        for other in pages
    )


def blend(one: Sequence[Passage], other: Sequence[Passage], share: float) -> list[Passage]:
    """Two rankings as one, by weighted reciprocal ranks; `share` is the weight of the other, from 0 to 1."""
    scores: dict[Passage, float] = {}
    for weight, ranking in ((1 - share, one), (share, other)):
        for rank, passage in enumerate(ranking):
            scores[passage] = scores.get(passage, 0.0) + weight / (FIRST + rank)
    return sorted(scores, key=lambda passage: -scores[passage])
