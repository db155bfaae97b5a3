"""Questions that set two things side by side, directly or through someone each of them leads to."""

from __future__ import annotations

from typing import Any, NamedTuple

from .chains import ChainLink, tells_apart
from .dice import Dice
from .mentions import answers, plain
from .scene import Scene, UnnumberedQuestion
from .values import Date, Entity

COMPANIES = ("studio", "label", "publisher", "firm")


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


COMPARISONS = (
    ComparisonForm(
        ("person",),
        "born",
        ("Who was born first, {0} or {1}?", "Who was born earlier, {0} or {1}?", "Who is older, {0} or {1}?"),
        ("Who is younger, {0} or {1}?", "Who was born later, {0} or {1}?", "Between {0} and {1}, who was born last?"),
    ),
    ComparisonForm(("person",), "died", ("Who died first, {0} or {1}?",), ("Who died later, {0} or {1}?",)),
    ComparisonForm(
        ("person",),
        "nationality",
        same=("Are {0} and {1} of the same nationality?", "Do {0} and {1} have the same nationality?"),
        shared=("What nationality do {0} and {1} share?", "{0} and {1} are both of what nationality?"),
    ),
    ComparisonForm(
        ("person",),
        "career",
        same=("Do {0} and {1} have the same occupation?", "Did {0} and {1} follow the same profession?"),
        shared=("What profession do {0} and {1} have in common?", "What occupation is shared by {0} and {1}?"),
    ),
    ComparisonForm(
        ("film",),
        "released",
        ("Which film came out first, {0} or {1}?", "Which film was released earlier, {0} or {1}?"),
        ("Which film came out more recently, {0} or {1}?", "Which film was released later, {0} or {1}?"),
        ("Were {0} and {1} released in the same year?",),
    ),
    ComparisonForm(("film",), "genre", same=("Are {0} and {1} films of the same genre?",)),
    ComparisonForm(
        ("film",),
        "director",
        same=("Do {0} and {1} have the same director?",),
        shared=("Who directed both {0} and {1}?", "{0} and {1} are both by which director?"),
    ),
    ComparisonForm(
        ("book",), "released", ("Which book was published first, {0} or {1}?",), ("Which book is newer, {0} or {1}?",)
    ),
    ComparisonForm(
        ("album", "song"),
        "released",
        ("Which was released first, {0} or {1}?",),
        ("Which is more recent, {0} or {1}?",),
    ),
    ComparisonForm(
        ("band",), "formed", ("Which band was formed first, {0} or {1}?",), ("Which band is younger, {0} or {1}?",)
    ),
    ComparisonForm(
        ("band",),
        "genre",
        same=("Do {0} and {1} play the same kind of music?",),
        shared=("What genre of music do both {0} and {1} play?",),
    ),
    ComparisonForm(
        COMPANIES,
        "founded",
        ("Which company was founded first, {0} or {1}?", "Which company is older, {0} or {1}?"),
        ("Which company was founded later, {0} or {1}?",),
    ),
    ComparisonForm(COMPANIES, "headquarters", same=("Are {0} and {1} based in the same town?",)),
    ComparisonForm(
        ("university",),
        "founded",
        ("Which institution is older, {0} or {1}?",),
        ("Which was founded later, {0} or {1}?",),
    ),
    ComparisonForm(
        ("team",),
        "founded",
        ("Which club was founded first, {0} or {1}?",),
        ("Which club was founded later, {0} or {1}?",),
    ),
    ComparisonForm(("landmark",), "opened", ("Which opened first, {0} or {1}?",), ("Which opened later, {0} or {1}?",)),
    ComparisonForm(
        ("city",),
        "population",
        ("Which town has fewer inhabitants, {0} or {1}?",),
        ("Which town has more inhabitants, {0} or {1}?", "Which has the larger population, {0} or {1}?"),
    ),
    ComparisonForm(
        ("city",),
        "country",
        same=("Are {0} and {1} in the same country?", "Are {0} and {1} both located in the same country?"),
        shared=("In what country are both {0} and {1}?",),
    ),
    ComparisonForm(
        ("river",), "length", ("Which river is shorter, {0} or {1}?",), ("Which river is longer, {0} or {1}?",)
    ),
)
BRIDGED = (
    ComparisonForm(
        ("film",),
        "born",
        (
            "Which film has the director who was born first, {0} or {1}?",
            "Which film has the older director, {0} or {1}?",
        ),
        (
            "Which film has the director who was born later, {0} or {1}?",
            "Which film was directed by the younger person, {0} or {1}?",
        ),
        through="director",
    ),
    ComparisonForm(
        ("film",),
        "died",
        (
            "Which film has the director who died first, {0} or {1}?",
            "Which film has the director who died earlier, {0} or {1}?",
        ),
        ("Which film has the director who died later, {0} or {1}?",),
        through="director",
    ),
    ComparisonForm(
        ("film",),
        "nationality",
        same=(
            "Are the directors of {0} and {1} of the same nationality?",
            "Do the films {0} and {1} have directors of the same nationality?",
            "Do both films, {0} and {1}, have directors who share a nationality?",
        ),
        through="director",
    ),
    ComparisonForm(
        ("film",), "birthplace", same=("Were the directors of {0} and {1} born in the same town?",), through="director"
    ),
    ComparisonForm(
        ("book",),
        "born",
        ("Which book has the author who was born first, {0} or {1}?",),
        ("Which book was written by the younger author, {0} or {1}?",),
        through="author",
    ),
    ComparisonForm(
        ("book",), "nationality", same=("Do the authors of {0} and {1} have the same nationality?",), through="author"
    ),
    ComparisonForm(
        ("landmark",),
        "born",
        ("Which building was designed by the older architect, {0} or {1}?",),
        ("Which building was designed by the younger architect, {0} or {1}?",),
        through="architect",
    ),
    ComparisonForm(
        COMPANIES, "nationality", same=("Are the founders of {0} and {1} of the same nationality?",), through="founder"
    ),
    ComparisonForm(
        ("band",),
        "born",
        ("Which band has the older lead singer, {0} or {1}?",),
        ("Which band has the younger lead singer, {0} or {1}?",),
        through="frontman",
    ),
)
_WEIGHTS = {"born": 4, "released": 3, "nationality": 3, "died": 2}


def comparison(scene: Scene, dice: Dice) -> UnnumberedQuestion | None:
    """A comparison of two paragraphs, or nothing if these two cannot be compared."""
    return _compare(scene, dice, dice.pick(_PLAIN))


def bridge_comparison(scene: Scene, dice: Dice) -> UnnumberedQuestion | None:
    """A comparison through a hidden person on either side, four paragraphs in all, or nothing."""
    return _compare(scene, dice, dice.pick(_THROUGH))


def _compare(scene: Scene, dice: Dice, compared: ComparisonForm) -> UnnumberedQuestion | None:
    form = dice.pick([form for form in ("least", "most", "same", "shared") if getattr(compared, form)])
    equal = form == "shared" or (form == "same" and dice.chance(0.5))
    sides = _pair(scene.of(dice.pick(compared.kinds)), dice, compared, equal=equal)
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


_PLAIN = tuple(entry for entry in COMPARISONS for _ in range(_WEIGHTS.get(entry.relation, 1)))
_THROUGH = tuple(entry for entry in BRIDGED for _ in range(_WEIGHTS.get(entry.relation, 1)))
