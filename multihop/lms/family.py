"""The families of open models, as presets.toml describes them: their context, and whether they think."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

from ..base import InputError

Switch = Literal["enable_thinking", "reasoning_effort"]
Thinking = Literal["never", "asked", "default", "always"]
MAX_TOKENS = 1024
"""Tokens of an answer, unless the request says otherwise."""
THINKING_TOKENS = 4096
"""The same, where thoughts come before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The facts that the models of a family have in common."""

    name: str
    """Its name, such as "Qwen3"."""
    pattern: str
    """The regular expression that is found in the names of its models."""
    context: int
    """Tokens that its largest models can be served with."""
    thinking: Thinking = "never"
    """When its models think before they answer: "default" if they do unless they are told not to, "asked" if they do
    only when they are told to."""
    switch: Switch = "enable_thinking"
    """The value of the chat template that turns thinking on and off."""
    thinking_sampling: Mapping[str, float] = field(default_factory=dict)
    """The drawing of answers while it thinks, as its makers recommend it: `temperature` and `top_p`."""

    def switches(self, model: str, thinking: bool | None) -> dict[str, bool | str]:
        """The values for a model's chat template; models do not think unless they are asked to, if that can be had.

        Args:
            model: The model's name, for errors.
            thinking: True or False, as it was asked for; None if nothing was.

        Raises:
            InputError: The models of this family never think, or cannot be told not to.

        Examples:
            >>> from multihop.lms.family import family_of
            >>> [family_of("qwen3-8b").switches("qwen3-8b", thinking) for thinking in (None, False, True)]
            [{'enable_thinking': False}, {'enable_thinking': False}, {'enable_thinking': True}]
            >>> family_of("gpt-oss-20b").switches("gpt-oss-20b", None)
            {'reasoning_effort': 'low'}
        """
        if self.switch == "reasoning_effort":
            return {} if thinking else {self.switch: "low"}
        if thinking and self.thinking == "never":
            raise InputError(f"'{model}' cannot think: models of the family {self.name} never do.")
        if thinking is False and self.thinking == "always":
            raise InputError(f"'{model}' cannot be told not to think: models of the family {self.name} always do.")
        if self.thinking in ("never", "always"):
            return {}
        return {self.switch: bool(thinking)}

    def thinks(self, thinking: bool | None) -> bool:
        """True if a model of the family thinks, told so."""
        return self.thinking == "always" or (self.thinking != "never" and bool(thinking))


def decoding(family: Family | None, given: Mapping[str, Any], *, thinks: bool) -> dict[str, Any]:
    """The parameters with which a model of one's own is asked: those given, else greedily and to a bounded length.

    Args:
        family: The model's family, if it is known: while it thinks, its answers are drawn as its makers recommend.
        given: Parameters for `dspy.LM`.
        thinks: True if it thinks before it answers.

    Examples:
        >>> from multihop.lms.family import decoding, family_of
        >>> decoding(family_of("qwen3-8b"), {}, thinks=False)
        {'max_tokens': 1024, 'temperature': 0.0}
        >>> decoding(family_of("qwen3-8b"), {"max_tokens": 50}, thinks=True)
        {'max_tokens': 50, 'temperature': 0.6, 'top_p': 0.95}
    """
    usual: dict[str, Any] = {"max_tokens": THINKING_TOKENS if thinks else MAX_TOKENS}
    if "temperature" not in given:
        usual |= {"temperature": 0.0, **(family.thinking_sampling if family and thinks else {})}
    return {**usual, **given}


@functools.cache
def families() -> tuple[Family, ...]:
    """All that are known, the more special ones first."""
    table = tomllib.loads(files(__package__).joinpath("presets.toml").read_text(encoding="utf-8"))
    return tuple(Family(**entry) for entry in table["family"])


def family_of(name: str) -> Family | None:
    """The family of a model, by its name; None if it is not known.

    Examples:
        >>> from multihop.lms.family import family_of
        >>> [family_of(name).name for name in ("Qwen/Qwen3-8B", "qwen2.5-coder:1.5b", "Smollm2 135M 8k")]
        ['Qwen3', 'Qwen2.5', 'SmolLM2']
        >>> family_of("my-model") is None
        True
    """
    plain = re.sub(r"[\s_]", "-", name.lower())
    return next((each for each in families() if re.search(each.pattern, plain)), None)
