"""Questions that set two things side by side, directly or through someone each of them leads to."""

from __future__ import annotations

from typing import Any, NamedTuple

from .chains import ChainLink, tells_apart
from .dice import Dice
from .mentions import answers, plain
from .region_index import RegionIndex
from .table_files import read_world_table
from .unnumbered_question import UnnumberedQuestion
from .values import Date, Entity


class ComparisonForm(NamedTuple):
    """One kind of comparison: the kinds of things it compares, the value compared, and the wording of the question."""

    kinds: tuple[str, ...]
    """The two things are of one of these kinds."""
    relation: str
    """The relation that leads to the compared value."""
    least: tuple[str, ...] = ()
    """Questions for the one with the lower value; `{0}` and `{1}` are the two."""
    most: tuple[str, ...] = ()
    """Questions for the one with the higher value."""
    same: tuple[str, ...] = ()
    """Questions that ask if the values are the same."""
    shared: tuple[str, ...] = ()
    """Questions for the value that both have."""
    through: str = ""
    """The relation to a person whose value is compared, in place of the thing's own value."""


_WEIGHTS = {"born": 4, "released": 3, "nationality": 3, "died": 2}
"""The weight with which a comparison is drawn, by its relation; 1 for any other."""


def _weighted(table: str) -> tuple[ComparisonForm, ...]:
    """The comparisons of a table, each as often as its weight says."""
    forms = [ComparisonForm(**entry) for entry in read_world_table("comparisons")[table]]
    return tuple(form for form in forms for _ in range(_WEIGHTS.get(form.relation, 1)))


_PLAIN, _BRIDGED = _weighted("plain"), _weighted("bridged")


def comparison(index: RegionIndex, dice: Dice) -> UnnumberedQuestion | None:
    """A comparison of two paragraphs, or nothing if these two cannot be compared."""
    return _compare(index, dice, dice.pick(_PLAIN))


def bridge_comparison(index: RegionIndex, dice: Dice) -> UnnumberedQuestion | None:
    """A comparison through a hidden person on either side, four paragraphs in all, or nothing."""
    return _compare(index, dice, dice.pick(_BRIDGED))


def _compare(index: RegionIndex, dice: Dice, compared: ComparisonForm) -> UnnumberedQuestion | None:
    form = dice.pick([form for form in ("least", "most", "same", "shared") if getattr(compared, form)])
    equal = form == "shared" or (form == "same" and dice.chance(0.5))
    sides = _pair(index.of(dice.pick(compared.kinds)), dice, compared, equal=equal)
    if not sides:
        return None
    hops = [hop for pair in zip(*sides, strict=True) for hop in pair]
    return UnnumberedQuestion(
        dice.pick(getattr(compared, form)).format(*(plain(side[0].known) for side in sides)),
        _answer(form, sides, equal=equal),
        "bridge_comparison" if compared.through else "comparison",
        len(hops),
        tuple((hop.page, hop.relation) for hop in hops),
        tuple(hop.sub_question(dice) for hop in hops),
    )


def _pair(things: list[Entity], dice: Dice, compared: ComparisonForm, *, equal: bool) -> list[list[ChainLink]]:
    """The hops of two things whose values are as equal as they should be, or nothing if a dozen tries find none."""
    for left in dice.some(things, 12):
        side = _side(left, compared)
        rivals = (_side(right, compared) for right in (things if equal else dice.some(things, 5)))
        fitting = [rival for rival in rivals if side and rival and _fits(side, rival, equal=equal)]
        if fitting:
            return dice.mix((side, dice.pick(fitting)))
    return []


def _fits(left: list[ChainLink], right: list[ChainLink], *, equal: bool) -> bool:
    """True if the last values are equal or not, as wanted, and no name and no person is on both sides."""
    if left[0].known.name == right[0].known.name or (len(left) > 1 and left[0].value is right[0].value):
        return False
    return (_rank(left[-1].value) == _rank(right[-1].value)) is equal


def _side(entity: Entity, compared: ComparisonForm) -> list[ChainLink]:
    """The hops from the entity to its compared value; none where a paragraph leaves one out."""
    relations = [compared.through, compared.relation] if compared.through else [compared.relation]
    hops = []
    for relation in relations:
        if relation not in entity.sentence_of or not tells_apart(relation, entity.facts[relation]):
            return []
        hops.append(ChainLink(entity, relation, entity.facts[relation], entity))
        entity = entity.facts[relation]
    return hops


def _answer(form: str, sides: list[list[ChainLink]], *, equal: bool) -> tuple[str, ...]:
    if form == "same":
        return ("yes",) if equal else ("no",)
    if form == "shared":
        return answers(sides[0][-1].value)
    choose = min if form == "least" else max
    return answers(choose(sides, key=lambda side: _rank(side[-1].value))[0].known)


def _rank(value: Any) -> Any:
    """The value as it is compared: a date without the way it is written."""
    return value[:3] if isinstance(value, Date) else value
