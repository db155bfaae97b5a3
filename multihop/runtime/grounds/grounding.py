"""The grounds of an answer put on its prediction: confidence always, the encoder's reading where it is asked for."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, Protocol, TypedDict

from ...base.plurals import say_count
from ...english.refusals import NO_ANSWER, refuses
from ...retrieval import Passage
from .citation import Citation
from .confidence import USUAL, Calibration
from .signals import FIRST, Signals, free_signals


class Grounds(TypedDict):
    """The fields by which an answer says what it stands on; a program that does not read has none of them."""

    confidence: NotRequired[float]
    """The probability that the answer is right, between 0 and 1."""
    calibrated: NotRequired[bool]
    """True if that was fitted on dev questions (`multihop calibrate`); otherwise it ranks answers and is no
    probability."""
    signals: NotRequired[Signals]
    """The numbers behind it."""
    citations: NotRequired[list[Citation]]
    """The sentences that bear the answer and the conclusions on the way; only with `grounds` or `abstain_below`."""
    abstained: NotRequired[bool]
    """True if the answer was withheld, or says itself that there is none."""
    best_guess: NotRequired[str]
    """The answer that was withheld; missing where none was."""
    reason: NotRequired[str]
    """The reason why it was withheld, in a sentence; missing where none was."""


class Grounded(Protocol):
    """The settings of a program that decide about the grounds of its answers."""

    grounds: bool
    abstain_below: float
    calibration: Calibration | None


async def ground(program: Grounded, question: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a prediction with its grounds.

    Args:
        program: The program that answered.
        question: The question.
        fields: The prediction's fields, the record of the question among them.
    """
    if fields.get("answer") is None:
        return dict(fields)  # it was told not to read
    answer = str(fields["answer"])
    passages = [each for each in fields.get("passages") or () if isinstance(each, Passage)]
    signals, found = free_signals(question, answer, fields), dict(fields)
    if program.grounds or program.abstain_below > 0:
        from .citations import cite  # these open the encoder, which others never need
        from .reading import read_signals

        conclusions = [str(piece.get("analysis") or "") for piece in found.get("evidence") or () if _is_record(piece)]
        told, found["citations"] = await asyncio.gather(  # both ask the encoder: in one run
            read_signals(question, answer, passages[:FIRST]), cite(question, answer, conclusions, passages)
        )
        signals |= told
    calibration = program.calibration or USUAL
    confidence = calibration.confidence(signals)
    found |= {
        "confidence": round(confidence, 6),
        "calibrated": program.calibration is not None,
        "signals": {name: round(float(value), 6) for name, value in signals.items()},  # type: ignore[arg-type]
        "abstained": refuses(answer),
    }
    if confidence < program.abstain_below and not found["abstained"]:
        reason = why_not(confidence, program.abstain_below, passages)
        found |= {"abstained": True, "best_guess": answer, "reason": reason, "answer": NO_ANSWER}
    return found


def why_not(confidence: float, least: float, passages: Sequence[Passage]) -> str:
    """The reason for giving no answer, in a sentence.

    Examples:
        >>> from multihop.runtime.grounds.grounding import why_not
        >>> why_not(0.21, 0.5, [])
        'Nothing was found that could answer it.'
        >>> why_not(0.21, 0.5, [Passage("1", "Etna", "A volcano.")])
        'The best guess from 1 passage has a confidence of 21 %, and 50 % are asked for.'
    """
    if not passages:
        return "Nothing was found that could answer it."
    read = say_count(len(passages), "passage")
    return f"The best guess from {read} has a confidence of {confidence:.0%}, and {least:.0%} are asked for.".replace(
        "%", " %"
    )


def _is_record(piece: Any) -> bool:
    return isinstance(piece, Mapping)
