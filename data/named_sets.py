"""The question sets that are known by name, as sets.toml lists them, and the rows of sets on the hub."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ..base import InputError, check_known, unknown
from .record import Record

CORPUS = "corpus"
"""The name of the corpus among the files of a set."""
_SHARED = ("title", "licence", "citation", "homepage", "rules")
"""Fields that a set inherits from the one that it is like, unless it has its own."""
HUB = "hub:"
"""The beginning of the name of a set on the hub."""


class KnownSet(NamedTuple):
    """A question set that can be fetched by its name.

    Examples:
        >>> from multihop.data import known_set
        >>> known = known_set("musique-1000")
        >>> known.licence, known.questions, known.passages, known.has_corpus
        ('CC BY 4.0', {'dev': 1000}, 11656, True)
    """

    name: str
    """The name it is fetched by."""
    title: str
    """The set's own name."""
    what: str
    """The difference from other sets with that title."""
    licence: str
    """The licence its makers give the data."""
    citation: str
    """The publication to cite."""
    homepage: str
    """The address of the makers' description."""
    files: Mapping[str, str]
    """By split, and for the corpus: the files it is made of."""
    repository: str = ""
    """The repository on the hub that has its files; empty where they are elsewhere."""
    megabytes: int = 0
    """The size of the download, about; 0 where it is not known, or the files are not on the hub."""
    hub: str = ""
    """A copy on the hub whose rows can be streamed, as OWNER/NAME[/CONFIG]:SPLIT; empty where there is none."""
    elsewhere: str = ""
    """The address that tells where its files are, if they are not on the hub; they are read from a folder."""
    corpus_by: str = ""
    """The way to make the corpus of its files, if these are no corpus yet: "ircot", as its authors do."""
    corpus_of: str = ""
    """The split whose questions' paragraphs make the corpus; empty where the corpus is a file, or there is none."""
    questions: Mapping[str, int] = {}
    """The number of questions, by split."""
    passages: int = 0
    """The number of passages in the corpus; 0 if that is not known before it is fetched."""
    unanswerable: int = 0
    """The percentage of sampled questions that cannot be answered from this corpus; 0 where nobody counted."""
    rules: str = "hotpotqa"
    """The set whose official rules score its answers."""

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits of questions."""
        return tuple(name for name in self.files if name != CORPUS)

    @property
    def place(self) -> str:
        """The place of its files, in words."""
        return self.repository or f"a folder of your own ({self.elsewhere})"

    @property
    def has_corpus(self) -> bool:
        """True if a corpus comes with it."""
        return bool(self.corpus_of) or CORPUS in self.files


@cache
def known_sets() -> Mapping[str, KnownSet]:
    """Every known set by its name.

    Examples:
        >>> from multihop.data import known_sets
        >>> known_sets()["hotpotqa"].splits
        ('train', 'dev')
    """
    table = tomllib.loads(files(__package__).joinpath("sets.toml").read_text(encoding="utf-8"))
    known: dict[str, KnownSet] = {}
    for name, entry in table.items():
        like = table.get(entry.pop("like", ""), {})
        known[name] = KnownSet(name, **{field: like[field] for field in _SHARED if field in like} | entry)
    return known


def known_set(name: str) -> KnownSet:
    """The set of that name; the refusal of another lists all."""
    check_known("question set", name, known_sets())
    return known_sets()[name]


class HubName(NamedTuple):
    """A set on the hub, one of its configurations and one of its splits."""

    name: str
    """OWNER/NAME."""
    config: str | None
    """The configuration; None for the set's own default."""
    split: str
    """The split."""

    def __str__(self) -> str:
        """The spelling `open_questions` takes."""
        return f"{HUB}{self.name}{f'/{self.config}' if self.config else ''}:{self.split}"


def parse_hub_name(spelling: str) -> HubName:
    """The set that a spelling such as "hub:OWNER/NAME/CONFIG:SPLIT" names.

    CONFIG and SPLIT may be left out; SPLIT is then the validation split. The short name of a known set, as in
    "hub:musique" or "hub:musique:train", means its copy on the hub.
    """
    place, _, split = spelling.removeprefix(HUB).partition(":")
    if home := _homes().get(place):
        return home._replace(split=split or home.split)
    parts = place.split("/")
    if len(parts) == 1:
        raise unknown("question set", place, _homes())
    if len(parts) > 3 or not all(parts):
        raise InputError(f"'{spelling}' is not a set on the hub; write hub:OWNER/NAME[/CONFIG][:SPLIT].")
    named = _at(place, split)
    usual = next((home.split for home in _homes().values() if home.name == named.name), "validation")
    return named if split else named._replace(split=usual)


def read_hub(source: HubName) -> Iterator[Record]:
    """The rows of a set on the hub."""
    import datasets

    number = 0
    try:
        rows = datasets.load_dataset(source.name, source.config, split=source.split, streaming=True)
        for number, row in enumerate(rows, start=1):
            yield Record(row, f"{source}, row {number}")
    except Exception as error:
        # The library's first line says what is wrong and its second which names would be right; then come usage notes.
        reason = " ".join(str(error).strip().splitlines()[:2]) or type(error).__name__
        place = f"{source}, after row {number}" if number else f"cannot load {source}"
        raise InputError(f"{place}: {reason}") from error


@cache
def _homes() -> dict[str, HubName]:
    """The copies on the hub of known sets."""
    places = {known.name: known.hub.partition(":") for known in known_sets().values() if known.hub}
    return {name: _at(place, split) for name, (place, _, split) in places.items()}


def _at(place: str, split: str) -> HubName:
    """OWNER/NAME or OWNER/NAME/CONFIG, taken apart."""
    owner, name, *config = place.split("/")
    return HubName(f"{owner}/{name}", next(iter(config), None), split)
