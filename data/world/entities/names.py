"""Names that never repeat in one world, made of shared parts, without a list of those that are taken.

Every pool of names is a number system: the n-th name is written with parts instead of digits, behind a step that
scatters neighbours. Region 7 counts from 7 times a fixed share, so regions need not know of each other.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from .. import words
from ..dice import Dice
from .name_patterns import AWARDS, BANDS, COMPANIES, PLACES, PREFIXED_PLACES, PROVINCES, RIVERS, TITLES, Pattern

SHARES = {"places": 160, "works": 420, "companies": 64, "bands": 48, "awards": 24, "provinces": 16, "rivers": 16}
"""The number of names that one region has of each pool: a little more than it uses."""
CLASSES = 40
"""A full name without a middle initial belongs to one in this many regions."""
INITIALS = "ABCDEFGHJKLMNPRSTVWZ"


@lru_cache(maxsize=1)
def given_names() -> dict[str, tuple[str, ...]]:
    """All first names by gender; none belongs to both."""
    female = _join(words.FEMALE_STEMS, words.FEMALE_ENDINGS)
    male = tuple(name for name in _join(words.MALE_STEMS, words.MALE_ENDINGS) if name not in female)
    return {"female": female, "male": male}


@lru_cache(maxsize=1)
def surnames() -> tuple[str, ...]:
    """All family names."""
    return _join(words.SURNAME_ROOTS, words.SURNAME_ENDINGS)


class Names:
    """The names of one region.

    Examples:
        >>> from multihop.data.world.dice import Dice
        >>> from multihop.data.world.entities.names import Names
        >>> first, second = Names("seed", 0, Dice("a")), Names("seed", 1, Dice("b"))
        >>> {first.place() for _ in range(100)} & {second.place() for _ in range(100)}
        set()
    """

    def __init__(self, seed: str, region: int, dice: Dice) -> None:
        """Names for region number `region` of the world `seed`."""
        shift = Dice(f"{seed}/names")
        self._shifts = {pool: shift.between(0, 999_999) for pool in SHARES}
        self._region = region
        self._dice = dice
        self._counts: dict[str, int] = {}
        self._people: set[tuple[str, int]] = set()

    def person(self, gender: str, surname: int | None = None) -> tuple[str, int]:
        """A full name, and the number of its family name to hand on to children."""
        pool = given_names()[gender]
        rounds = len(pool) // CLASSES
        while True:
            family = int(self._dice.random() * len(surnames())) if surname is None else surname
            base = (self._region + family * 17) % CLASSES
            start = self._dice.between(0, rounds - 1)
            for turn in range(rounds):
                first = base + CLASSES * ((start + turn) % rounds)
                if (pool[first], family) not in self._people:
                    self._people.add((pool[first], family))
                    return " ".join(
                        filter(None, (pool[first], self._middle(first, family), surnames()[family]))
                    ), family
            surname = None

    def place(self) -> str:
        """A town's name."""
        ordinal = self._next("places")
        if ordinal % 7 == 0:
            return _again(*self._write("places", PREFIXED_PLACES, ordinal // 7))
        return _again(*self._write("places", PLACES, ordinal - ordinal // 7 - 1))

    def province(self) -> str:
        """A province's name."""
        return _again(*self._compose("provinces", PROVINCES))

    def river(self) -> str:
        """A river's name."""
        return f"{_again(*self._compose('rivers', RIVERS))} River"

    def work(self) -> str:
        """A title for a film, a book, an album or a song."""
        return _again(*self._compose("works", *TITLES))

    def company(self, suffixes: tuple[str, ...]) -> str:
        """A company's name, ending in one of the suffixes."""
        name, cycle = self._compose("companies", *COMPANIES)
        return _again(f"{name} {self._dice.pick(suffixes)}", cycle)

    def band(self) -> str:
        """A band's name."""
        return _again(*self._compose("bands", *BANDS))

    def award(self) -> str:
        """An award's name."""
        return _again(*self._compose("awards", *AWARDS))

    def _compose(self, pool: str, *patterns: Pattern) -> tuple[str, int]:
        """The next name of a pool that takes its patterns in turn, and the number of times that it came before."""
        rank, number = divmod(self._next(pool), len(patterns))
        # Each pattern starts elsewhere, or "The Wise Hotel" would always come with "Hotel and Salt".
        return self._write(pool, patterns[number], rank, number * 7919)

    def _write(self, pool: str, pattern: Pattern, rank: int, shift: int = 0) -> tuple[str, int]:
        cycle, rank = divmod(rank, pattern.size)
        return pattern((rank * _stride(pattern.size) + self._shifts[pool] + shift) % pattern.size), cycle

    def _next(self, pool: str) -> int:
        count = self._counts[pool] = self._counts.get(pool, -1) + 1
        if count >= SHARES[pool]:
            raise OverflowError(f"a region has only {SHARES[pool]} {pool} to name")
        return self._region * SHARES[pool] + count

    def _middle(self, first: int, family: int) -> str:
        # Later regions reuse the pairs of first and family name under other initials. One pair in six starts with an
        # initial and takes "none" at that initial's turn, so that small worlds have initials too.
        cycle = self._region // CLASSES
        if (first // CLASSES + family) % 6 == 0:
            early = 1 + (first + family) % len(INITIALS)
            cycle = {0: early, early: 0}.get(cycle, cycle)
        letters = []
        while cycle:
            cycle, letter = divmod(cycle - 1, len(INITIALS))
            letters.append(f"{INITIALS[letter]}.")
        return " ".join(letters)


def _join(stems: tuple[str, ...], endings: tuple[str, ...]) -> tuple[str, ...]:
    names = dict.fromkeys(stem + ending for ending in endings for stem in stems)
    return tuple(names)[: len(names) // CLASSES * CLASSES]


@lru_cache(maxsize=64)
def _stride(size: int) -> int:
    stride = int(size * 0.6180339887) | 1
    while gcd(stride, size) > 1:
        stride += 2
    return stride


def _again(name: str, cycle: int) -> str:
    return f"{name} {cycle + 1}" if cycle else name
