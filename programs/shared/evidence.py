"""The evidence of a method: its pieces, the step that reads them, and rules by which a search ends early.

The rules end a search before its limits do, at what repeats and what brings nothing new: the setting `stops`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import dspy

from ...retrieval import Passage
from ...runtime import Program

Text = TypeVar("Text")
Stop = Literal["repeats", "nothing-new"]
STOPS: tuple[Stop, ...] = ("repeats", "nothing-new")

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")


class Evidence(NamedTuple):
    """A conclusion and the passages it was drawn from."""

    analysis: str
    """The conclusion; empty where none was drawn."""
    passages: tuple[Passage, ...]

    @property
    def record(self) -> dict[str, Any]:
        """The piece as plain values, its passages by id."""
        return {"analysis": self.analysis, "passages": [passage.id for passage in self.passages]}

    def __str__(self) -> str:
        """The piece as a prompt shows it."""
        assertion = [f"Assertion: {self.analysis}"] if self.analysis else []
        return "\n".join([*assertion, *(f"Paragraph: {passage}" for passage in self.passages)])


def fitting(texts: Iterable[Text], tokens: int) -> list[Text]:
    """The texts or passages that fit, in their order; the first always does, and one that is too long is passed over.

    Tokens are counted as words and punctuation marks, close to what tokenizers of English come to.
    """
    result: list[Text] = []
    for text in texts:
        size = _size(text)
        if not result or size <= tokens:
            result.append(text)
            tokens -= size
    return result


def room(step: dspy.Module, tokens: int, *inputs: object) -> int:
    """The tokens of an input that are left for evidence, beside instructions, demonstrations, and other inputs."""
    (predictor,) = step.predictors()
    shown = [value for demo in predictor.demos for value in dict(demo).values()]
    return tokens - sum(map(_size, (predictor.signature.instructions, *shown, *inputs)))


def _size(text: object) -> int:
    return len(_TOKEN.findall(str(text)))


def distinct_passages(evidence: Iterable[Evidence]) -> list[Passage]:
    """The passages of all pieces, each once, in order."""
    return list({passage.id: passage for piece in evidence for passage in piece.passages}.values())


async def read_last(program: Program, reader: dspy.Module, /, **inputs: Any) -> dspy.Prediction:
    """Ask the last step of a method; where its setting `reads` is false, no LM is asked and the answer is None."""
    return await program.ask(reader, **inputs) if program.reads else dspy.Prediction(answer=None)


def nearest_first(
    evidence: Sequence[Evidence], text: str, embed: Callable[[Sequence[str]], Any] | None = None
) -> list[Evidence]:
    """The pieces that are most like the text first: by the vectors that `embed` gives, else by common words."""
    if embed is not None:
        target, *vectors = embed([text, *map(str, evidence)])
        likeness = [float(vector @ target) for vector in vectors]
    else:
        words = set(wording(text).split())
        likeness = [len(words.intersection(wording(str(piece)).split())) / max(1, len(words)) for piece in evidence]
    order = sorted(range(len(evidence)), key=lambda place: -likeness[place])
    return [evidence[place] for place in order]


def wording(text: str) -> str:
    """The words alone, in lower case: what is left when two texts differ in spacing and punctuation only."""
    return " ".join(_WORD.findall(text.lower()))


def agree(one: str, other: str) -> bool:
    """True if one text says what the other says, word for word, perhaps with more around it."""
    first, second = (f" {wording(text)} " for text in (one, other))
    return bool(first.strip() and second.strip()) and (first in second or second in first)


def stop(program: Program, rule: Stop, so: bool, why: str) -> bool:
    """True if the rule is one of the program's and it is `so`; then it is put on record with the reason."""
    if not so or rule not in program.stops:
        return False
    program.record({"step": "stop", "outputs": {"rule": rule, "why": why}})
    return True


def repeats(program: Program, query: str, before: Iterable[str]) -> bool:
    """True if the words of the query were asked before, and that ends the search."""
    return stop(program, "repeats", wording(query) in map(wording, before), f"It was asked before: {query}")


def brings_nothing(program: Program, found: Sequence[Passage], new: Sequence[Passage]) -> bool:
    """True if passages were found and none of them is new, and that ends the search."""
    return stop(program, "nothing-new", bool(found) and not new, "All that was found was known.")
