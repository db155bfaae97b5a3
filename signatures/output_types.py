"""Types of outputs that a server or a grammar can hold an LM to: a score, an action, a list that ends.

A prompt names a type by its class's name, so each bears that of the plain type it is. What an LM writes freely is read
generously: "8/10" is a score, and of a list that goes on and on the first items count.
"""

import functools
import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

Action = Literal["search", "finish"]
"""The two actions of an agent."""
HIGHEST = 10
"""The best score."""
_NUMBER = r"(?<![\w.-])(\d+(?:\.\d+)?)"
_FORMS = (
    re.compile(rf"{_NUMBER}\s*(?:/|out of)\s*10(?![\d.]*\d)", re.IGNORECASE),
    re.compile(rf"\bscore\b\W*(?:is|of)?\W*{_NUMBER}(?!\d|\.\d|\s*%)", re.IGNORECASE),
    re.compile(rf"{_NUMBER}(?!\d|\.\d|\s*%)"),
)


class Score(float):
    """A score from 0 to 10, however an LM writes it."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        schema = {"type": "integer", "minimum": 0, "maximum": HIGHEST}
        return handler(Annotated[Any, AfterValidator(_points), WithJsonSchema(schema)])


class Texts(list[str]):
    """At most ten texts; of more, the first ten."""

    most: ClassVar[int] = 10

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return handler(Annotated[list[str], BeforeValidator(cls._first), Field(max_length=cls.most)])

    @classmethod
    @functools.cache
    def at_most(cls, most: int) -> "type[Texts]":
        """The type of a list of at most so many texts."""
        return type(cls.__name__, (cls,), {"most": min(most, cls.most)})

    @classmethod
    def _first(cls, value: Any) -> Any:
        return value[: cls.most] if isinstance(value, list) else value


Score.__name__, Texts.__name__ = "int", "list[str]"


def _points(value: Any) -> int | float:
    """The number from 0 to 10 in what an LM wrote.

    Raises:
        ValueError: There is none.
    """
    text = str(value)
    for form in _FORMS:
        if numbers := form.findall(text):
            points = float(numbers[-1])
            if points <= HIGHEST:
                return int(points) if points.is_integer() else points
            break
    raise ValueError(f"no number from 0 to 10 in {text!r}")
