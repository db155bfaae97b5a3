"""The passages known to a row: their titles, and which of them are gold."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ...runtime import TrajectoryStep, searches
from .node import ShownPassage


class KnownPassages:
    """The passages of one question by their ids."""

    def __init__(self, gold: Collection[str], titles: Mapping[str, str]) -> None:
        self.gold, self.titles = set(gold), dict(titles)

    def show(self, identifier: str, title: str = "") -> ShownPassage:
        """The passage as a page names it."""
        known = title or self.titles.get(identifier, "") or identifier
        return {"id": identifier, "title": known, "gold": identifier in self.gold}


def passages_found(trajectory: Iterable[TrajectoryStep], gold: Collection[str] = ()) -> KnownPassages:
    """All passages that the steps found."""
    titles = {hit["id"]: hit["title"] for step in searches(trajectory) for hit in step.get("hits", ())}
    return KnownPassages(gold, titles)


def shown_passages(value: Any) -> Iterator[ShownPassage]:
    """Every passage that is shown in a record or picture, wherever it is in it."""
    if isinstance(value, dict):
        if isinstance(value.get("gold"), bool):
            yield value  # type: ignore[misc]
        for name, part in value.items():
            if name != "outputs":  # what an LM said is no picture
                yield from shown_passages(part)
    elif isinstance(value, list):
        for part in value:
            yield from shown_passages(part)
