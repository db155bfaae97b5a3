"""The points of a sweep: the default, and the values beside it, as a whole grid or each setting alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from math import prod
from typing import Any

import ujson

from ...base import InputError, unknown
from ...base.plain import plain_value
from ...runtime import Program, check_setting, settings_of
from ..choosing.measured import plain_setting

MAX_POINTS = 64
DEFAULT = "default"
NOT_SWEPT = {
    "concurrency": "it changes no answer",
    "lms": "each LM is a run or a sweep of its own (--lm, --step-lm)",
}
"""Settings that a sweep refuses, with the reason."""
LONGEST = 80
"""Characters of a folder's name that say what a point is, before a hash does."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting of the program."""

    settings: dict[str, Any]
    """The value of every setting that is swept."""
    changed: dict[str, Any]
    """Those of them that are not as by default."""

    @property
    def is_default(self) -> bool:
        """True if nothing is changed."""
        return not self.changed

    @property
    def title(self) -> str:
        """The point in words: "default", or what is changed."""
        return " ".join(f"{name}={show_value(value)}" for name, value in self.changed.items()) or DEFAULT

    @property
    def folder(self) -> str:
        """The name of its folder, which does not depend on what else is swept.

        Examples:
            >>> from multihop.experiments.sweeping.points import SweepPoint
            >>> SweepPoint({}, {"reuse": "none", "exploration": 0.5}).folder
            'exploration-0.5+reuse-none'
        """
        if self.is_default:
            return DEFAULT
        text = "+".join(f"{name}-{show_value(value)}" for name, value in sorted(self.changed.items()))
        plain = re.sub(r"[^A-Za-z0-9._+]+", "-", text)[:LONGEST].strip("-.")
        return plain if plain == text else f"{plain}-{blake2b(text.encode(), digest_size=4).hexdigest()}"


def plan_points(
    program: Program, over: Mapping[str, Sequence[Any]], *, one_at_a_time: bool = False, most: int = MAX_POINTS
) -> list[SweepPoint]:
    """The points, the default first, each once.

    Args:
        program: The program as by default.
        over: The values of each setting that is swept.
        one_at_a_time: Vary each setting alone, the others as by default, in the place of all combinations.
        most: Points at most.

    Raises:
        InputError: Nothing is swept, a setting is none of the program's, a value does not fit it, or there are too
            many points.

    Examples:
        >>> from multihop.experiments.sweeping.points import plan_points
        >>> from multihop.programs import create
        >>> program = create("one-step", lambda query, k: [])
        >>> [point.title for point in plan_points(program, {"k": [3, 5, 10]})]
        ['default', 'k=3', 'k=10']
    """
    values = {name: _checked(program, name, some) for name, some in over.items()}
    if not values:
        raise InputError("a sweep goes over a setting or more, such as --over k=3,5,10.")
    usual = {name: plain_value(program.settings[name]) for name in values}
    if one_at_a_time:
        planned = [usual, *({**usual, name: value} for name, some in values.items() for value in some)]
    else:
        size = prod(map(len, values.values()))
        if size > most + 1:  # before a grid of millions is laid out
            raise _too_many(size, most)
        planned = [usual, *(dict(zip(values, each, strict=True)) for each in product(*values.values()))]
    found: dict[str, SweepPoint] = {}
    for settings in planned:
        changed = {name: value for name, value in settings.items() if value != usual[name]}
        found.setdefault(ujson.dumps(settings), SweepPoint(settings, changed))
    if len(found) > most:
        raise _too_many(len(found), most)
    return list(found.values())


def show_value(value: Any) -> str:
    """A value as `--over` takes it, without blanks."""
    return "".join(plain_setting(value).split())


def _checked(program: Program, name: str, values: Sequence[Any]) -> list[Any]:
    """The values, each converted to the setting's type, in the words of a record."""
    known = {each: setting for each, setting in settings_of(type(program)).items() if each not in NOT_SWEPT}
    if name in NOT_SWEPT and name in settings_of(type(program)):
        raise InputError(f"{name} is not swept: {NOT_SWEPT[name]}; {program.name} has {', '.join(sorted(known))}.")
    if name not in known:
        raise unknown(f"setting of {program.name}", name, known)
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise InputError(f"the values of {name} are a list of one or more, not {values!r}.")
    if isinstance(program.settings[name], tuple) and not all(isinstance(value, list | tuple) for value in values):
        shown = ",".join(map(show_value, values))
        raise InputError(f"a value of {name} is a list, and stands in brackets: {name}=[{shown}], not {name}={shown}.")
    return [plain_value(check_setting(program.name, name, value, known)) for value in values]


def _too_many(size: int, most: int) -> InputError:
    return InputError(
        f"the sweep has {size:,} points, and {most} are allowed: leave out values, vary each setting alone "
        "(--one-at-a-time), or allow more (--max-points)."
    )
