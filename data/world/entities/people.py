"""The people of a region: families of three generations, and others who come without kin."""

from __future__ import annotations

from .. import words
from ..values import Entity, Word
from .draft import TODAY, Draft

FAMILIES = 26
PEOPLE = 400
CAREERS = (
    *["film director"] * 7, *["actor"] * 6, *["novelist"] * 6, *["singer"] * 6, *["composer"] * 3, *["politician"] * 4,
    *["scientist"] * 4, *["footballer"] * 5, *["architect"] * 3, *["entrepreneur"] * 5, *["screenwriter"] * 2,
    "record producer", "football manager", "football manager", "historian", "painter", "lawyer",
)  # fmt: skip
GRAMMAR = {
    "female": {"He": "She", "he": "she", "his": "her", "His": "Her", "him": "her", "parent": "mother", "child": "daughter"},
    "male": {"He": "He", "he": "he", "his": "his", "His": "His", "him": "him", "parent": "father", "child": "son"},
}  # fmt: skip


def add_people(draft: Draft) -> None:
    """Add 400 people to a region that has its towns.

    Examples:
        >>> from multihop.data.world.entities.atlas import atlas
        >>> from multihop.data.world.entities.draft import Draft
        >>> from multihop.data.world.entities.people import add_people
        >>> from multihop.data.world.entities.places import add_places
        >>> draft = Draft("seed", 1, {"country": atlas("seed").of("country")})
        >>> add_places(draft)
        >>> add_people(draft)
        >>> len(draft.of("person"))
        400
    """
    for _ in range(FAMILIES):
        _family(draft)
    while len(draft.of("person")) < PEOPLE:
        _someone(draft, draft.dice.between(1870, 1995), draft.dice.pick(("female", "male")))
    _share_names(draft)
    draft.index("person", "career")


def careers(draft: Draft, *names: str) -> list[Entity]:
    """The people who follow one of these careers."""
    return [person for career in names for person in draft.of(career)]


def contemporary(draft: Draft, people: list[Entity], year: int) -> Entity | None:
    """One of the people who was at work in that year, if a few tries find one."""
    for _ in range(8):
        person = draft.dice.pick(people)
        if alive(person, year):
            return person
    return None


def alive(person: Entity, year: int) -> bool:
    """True if the person was a grown-up in that year, and not yet dead or too old to work."""
    born, died = person.facts["born"].year, person.facts.get("died")
    return bool(born + 21 <= year <= min(born + 68, died.year - 1 if died else TODAY - 1))


def year_of_work(draft: Draft, person: Entity) -> int:
    """A year in which the person was at work."""
    born, died = person.facts["born"].year, person.facts.get("died")
    last = min(born + 62, died.year - 1 if died else TODAY - 1)
    return draft.dice.between(min(born + 22, last), last)


def _family(draft: Draft) -> None:
    dice = draft.dice
    year = dice.between(1858, 1908)
    father, surname = _someone(draft, year, "male")
    mother, _ = _someone(draft, year + dice.between(-3, 8), "female")
    _marry(father, mother)
    for child, family in _children(draft, father, mother, surname, dice.between(1, 3)):
        if dice.chance(0.8):
            gender = "male" if child.facts["He"] == "She" else "female"
            spouse, married_into = _someone(draft, child.facts["born"].year + dice.between(-6, 6), gender)
            _marry(child, spouse)
            couple = (spouse, child, married_into) if gender == "male" else (child, spouse, family)
            _children(draft, *couple, dice.between(1, 3))


def _children(draft: Draft, father: Entity, mother: Entity, surname: int, count: int) -> list[tuple[Entity, int]]:
    dice = draft.dice
    year = max(father.facts["born"].year, mother.facts["born"].year) + dice.between(20, 27)
    children = []
    for _ in range(count):
        gender = dice.pick(("female", "male"))
        child, family = _someone(draft, year, gender, surname, mother.facts["birthplace"])
        child.facts.update(father=father, mother=mother)
        for parent in (father, mother):
            # A parent lives to see the child, or a birth would come after a death.
            if "died" in parent.facts and parent.facts["died"].year <= year:
                died = draft.date(min(year + dice.between(1, 30), TODAY - 1))
                parent.facts["died"] = died._replace(month_first=parent.facts["born"].month_first)
        children.append((child, family))
        year += dice.between(1, 4)
    if count == 2:
        for (one, _), (other, _) in zip(children, reversed(children), strict=True):
            one.facts["brother" if other.facts["He"] == "He" else "sister"] = other
    return children


def _share_names(draft: Draft) -> None:
    """Let pairs of people without kin share a name, told apart by career as an encyclopedia's titles do."""
    loners = [person for person in draft.of("person") if "spouse" not in person.facts and "father" not in person.facts]
    for one, other in zip(loners[::2], loners[1::2], strict=False):
        same_gender = one.facts["He"] == other.facts["He"]
        if same_gender and one.facts["career"] != other.facts["career"] and draft.dice.chance(0.25):
            other.name, other.facts["surname"] = one.name, one.facts["surname"]
            for person in (one, other):
                person.title = f"{person.name} ({person.facts['career']})"


def _marry(one: Entity, other: Entity) -> None:
    one.facts["spouse"] = other
    other.facts["spouse"] = one


def _someone(
    draft: Draft, year: int, gender: str, surname: int | None = None, home: Entity | None = None
) -> tuple[Entity, int]:
    dice = draft.dice
    name, family = draft.names.person(gender, surname)
    town = home if home and dice.chance(0.5) else dice.pick(draft.of("city"))
    country = town.facts["country"] if dice.chance(0.85) else dice.pick(draft.of("city")).facts["country"]
    career = dice.pick(CAREERS)
    person = draft.add(
        "person",
        name,
        born=draft.date(year),
        birthplace=town,
        nationality=country.facts["demonym"],
        career=Word(career),
        surname=name.rsplit(" ", 1)[1],
    )
    facts = person.facts
    facts.update(GRAMMAR[gender])
    age = dice.between(38, 93)
    if year + age < TODAY - 5:
        facts["died"] = draft.date(year + age)._replace(month_first=facts["born"].month_first)
        facts.update(deathplace=dice.pick(draft.of("city")))
    if career == "scientist":
        facts["field"] = draft.word(words.SUBJECTS)
    if career == "footballer":
        facts["position"] = draft.word(words.POSITIONS)
    return person, family
