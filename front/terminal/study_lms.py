"""The LMs of a study: the one that answers, and those that an experiment names for single steps."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import ujson

from ..base import InputError, unknown
from .sources import open_lm_named

if TYPE_CHECKING:
    import dspy

    from ..data import Question
    from ..experiments import Experiment
    from ..experiments.opening import LMMaker
    from ..retrieval import Passage

BUILT_IN = ("local", "lexical", "simulated")
"""LMs of this library, which decode in one way and have no address."""


def lm_maker(
    name: str, experiment: "Experiment", lm_set: list[str] | None, api_base: str | None, seed: int
) -> "LMMaker":
    """What opens the LM for a question set: decoding as the paper does, unless told otherwise."""
    decoding = (
        [] if name in BUILT_IN else [f"{each}={ujson.dumps(value)}" for each, value in experiment.decoding.items()]
    )

    def make(questions: "Iterable[Question]", passages: "Iterable[Passage]") -> "dspy.LM":
        settings = [*decoding, *(lm_set or ())]
        return open_lm_named(name, settings, api_base=api_base, questions=questions, passages=passages, seed=seed)

    return make


def other_lms(
    pairs: list[str] | None, experiment: "Experiment", lm_set: list[str] | None, api_base: str | None, seed: int
) -> "dict[str, LMMaker]":
    """The LMs written NAME=LM, by what the experiment calls them.

    Raises:
        InputError: One is not written like that, or the experiment calls no LM so.
    """
    known = {name: None for row in experiment.rows for name in row.step_lms.values()}
    made: dict[str, LMMaker] = {}
    for pair in pairs or ():
        name, equals, model = pair.partition("=")
        if not (equals and name.strip() and model.strip()):
            raise InputError(f"another LM is written NAME=LM, not '{pair}'.")
        if name.strip() not in known:
            raise unknown(f"LM of {experiment.name}", name.strip(), known)
        made[name.strip()] = lm_maker(model.strip(), experiment, lm_set, server_of(model.strip(), api_base), seed)
    return made


def server_of(name: str, api_base: str | None) -> str | None:
    """The server that an LM is on: none, if it is built in."""
    return None if name in BUILT_IN else api_base
