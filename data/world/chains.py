"""Questions that follow one fact to the next: bridges of two to four hops, and kinship to be inferred."""

from __future__ import annotations

from typing import NamedTuple

from ..question import SubQuestion
from .dice import Dice
from .mentions import answers, mention, plain
from .region_index import RegionIndex
from .relations import RELATIONS, triple
from .unnumbered_question import UnnumberedQuestion
from .values import Entity

STARTS = {
    "film": 30, "book": 13, "song": 12, "album": 10, "person": 10, "band": 5, "landmark": 5, "award": 4, "studio": 2,
    "label": 2, "publisher": 2, "firm": 3, "team": 3, "university": 2, "city": 3,
}  # fmt: skip
"""The share of chains that begin at each kind of entity."""
INVERSE_ENDS = 0.35
"""The chance that a step from a person leads to that person's only work or company, if there is just one."""
DESCRIBED_STARTS = 0.12
"""The chance that a chain begins at a person's only work or company, and names the person in its place."""
KIN = frozenset(("father", "mother", "spouse", "brother", "sister"))
CAREERS = {
    "director": "film director", "writer": "screenwriter", "star": "actor", "composer": "composer", "author": "novelist",
    "performer": "singer", "frontman": "singer", "architect": "architect",
}  # fmt: skip
"""Relations that say enough to tell a person from a namesake of another career."""
KINSHIP = {
    ("father", "father"): "paternal grandfather",
    ("father", "mother"): "paternal grandmother",
    ("mother", "father"): "maternal grandfather",
    ("mother", "mother"): "maternal grandmother",
    ("spouse", "father"): "father-in-law",
    ("spouse", "mother"): "mother-in-law",
    ("father", "brother"): "paternal uncle",
    ("father", "sister"): "paternal aunt",
    ("mother", "brother"): "maternal uncle",
    ("mother", "sister"): "maternal aunt",
}


class ChainLink(NamedTuple):
    """One step of a chain."""

    known: Entity
    """The entity the step starts from."""
    relation: str
    """The relation it takes."""
    value: object
    """The thing that it leads to."""
    page: Entity
    """The entity whose paragraph says so: `known`, or for an inverse step `value`."""

    @property
    def inverse(self) -> bool:
        """True if the step goes from the object of the fact to its subject."""
        return self.page is not self.known

    def ask(self, subject: str, dice: Dice) -> str:
        """A question for the value, about the subject so described."""
        relation = RELATIONS[self.relation]
        if self.inverse:
            described = dice.pick(relation.inverse).format(subject)
            return dice.pick(("What is the name of {}?", "What is {} called?")).format(described)
        return sentence(dice.pick(relation.asks).format(subject, role=self.known.facts.get("role")))

    def sub_question(self, dice: Dice, description: str = "") -> SubQuestion:
        """The step as a single-hop question, about `known` by its name or as described."""
        subject, value = (self.page, self.known) if self.inverse else (self.known, self.value)
        return SubQuestion(
            self.ask(description or plain(self.known), dice),
            answers(self.value)[0],
            self.page.id,
            triple(subject, self.relation, value),
        )


def bridge(index: RegionIndex, dice: Dice, hops: int) -> UnnumberedQuestion | None:
    """A chain of this many hops that names only its start, or nothing if this walk led nowhere."""
    start = dice.pick(index.of(dice.pick(_START_KINDS)))
    description, hidden = mention(start, dice), None
    if dice.chance(DESCRIBED_STARTS):
        hidden = _inverse_step(index, dice, dice.pick(index.of("person")))
        if hidden is None:
            return None
        start = hidden.page
        description = dice.pick(RELATIONS[hidden.relation].inverse).format(plain(hidden.known))
    chain = _walk(index, dice, start, hops)
    if chain is None or (hidden and chain[0].relation == hidden.relation):
        return None
    first = description
    for hop in chain[:-1]:
        description = dice.pick(RELATIONS[hop.relation].phrases).format(description, role=hop.known.facts.get("role"))
    question = chain[-1].ask(description, dice)
    steps = [hidden, *chain] if hidden else chain
    if any(answer in question for hop in steps for answer in answers(hop.value)):
        return None
    return _unnumbered_question(question, "bridge", chain, dice, hidden, first)


def inference(index: RegionIndex, dice: Dice) -> UnnumberedQuestion | None:
    """A question for a kinship that follows from two others, or nothing if this person's kin is not known."""
    person = dice.pick(index.of("person"))
    near, far = dice.pick(tuple(KINSHIP))
    if near not in person.sentence_of:
        return None
    relative: Entity = person.facts[near]
    if far not in relative.sentence_of:
        return None
    kinship = KINSHIP[near, far]
    ways = ("Who is the {kinship} of {name}?", "Who is {name}'s {kinship}?", "Who was the {kinship} of {name}?")
    question = dice.pick(ways).format(kinship=kinship, name=plain(person))
    chain = [ChainLink(person, near, relative, person), ChainLink(relative, far, relative.facts[far], relative)]
    return _unnumbered_question(question, "inference", chain, dice) if _needs_every_page(chain) else None


def tells_apart(relation: str, value: object) -> bool:
    """True if the fact is enough to tell its object from any other thing of the same name."""
    if not isinstance(value, Entity) or value.kind != "person" or not value.has_namesake:
        return True
    return bool(CAREERS.get(relation) == value.facts["career"])


def sentence(words: str) -> str:
    """The words with a capital at the front."""
    return words[0].upper() + words[1:]


def _walk(index: RegionIndex, dice: Dice, start: Entity, hops: int) -> list[ChainLink] | None:
    chain: list[ChainLink] = []
    known = start
    for left in range(hops - 1, -1, -1):
        hop = _inverse_step(index, dice, known) if chain and not left and dice.chance(INVERSE_ENDS) else None
        hop = hop or _step(dice, known, chain, last=not left)
        if hop is None:
            return None
        chain.append(hop)
        if left:
            assert isinstance(hop.value, Entity)
            known = hop.value
    return chain if _needs_every_page(chain) else None


def _needs_every_page(chain: list[ChainLink]) -> bool:
    """True if no paragraph of the chain gives away the answer of a later hop, and nothing comes up twice."""
    seen = [str(chain[0].known), *(str(hop.value) for hop in chain)]
    return len({*seen}) == len(seen) and not any(
        str(later.value) in earlier.page.text for place, earlier in enumerate(chain) for later in chain[place + 1 :]
    )


def _step(dice: Dice, known: Entity, chain: list[ChainLink], *, last: bool) -> ChainLink | None:
    options: list[str] = []
    for name in known.sentence_of:
        relation = RELATIONS.get(name)
        if relation is None or (chain and name in KIN and chain[-1].relation in KIN):
            continue
        if last or (relation.phrases and tells_apart(name, known.facts[name])):
            options += [name] * relation.weight
    if not options:
        return None
    name = dice.pick(options)
    return ChainLink(known, name, known.facts[name], known)


def _inverse_step(index: RegionIndex, dice: Dice, known: Entity) -> ChainLink | None:
    if known.has_namesake:
        return None
    options = [(name, subject) for name, subject in index.lone_subjects(known) if RELATIONS[name].inverse]
    if not options:
        return None
    name, subject = dice.pick(options)
    return ChainLink(known, name, subject, subject)


def _unnumbered_question(
    question: str, kind: str, chain: list[ChainLink], dice: Dice, hidden: ChainLink | None = None, description: str = ""
) -> UnnumberedQuestion:
    first, *others = chain
    steps = [hidden, *chain] if hidden else chain
    return UnnumberedQuestion(
        question,
        answers(chain[-1].value),
        kind,
        len(chain),
        tuple((hop.page, hop.relation) for hop in steps),
        (first.sub_question(dice, description if hidden else ""), *(hop.sub_question(dice) for hop in others)),
    )


_START_KINDS = tuple(kind for kind, share in STARTS.items() for _ in range(share))
