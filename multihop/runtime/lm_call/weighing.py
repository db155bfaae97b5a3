"""Verdicts and scores as an LM's probabilities have them: all that it might have written in a word's place, weighed.

A completion is given as its tokens, each with the likeliest at its place, as OpenAI's protocol tells them. The token at
which a field's value begins is found, and the probabilities of all tokens that begin a value are added up by value.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp
from typing import Any, Literal, NamedTuple

import dspy

from ...base import InputError
from ...signatures.output_types import HIGHEST, Score

Decide = Literal["words", "logprobs"]
"""The source of verdicts and scores: the words that the LM writes, or the probabilities of what it might write."""
ASKING: dict[str, Any] = {"logprobs": True, "top_logprobs": 20}
"""The settings of a call that ask for probabilities; 20 tokens at a place are the most that OpenAI and vLLM tell."""
ASKING_FOR_WRITTEN: dict[str, Any] = {"logprobs": True}
"""Those that ask for the probability of each token that was written, and of no other."""
ANSWER = "answer"
"""The output whose probability is told."""
LOGPROB = "logprob"
"""The field in which it is told."""
WHO_TELLS = "model files (gguf:) and folders, OpenAI, Gemini, and servers of vLLM, SGLang and llama.cpp do"

_AROUND = "\\s\"'*`"
_OPENING = re.compile(f"[{_AROUND}]*")
_VERDICT = re.compile(r"(?:(true|yes)|(false|no))\b", re.IGNORECASE)
_NUMBER = re.compile(rf"({HIGHEST}|\d)(?!\d)")


class Place(NamedTuple):
    """One place of a completion."""

    token: str
    """The token that was written."""
    likely: Mapping[str, float]
    """The probability of each token that might have been, that one among them."""


def check_tells_probabilities(lm: dspy.BaseLM) -> None:
    """Refuse an LM that does not tell the probabilities of tokens.

    Raises:
        InputError: It is such an LM.
    """
    if "logprobs" not in lm.supported_params:
        raise InputError(
            f'decide="logprobs" needs the probabilities of tokens, and {lm.model} tells none; {WHO_TELLS}.'
        )


def weigh(prediction: dspy.Prediction, signature: type[dspy.Signature], model: str) -> dspy.Prediction:
    """The prediction with `expected`: the probability of yes for each verdict, the expected value for each score.

    Where an LM puts a value in another form than that of a yes, a no or a number, the value counts as certain. The
    given prediction loses its `logprobs`, so that no demonstration is made of them.

    Raises:
        InputError: The LM told no probabilities.
    """
    logprobs = prediction.get("logprobs")
    if logprobs is not None:
        del prediction["logprobs"]
    places = read_places(logprobs)
    if not places:
        raise InputError(f"{model} was asked for the probabilities of tokens and told none; {WHO_TELLS}.")
    readers = {bool: probability_of_yes, Score: expected_score}
    expected = {}
    for name, field in signature.output_fields.items():
        if (read := readers.get(field.annotation)) is not None and prediction.get(name) is not None:
            value = read(places, name)
            expected[name] = float(prediction[name]) if value is None else round(value, 6)
    return prediction.copy(expected=expected)


def tells_answer(signature: type[dspy.Signature], lm: dspy.BaseLM) -> bool:
    """True if the step answers the question, and the LM can say how sure it was of each token."""
    return ANSWER in signature.output_fields and "logprobs" in lm.supported_params


def with_logprob(prediction: dspy.Prediction) -> dspy.Prediction:
    """The prediction with `logprob`, that of its answer, where the LM told it; what was given loses its `logprobs`."""
    logprobs = prediction.get("logprobs")
    if logprobs is not None:
        del prediction["logprobs"]
    told = mean_logprob(logprobs, str(prediction.get(ANSWER) or ""))
    return prediction if told is None else prediction.copy(**{LOGPROB: round(told, 6)})


def mean_logprob(logprobs: Any, answer: str) -> float | None:
    """The mean logarithm of the probabilities of the tokens in which the answer was last written; None without any.

    Where the completion has it in other letters (as JSON escapes them), that of all its tokens.

    Examples:
        >>> from multihop.runtime.lm_call.weighing import mean_logprob
        >>> tokens = [("So Nice", -3.0), (": ", -0.5), ("Ni", -0.2), ("ce", -0.4), (".", -2.0)]
        >>> told = {"content": [{"token": token, "logprob": logprob} for token, logprob in tokens]}
        >>> round(mean_logprob(told, "Nice"), 6), mean_logprob(None, "Nice")
        (-0.3, None)
    """
    told = [(_field(each, "token"), _field(each, "logprob")) for each in _field(logprobs, "content") or ()]
    start = "".join(token for token, _ in told).rfind(answer)
    end = start + len(answer)
    inside, at = [], 0
    for token, logprob in told:
        if at < end and at + len(token) > start:
            inside.append(logprob)
        at += len(token)
    if start < 0 or not inside:
        inside = [logprob for _, logprob in told]
    return sum(inside) / len(inside) if inside else None


def read_places(logprobs: Any) -> list[Place]:
    """The places of a completion, from `logprobs` as DSPy has them; none if there are none.

    Examples:
        >>> from multihop.runtime.lm_call.weighing import read_places
        >>> read_places({"content": [{"token": " true", "logprob": 0.0, "top_logprobs": []}]})
        [Place(token=' true', likely={' true': 1.0})]
    """
    places = []
    for each in _field(logprobs, "content") or ():
        told = [each, *(_field(each, "top_logprobs") or ())]
        places.append(Place(_field(each, "token"), {_field(one, "token"): exp(_field(one, "logprob")) for one in told}))
    return places


def probability_of_yes(places: Sequence[Place], field: str) -> float | None:
    """The probability that the field is true, against its being false; None if its value is neither yes nor no.

    Examples:
        >>> from multihop.runtime.lm_call.weighing import Place, probability_of_yes
        >>> value = Place(" true", {" true": 0.6, " false": 0.2, "true": 0.1, " null": 0.1})
        >>> probability_of_yes([Place('{"enough":', {}), value, Place("}", {})], "enough")
        0.777...
    """
    found = _value_place(places, field)
    if found is None:
        return None
    place, before = places[found.number], found.before
    mass = {True: 0.0, False: 0.0}
    for token, probability in place.likely.items():
        if (side := _side(_rest(token, before))) is not None:
            mass[side] += probability
    if _side(_rest(place.token, before)) is None or not any(mass.values()):
        return None
    return mass[True] / (mass[True] + mass[False])


def expected_score(places: Sequence[Place], field: str) -> float | None:
    """The mean of the scores from 0 to 10 that the field might have, by probability; None if its value is no number.

    Where tokens are single digits, "1" also begins "10". If it was written, the next place tells how often it does;
    if not, it counts as the one of the two that is nearer to the score that was.

    Examples:
        >>> from multihop.runtime.lm_call.weighing import Place, expected_score
        >>> value = Place(" 8", {" 8": 0.5, " 10": 0.25, " 6": 0.25})
        >>> expected_score([Place('{"score":', {}), value, Place("}", {})], "score")
        8.0
    """
    found = _value_place(places, field)
    if found is None:
        return None
    place, before = places[found.number], found.before
    written = _NUMBER.match(_rest(place.token, before))
    if written is None:
        return None
    mass: dict[int, float] = defaultdict(float)
    for token, probability in place.likely.items():
        rest = _rest(token, before)
        if rest == "1":
            ten = _share_of_ten(places, found.number, before, int(written[1]))
            mass[HIGHEST] += ten * probability
            mass[1] += (1 - ten) * probability
        elif (number := _NUMBER.match(rest)) is not None:
            mass[int(number[1])] += probability
    total = sum(mass.values())
    return sum(score * each for score, each in mass.items()) / total if total else None


class _Found(NamedTuple):
    number: int
    """The place at which a value begins."""
    before: str
    """The part of its token that comes before the value."""


def _value_place(places: Sequence[Place], field: str) -> _Found | None:
    """The place at which the field's value begins, after its name as a header, a tag or JSON.

    JSON comes last: a thought under a header may quote it, and a quote in JSON is escaped.
    """
    text = "".join(place.token for place in places)
    name, thought = re.escape(field), text.rfind("</think>") + 1
    forms = (rf"\[\[ ## {name} ## \]\]", rf"<{name}>", rf'(?<!\\)"{name}"\s*:')
    label = next((found for form in forms if (found := re.compile(form).search(text, thought))), None)
    if label is None:
        return None
    start = _OPENING.match(text, label.end()).end()  # type: ignore[union-attr]
    end = 0
    for number, place in enumerate(places):
        begin, end = end, end + len(place.token)
        if start < end:
            return _Found(number, place.token[: start - begin])
    return None


def _rest(token: str, before: str) -> str:
    """The token without what comes before the value."""
    return token.removeprefix(before)[_OPENING.match(token.removeprefix(before)).end() :]  # type: ignore[union-attr]


def _side(text: str) -> bool | None:
    """The verdict that a token begins, such as "true," or "fal"; None if it begins none."""
    if (whole := _VERDICT.match(text)) is not None:
        return whole[1] is not None
    part = text.lower()
    for side, words in ((True, ("true", "yes")), (False, ("false", "no"))):
        if part and any(word.startswith(part) for word in words):
            return side
    return None


def _share_of_ten(places: Sequence[Place], number: int, before: str, written: int) -> float:
    """The share of "1" that is the beginning of "10"."""
    if _rest(places[number].token, before) != "1":
        return float(HIGHEST - written < written - 1)
    after = places[number + 1].likely if number + 1 < len(places) else {}
    total = sum(after.values())
    return sum(each for token, each in after.items() if token.startswith("0")) / total if total else 0.0


def _field(record: Any, name: str) -> Any:
    """A field of a record as DSPy has it, a dict, or as LiteLLM has it, an object."""
    return record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
