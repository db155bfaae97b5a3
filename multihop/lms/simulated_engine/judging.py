"""Judges a demonstration, output by output: does it say what a perfect step would say, given its own inputs alone?"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...data.gold.whole_words import occurrences
from .case import Case, GoldFact
from .shown import ShownFacts

FieldJudge = Callable[[ShownFacts, Any], str]
"""Returns the flaw of a value, given what the demonstration shows; empty if it has none."""
_NOTHING = ("", "no information", "not found", "unknown")


def flaw(case: Case, outputs: Mapping[str, Any]) -> str:
    """The flaw in the outputs of a demonstration, given the case with its inputs; empty if there is none.

    Args:
        case: The inputs as its prompt's, and an LM that does not err.
        outputs: The demonstration's outputs.
    """
    shown = ShownFacts(case, outputs)
    for field in case.prompt.output_fields:
        if field.name not in outputs:
            return f"{field.name} is missing"
        value = outputs[field.name]
        judge = JUDGES.get(field.name)
        if judge and (wrong := judge(shown, value)):
            return f"{field.name} {wrong}"
        if not shown.from_memory and any(shown.leaks(text) for text in _texts(value)):
            return f"{field.name} gives the answer away"
    return ""


def _texts(value: Any) -> Iterator[str]:
    yield from value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _verdict(value: Any, right: bool) -> str:
    return "" if str(value) == str(right) else f"should be {right}"


def _relevant(shown: ShownFacts, value: Any) -> str:
    path = [str(each) for each in shown.inputs.get("path", ())]
    return _verdict(value, bool(set(shown.gold.passages).intersection(path)))


def _enough(shown: ShownFacts, value: Any) -> str:
    outputs = shown.outputs
    if "thought" in outputs and "action" not in outputs and shown.complete:
        return _verdict(value, bool(occurrences(str(outputs["thought"]), shown.gold.answers)))
    return _verdict(value, shown.complete)


def _action(shown: ShownFacts, value: Any) -> str:
    right = "finish" if shown.complete else "search"
    return "" if str(value).strip().lower() == right else f"should be {right}"


def _actions(shown: ShownFacts, value: Any) -> str:
    actions = [str(each).partition(": ") for each in value]
    ends = [rest for kind, _, rest in actions if kind == "finish"]
    if bool(ends) != shown.complete or not all(map(shown.is_right, ends)):
        return "finish where they should search" if ends else "search where they should finish"
    return _list(shown, [rest for kind, _, rest in actions if kind != "finish"])


def _answer(shown: ShownFacts, value: Any) -> str:
    if value == "" and not shown.complete and not shown.from_memory:
        return ""  # a step that asks on, or acts on, gives no answer yet
    if not shown.is_right(value):
        return "is not right"
    facts = shown.from_memory or shown.complete or occurrences(shown.text, [str(value)])
    return "" if facts else "is told by nothing"


def _question(shown: ShownFacts, value: Any) -> str:
    """A sub-question or a query: nothing need be asked where everything is known."""
    return "" if shown.complete or not shown.gold.facts else _list(shown, [str(value)])


def _questions(shown: ShownFacts, value: Any) -> str:
    wanted = shown.inputs.get("number")
    if wanted is not None and len(value) != int(wanted):
        return f"are {len(value)} where {wanted} are asked for"
    return _list(shown, [str(each) for each in value])


def _thoughts(shown: ShownFacts, value: Any) -> str:
    """The flaw of thoughts: they must be next facts, or what to find out next; and the answer if all is known."""
    texts, wanted = [str(each) for each in value], shown.inputs.get("number")
    if wanted is not None and len(texts) != int(wanted):
        return f"are {len(texts)} where {wanted} are asked for"
    if len({text.casefold() for text in texts}) < len(texts):
        return "repeat each other"
    if shown.complete:
        return "" if any(occurrences(text, shown.gold.answers) for text in texts) else "do not give the answer"
    ahead = [fact.answer for fact in shown.missing]
    leads = any(occurrences(text, ahead) or shown.leads_on(text) for text in texts)
    return "" if leads or not shown.gold.facts else "lead to nothing that is missing"


def _list(shown: ShownFacts, texts: list[str]) -> str:
    if len({text.casefold() for text in texts}) < len(texts):
        return "repeat each other"
    if any(shown.runs_ahead(text) for text in texts):
        return "use what nothing has told yet"
    if not shown.complete and shown.gold.facts and not any(shown.leads_on(text) for text in texts):
        return "lead to nothing that is missing"
    return ""


def _statement(shown: ShownFacts, value: Any) -> str:
    return "states what is not shown" if not shown.from_memory and shown.invents(str(value)) else ""


def says_nothing(summary: str) -> bool:
    """True if a summary is empty, or says that nothing was found."""
    return not summary.strip() or summary.strip().casefold().startswith("nothing")


def _summary(shown: ShownFacts, value: Any) -> str:
    text = str(value)
    facts = [fact for fact in shown.gold.facts if shown.shows(fact)]
    if "candidate" not in shown.inputs:
        if not facts:
            return "" if says_nothing(text) or not shown.gold.facts else "finds something where nothing helps"
        if not any(occurrences(text, [fact.answer]) for fact in facts):
            return "leaves out what helps"
    return _statement(shown, value)


def _wanted(shown: ShownFacts) -> GoldFact | None:
    """The fact that the sub-question among the inputs asks for, where gold knows it."""
    sub_question = shown.inputs.get("sub_question")
    return next((fact for fact in shown.gold.facts if fact.sub_question == sub_question), None)


def _answerable(shown: ShownFacts, value: Any) -> str:
    fact = _wanted(shown)
    return _verdict(value, shown.shows(fact)) if fact else ""


def _found(shown: ShownFacts, value: Any) -> str:
    """The flaw of an answer to the sub-question: it must be the fact's if a passage tells it, else nothing."""
    text, fact = str(value), _wanted(shown)
    if fact is None:
        return ""
    if not shown.from_memory and not shown.shows(fact):
        nothing = text.casefold().strip(" .") in _NOTHING
        return "" if nothing else "tells what no passage does"
    return "" if occurrences(text, [fact.answer]) else "does not answer"


def _extract(shown: ShownFacts, value: Any) -> str:
    """The same, word for word from the inputs."""
    text = str(value)
    if text.casefold().strip(" .") not in _NOTHING and not all(line in shown.text for line in text.split("\n")):
        return "is not in the inputs"
    return _found(shown, value)


def _score(shown: ShownFacts, value: Any) -> str:
    number = re.match(r"\s*(\d+(?:\.\d+)?)", str(value))
    if number is None or float(number[1]) > 10:
        return "is no number from 0 to 10"
    last = shown.lines[-1] if shown.lines else ""
    guess = last.startswith("finish: ") and not any(occurrences(last, [each]) for each in shown.gold.answers)
    low, high = (0.0, 3.0) if guess else (7.0, 10.0) if shown.complete else (0.0, 10.0) if shown.known else (0.0, 5.0)
    return "" if low <= float(number[1]) <= high else f"should be from {low:g} to {high:g}"


def _candidates(shown: ShownFacts, value: Any) -> str:
    if not value or not shown.is_right(value[0]):
        return "do not begin with the answer"
    return "repeat each other" if len(set(value)) < len(value) else ""


def _first_better(shown: ShownFacts, value: Any) -> str:
    return _verdict(value, str(shown.inputs.get("first", "")).startswith(shown.gold.answers))


def _full_question(shown: ShownFacts, value: Any) -> str:
    """The flaw of a question made to stand alone: those of a question set do so already."""
    return "" if value == shown.inputs.get("question") else "is another question"


JUDGES: dict[str, FieldJudge] = {
    "answer": _answer,
    "reasoning": _statement,
    "relevant": _relevant,
    "enough": _enough,
    "analysis": _statement,
    "query": _question,
    "thought": _statement,
    "thoughts": _thoughts,
    "action": _action,
    "actions": _actions,
    "summary": _summary,
    "answerable": _answerable,
    "sub_answer": _extract,
    "sub_question": _question,
    "sub_questions": _questions,
    "sentence": _extract,
    "result": _found,
    "score": _score,
    "full_question": _full_question,
    "reflection": _statement,
    "candidates": _candidates,
    "valid": lambda shown, value: _verdict(value, shown.is_right(shown.inputs.get("candidate"))),
    "first_better": _first_better,
}
"""The judge of each output field, by its name; other fields are only checked for giving answers away."""
