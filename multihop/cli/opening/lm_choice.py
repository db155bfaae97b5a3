"""The LM that a command uses: the one given, the one of a saved program, or `local`; and the LMs of a study."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...base import InputError, reword, unknown
from .inputs import split_pairs, tell_user

if TYPE_CHECKING:
    from collections.abc import Iterable

    import dspy

    from ...data import Question
    from ...experiments import Experiment
    from ...optimize.artefact import SavedProgram
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
        InputError: None was given, and the one that the program was compiled for cannot be opened like this; or it has
            an LM for a step on a server whose address it does not have.
    """
    if saved is None:
        return lms.open(lm or DEFAULT)
    from ...lms.hosted import split_address
    from ...lms.own_server import PROVIDER

    program = saved.path
    meant = saved.lm if lm is None else None
    if lm is not None or meant is None:
        model = lms.open(lm or DEFAULT)
    elif saved.on_own_server and lms.api_base is None:
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
    if note := saved.note_on_other_lm(model):
        tell_user(note)
    own = {} if step_lms else saved.step_lms
    for step, name in own.items():
        if name.startswith(f"{PROVIDER}/") and split_address(name)[1] is None:
            raise InputError(
                f"{program} asks {name} for the step {step}, on a server whose address is not stored: "
                f"give it with --step-lm {step}={name}@http://HOST:PORT/v1."
            )
    if lm is not None and (note := saved.note_on_step_lms(own, model.model)):
        tell_user(note)
    return model


@dataclass(frozen=True, slots=True)
class LMOfStudy:
    """Opens the LM for a question set of a study."""

    name: str
    """The LM, as on the command line."""
    lms: "LMs"
    """The opener of LMs."""

    @property
    def model(self) -> str:
        """The LM's own name, which a file of LMs may have under another."""
        return self.lms.model_of(self.name)

    def __call__(self, questions: "Iterable[Question]", passages: "Iterable[Passage]") -> "dspy.LM":
        """The LM, open; it is one for all question sets."""
        return self.lms.open(self.name)


def study_lms(
    given: list[str] | None, experiment: "Experiment", lms: "LMs"
) -> "tuple[LMOfStudy | None, dict[str, LMOfStudy]]":
    """The LM for all rows of a study, written LM, and those written NAME=LM, by what the experiment calls them.

    Args:
        given: As on the command line; `local` for all rows where nothing is given.
        experiment: The experiment.
        lms: What opens LMs.

    Raises:
        InputError: Several are given for all rows or for one name, or the experiment has no LM of a name.
    """
    names, for_all = experiment.lm_names, [each for each in given or [DEFAULT] if "=" not in each]
    if len(for_all) > 1:
        others = f", such as {names[0]}={for_all[1]}" if names else ""
        raise InputError(f"--lm is given for all rows twice, {for_all[0]} and {for_all[1]}; give one by name{others}.")
    named = split_pairs([each for each in given or () if "=" in each], "an LM by name is written NAME=LM")
    for name in named:
        if name not in names:
            raise unknown(f"LM of {experiment.name}", name, names)
    for name in [*for_all, *named.values()]:
        lms.expect(name)
    by_name = {name: LMOfStudy(lm, lms) for name, lm in named.items()}
    return (LMOfStudy(for_all[0], lms) if for_all else None), by_name
