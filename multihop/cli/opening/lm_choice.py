"""The LM that a command uses: the one given, the one of a saved program, or `local`; and the LMs of a study."""

from typing import TYPE_CHECKING

from ...base import InputError, reword, unknown
from .inputs import split_pairs, tell_user

if TYPE_CHECKING:
    from collections.abc import Iterable

    import dspy

    from ...data import Question
    from ...experiments import Experiment
    from ...experiments.opening import LMMaker
    from ...optimize.saved_program import SavedProgram
    from ...retrieval import Passage
    from .lms import LMs

DEFAULT = "local"


def open_lm_for(
    saved: "SavedProgram | None", lm: str | None, lms: "LMs", *, step_lms: list[str] | None = None
) -> "dspy.LM":
    """The LM, opened; a line on the terminal says so where a saved program was compiled for another one, or asks
    others for single steps.

    Args:
        saved: The saved program, if it is one.
        lm: The LM by name, if one was given.
        lms: Opens an LM by its name, with whatever else was given for it.
        step_lms: The LMs of single steps that were given, which then are the only ones.

    Raises:
        InputError: None was given, and the one that the program was compiled for cannot be opened like this.
    """
    if saved is None:
        return lms.open(lm or DEFAULT)
    from ...optimize.compiled_for import note_on_other_lm, note_on_step_lms, on_own_server

    program, facts = saved.path, saved.about
    meant = saved.lm if lm is None else None
    if lm is not None or meant is None:
        model = lms.open(lm or DEFAULT)
    elif on_own_server(facts) and lms.api_base is None:
        raise InputError(
            f"{program} was compiled for '{meant}' on a server whose address is not stored: "
            "give it with --api-base, or another LM with --lm."
        )
    else:
        try:
            model = lms.open(meant)
        except InputError as error:
            message = f"{program} was compiled for '{meant}' (--lm names another one): {error}"
            raise reword(error, message) from None
    if note := note_on_other_lm(program, facts, model):
        tell_user(note)
    own = saved.step_lms
    if lm is not None and not step_lms and (note := note_on_step_lms(program, own, model.model)):
        tell_user(note)
    return model


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
