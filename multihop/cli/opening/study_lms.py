"""The LMs of a study: the one that answers, and those that an experiment names for single steps."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base import unknown
from .inputs import split_pairs

if TYPE_CHECKING:
    import dspy

    from ...data import Question
    from ...experiments import Experiment
    from ...experiments.opening import LMMaker
    from ...retrieval import Passage
    from .lms import LMs


def lm_maker(name: str, experiment: "Experiment", lms: "LMs") -> "LMMaker":
    """A function that opens the LM for a question set: decoding as the paper does, unless told otherwise."""
    lms.expect(name)

    def make(questions: "Iterable[Question]", passages: "Iterable[Passage]") -> "dspy.LM":
        return lms.open(name, decoding=experiment.decoding, questions=questions, passages=passages)

    return make


def other_lms(pairs: list[str] | None, experiment: "Experiment", lms: "LMs") -> "dict[str, LMMaker]":
    """The LMs written NAME=LM, by what the experiment calls them.

    Raises:
        InputError: One is not written like that, or the experiment calls no LM so.
    """
    known = {name: None for row in experiment.rows for name in row.step_lms.values()}
    named = split_pairs(pairs, "another LM is written NAME=LM")
    for name in named:
        if name not in known:
            raise unknown(f"LM of {experiment.name}", name, known)
    return {name: lm_maker(model, experiment, lms) for name, model in named.items()}
