"""Records of question sets on the hub, through the `datasets` library."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from ..base import InputError, unknown
from .catalogue import known_sets
from .files.record import Record
from .question import Question
from .questions import read_questions

PREFIX = "hub:"


class HubName(NamedTuple):
    """A set on the hub, one of its configurations and one of its splits."""

    name: str
    """OWNER/NAME, or the path of a folder laid out like a set on the hub."""
    config: str | None
    """The configuration; None for the set's own default."""
    split: str
    """The split."""

    def __str__(self) -> str:
        """The spelling `open_questions` takes."""
        return f"{PREFIX}{self.name}{f'/{self.config}' if self.config else ''}:{self.split}"


def parse(spelling: str) -> HubName:
    """The set that a spelling such as "hub:OWNER/NAME/CONFIG:SPLIT" names.

    CONFIG and SPLIT may be left out; SPLIT is then the validation split. The short name of a known set, as in
    "hub:musique" or "hub:musique:train", means its copy on the hub.

    Examples:
        >>> from multihop.data import hub
        >>> hub.parse("hub:hotpotqa")
        HubName(name='hotpotqa/hotpot_qa', config='distractor', split='validation')
        >>> hub.parse("hub:RUC-NLPIR/FlashRAG_datasets/musique:train")
        HubName(name='RUC-NLPIR/FlashRAG_datasets', config='musique', split='train')
    """
    place, _, split = spelling.removeprefix(PREFIX).partition(":")
    if home := _homes().get(place):
        return home._replace(split=split or home.split)
    parts = place.split("/")
    if len(parts) == 1:
        raise unknown("question set", place, _homes())
    if len(parts) > 3 or not all(parts):
        raise InputError(f"'{spelling}' is not a set on the hub; write hub:OWNER/NAME[/CONFIG][:SPLIT].")
    named = _at(place, split)
    return named if split else named._replace(split=_default_split(named.name))


def load_from_hub(
    name: str, *, config: str | None = None, split: str | None = None, streaming: bool = True
) -> Iterator[Question]:
    """The questions of a set on the hub; their layout is told by their fields.

    Args:
        name: OWNER/NAME, the short name of a known set, or the path of a folder laid out like a set on the hub.
        config: One of the set's configurations; its own default where left out.
        split: One of the set's splits; the validation split where left out.
        streaming: Read rows as they are needed. False downloads the whole set first and keeps it in the cache.
    """
    default = _homes().get(name) or HubName(name, None, _default_split(name))
    source = HubName(default.name, config or default.config, split or default.split)
    read = partial(read_hub, source, streaming=streaming)
    yield from read_questions(read(), str(source), reread=read)


def read_hub(source: HubName, *, streaming: bool = True) -> Iterator[Record]:
    """The rows of a set on the hub."""
    import datasets

    number = 0
    try:
        rows = datasets.load_dataset(source.name, source.config, split=source.split, streaming=streaming)
        for number, row in enumerate(rows, start=1):
            yield Record(row, f"{source}, row {number}")
    except Exception as error:
        raise _failure(source, error, after=number) from error


def _failure(source: HubName, error: Exception, after: int) -> InputError:
    """The error for a failed opening, in one sentence: names the hub does not know, no network, a damaged file."""
    # The library's first line says what is wrong and its second which names would be right; then come usage notes.
    reason = " ".join(str(error).strip().splitlines()[:2]) or type(error).__name__
    place = f"{source}, after row {after}" if after else f"cannot load {source}"
    return InputError(f"{place}: {reason}")


def _default_split(name: str) -> str:
    return next((home.split for home in _homes().values() if home.name == name), "validation")


@cache
def _homes() -> dict[str, HubName]:
    """The copies on the hub of known sets."""
    places = {known.name: known.hub.partition(":") for known in known_sets().values() if known.hub}
    return {name: _at(place, split) for name, (place, _, split) in places.items()}


def _at(place: str, split: str) -> HubName:
    """OWNER/NAME or OWNER/NAME/CONFIG, taken apart."""
    owner, name, *config = place.split("/")
    return HubName(f"{owner}/{name}", next(iter(config), None), split)
