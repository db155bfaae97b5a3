"""The LM that a saved program was compiled for: its name, never its address, and a word where another one is used."""

import os
from collections.abc import Mapping
from typing import Any

import dspy

from ..evaluation.lm_identity import lm_identity

_LM, _OWN_SERVER = "lm", "own server"


def about_lm(lm: Any) -> dict[str, Any]:
    """The facts that a saved program keeps about the LM it was compiled for."""
    if not isinstance(lm, dspy.BaseLM):
        return {_LM: None}
    decoding = lm_identity(lm)["decoding"]
    served = {_OWN_SERVER: True} if lm.kwargs.get("api_base") else {}
    return {_LM: lm.model, **({"decoding": decoding} if decoding else {}), **served}


def compiled_for(about: Mapping[str, Any]) -> str | None:
    """The name of that LM; None where the file says nothing of one."""
    name = about.get(_LM)
    return name if isinstance(name, str) and name else None


def on_own_server(about: Mapping[str, Any]) -> bool:
    """True if that LM was on a server of one's own, so that its name alone does not reach it."""
    return about.get(_OWN_SERVER) is True


def note_on_other_lm(path: str | os.PathLike[str], about: Mapping[str, Any], lm: dspy.BaseLM | None) -> str | None:
    """One sentence if the program at `path` was compiled for another LM than the one it is used with."""
    meant = compiled_for(about)
    if meant is None or lm is None or lm.model == meant:
        return None
    return (
        f"{os.fspath(path)} was compiled for {meant} and is used with {lm.model}; its scores were not measured with it."
    )


def note_on_step_lms(path: str | os.PathLike[str], step_lms: Mapping[str, dspy.BaseLM | str], lm: str) -> str | None:
    """One sentence if the program at `path` has LMs of its own for single steps, other than the one given for all."""
    names = {step: each if isinstance(each, str) else each.model for step, each in step_lms.items()}
    others = [f"{name} for the step {step}" for step, name in names.items() if name != lm]
    if not others:
        return None
    return (
        f"{os.fspath(path)} asks {' and '.join(others)}, and {lm} for all others; "
        "--step-lm STEP=LM (in Python, settings={'lms': ...}) gives others."
    )
