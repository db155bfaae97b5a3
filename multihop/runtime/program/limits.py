"""The settings that every program has, as a constructor passes them on."""

from collections.abc import Mapping
from typing import Annotated, TypedDict

import dspy
from pydantic import Field, InstanceOf

from ..cost.budget import Budget
from .settings import Count

Retries = Annotated[int, Field(ge=0)]
"""The number of further attempts; 0 is none."""
StepLMs = Mapping[str, InstanceOf[dspy.BaseLM] | str]
"""LMs, or their names, by the names of steps."""


class Limits(TypedDict, total=False):
    """The limits that every program takes; editors complete them where a constructor takes `**limits: Unpack[Limits]`.

    Examples:
        >>> from typing import Unpack
        >>> from multihop.runtime import Limits, Program
        >>> class Silent(Program):
        ...     retrieves = False
        ...
        ...     def __init__(self, *, aloud: bool = False, **limits: Unpack[Limits]) -> None:
        ...         super().__init__(**limits)
        ...         self.aloud = aloud
        >>> Silent(retries=1).settings["retries"]
        1
    """

    budget: Budget | None
    """The most that one question may cost; the search then stops and the program reads what it has."""
    concurrency: Count
    """LM calls in flight at most, over all questions this program is answering."""
    retries: Retries
    """The number of times that an unparseable completion is asked for again."""
    lms: StepLMs | None
    """The LM of a step, or its name, by the step's name, such as `{"read": "openai/gpt-4.1"}`; all other steps take the
    LM that DSPy is configured with."""
