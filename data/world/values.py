"""The values of facts: a date, a word that knows its article, or an entity with a page of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Date(NamedTuple):
    """A day, written the way its page writes days.

    Examples:
        >>> from multihop.data.world.values import Date
        >>> str(Date(1954, 3, 12)), Date(1954, 3, 12).forms
        ('12 March 1954', ('12 March 1954', 'March 12, 1954'))
    """

    year: int
    """Calendar year."""
    month: int
    """1 to 12."""
    day: int
    """1 to 28, so that every month has it."""
    month_first: bool = False
    """True if it is written "March 12, 1954", and not "12 March 1954"."""

    def __str__(self) -> str:
        month = MONTHS[self.month - 1]
        return f"{month} {self.day}, {self.year}" if self.month_first else f"{self.day} {month} {self.year}"

    def __format__(self, _: str) -> str:
        return str(self)

    @property
    def forms(self) -> tuple[str, str]:
        """Both ways of writing it, its own first."""
        return str(self), str(self._replace(month_first=not self.month_first))


class Word(str):
    """A word or a phrase that can be written with its article: `{genre:a}`, or `{genre:A}` to open a sentence.

    Examples:
        >>> from multihop.data.world.values import Word
        >>> f"{Word('orange'):a} {Word('lamp')}"
        'an orange lamp'
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        phrase = with_article(self)
        return phrase if spec == "a" else phrase[0].upper() + phrase[1:]


def with_article(phrase: str) -> str:
    """The phrase behind "a" or "an".

    Examples:
        >>> from multihop.data.world.values import with_article
        >>> with_article("Island"), with_article("Harbor")
        ('an Island', 'a Harbor')
    """
    return f"{'an' if phrase[0] in 'AEIOUaeiou' else 'a'} {phrase}"


class Quantity(int):
    """A number of people or square kilometres, written with commas.

    Examples:
        >>> from multihop.data.world.values import Quantity
        >>> f"{Quantity(48210)}"
        '48,210'
    """

    __slots__ = ()

    def __str__(self) -> str:
        return f"{int(self):,}"

    def __format__(self, _: str) -> str:
        return str(self)


class Entity:
    """One thing of the world: its name, the facts about it, and the paragraph that states them.

    Examples:
        >>> from multihop.data.world.values import Entity
        >>> film = Entity("film", "The Amber Gate", {"director": Entity("person", "Alina Dunford", {})})
        >>> "{director} made it.".format_map(film.facts)
        'Alina Dunford made it.'
    """

    __slots__ = ("facts", "id", "kind", "name", "sentence_of", "sentences", "title")

    def __init__(self, kind: str, name: str, facts: dict[str, Any], title: str = "") -> None:
        """An entity that has no paragraph yet."""
        self.kind = kind
        self.name = name
        self.facts = facts
        self.title = title or name
        self.id = ""
        self.sentences: list[str] = []
        self.sentence_of: dict[str, int] = {}
        """The place of each fact in its own paragraph: relation to sentence number."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, _: str) -> str:
        return self.name

    @property
    def text(self) -> str:
        """Its paragraph."""
        return " ".join(self.sentences)

    @property
    def has_namesake(self) -> bool:
        """True if another entity has the same name, so that the title had to tell them apart."""
        return self.title != self.name
