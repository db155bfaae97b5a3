"""The grounds of an answer in a terminal: how sure it is, what was withheld, and claims that no source bears."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from ...english.refusals import refuses
from ...runtime.grounds.citation import Citation
from ...runtime.program.prediction import confidence_in_words
from .colours import ANSWER, ASIDE, GOES_ON

MOST = 3
"""Claims without a source that are shown; the rest is counted."""


def answer_line(told: Mapping[str, Any], colour: str = ANSWER) -> Text:
    """The answer, and how sure it is; one that says itself that there is none is not said to be sure.

    Args:
        told: The fields of a prediction or of a row.
        colour: The colour of an answer that was given.

    Examples:
        >>> from multihop.cli.showing.grounds import answer_line
        >>> answer_line({"answer": "Danube", "confidence": 0.834, "calibrated": True}).plain
        '→ Danube  83 % sure'
        >>> answer_line({"answer": "Danube", "confidence": 0.834, "calibrated": False}).plain
        '→ Danube  83 % sure, not calibrated'
    """
    answer = str(told["answer"] or "")
    line = Text.assemble("→ ", (answer, f"bold {GOES_ON if told.get('abstained') else colour}"))
    return line if "best_guess" in told or refuses(answer) else line.append_text(_sure(told))


def withheld_lines(told: Mapping[str, Any]) -> Iterator[Text]:
    """Why an answer was withheld, and which; nothing where none was."""
    if "reason" in told:
        yield Text(str(told["reason"]), style=GOES_ON)
    if "best_guess" in told:
        guess = Text.assemble(("best guess: ", ASIDE), (str(told["best_guess"]), "bold"))
        yield guess.append_text(_sure(told))


def unborne_lines(told: Mapping[str, Any]) -> Iterator[Text]:
    """The claims that no passage bears, a line each.

    Examples:
        >>> from multihop.cli.showing.grounds import unborne_lines
        >>> missing = {"claim": "Rhine", "verdict": "not found", "passage": "", "sentence": ""}
        >>> [line.plain for line in unborne_lines({"answer": "Rhine", "citations": [missing]})]
        ['no source bears the answer']
    """
    citations: list[Citation] = told.get("citations") or []
    claims = [each["claim"] for each in citations if each["verdict"] == "not found"]
    answer = guess_of(told)
    if answer in claims:
        yield Text("no source bears the answer", style=GOES_ON)
    others = [claim for claim in dict.fromkeys(claims) if claim != answer]
    for claim in others[:MOST]:
        yield Text(f"no source says: {claim}", style=ASIDE, no_wrap=True, overflow="ellipsis")
    if len(others) > MOST:
        yield Text(f"… and {len(others) - MOST} more that no source says", style=ASIDE)


def guess_of(told: Mapping[str, Any]) -> str:
    """The answer, or the one that was withheld: what citations and marks are about."""
    return str(told.get("best_guess", told["answer"]) or "")


def _sure(told: Mapping[str, Any]) -> Text:
    """The confidence in a few words."""
    if (confidence := told.get("confidence")) is None:
        return Text()
    return Text.assemble("  ", (confidence_in_words(confidence, told.get("calibrated")), ASIDE))
