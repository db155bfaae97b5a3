"""The question sets that are known by name, as sets.toml lists them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ..base import unknown

CORPUS = "corpus"
"""The name of the corpus among the files of a set."""
_SHARED = ("title", "licence", "citation", "homepage", "rules")
"""Fields that a set inherits from the one that it is like, unless it has its own."""


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
    """The size of the download, about; 0 where the files are not on the hub."""
    hub: str = ""
    """A copy on the hub whose rows can be streamed, as OWNER/NAME[/CONFIG]:SPLIT; empty where there is none."""
    elsewhere: str = ""
    """The address that tells where its files are, if they are not on the hub; they are read from a folder."""
    corpus_by: str = ""
    """Whose way it is to make the corpus of its files, if these are no corpus yet: "ircot"."""
    corpus_of: str = ""
    """The split whose questions' paragraphs make the corpus; empty where the corpus is a file, or there is none."""
    questions: Mapping[str, int] = {}
    """The number of questions, by split."""
    passages: int = 0
    """The number of passages in the corpus; 0 if that is not known beforehand."""
    rules: str = "hotpotqa"
    """Whose official rules score its answers."""

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
    """The set of that name.

    Raises:
        InputError: There is none; the message lists all.
    """
    if name not in known_sets():
        raise unknown("question set", name, known_sets())
    return known_sets()[name]
