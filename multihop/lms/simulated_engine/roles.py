"""The roles of the simulated LM: each fills an output field from the gold of the question and seeded random choices."""

from collections.abc import Callable
from typing import Any

from .case import Case


def _answer(case: Case) -> str:
    """Right when all gold passages are shown or the question is known by heart, then wrong at the error rate.

    What cannot be answered is refused whatever is shown, and at the error rate answered.
    """
    known = case.all_gold_shown or case.by_heart or not case.gold.answerable
    right = known and not case.errs("answer")
    return case.gold.answers[0] if right else case.wrong_answer()


def _reasoning(case: Case) -> str:
    """The source of the answer, in words."""
    source = "The passages hold every step" if case.all_gold_shown else "The passages do not hold every step"
    answers = any(field.name == "answer" for field in case.prompt.output_fields)
    return f"{source}; the answer is {_answer(case)}." if answers else f"{source}."


def _relevant(case: Case) -> bool:
    """True if the newest paragraph of the path is a gold one; the other way round at the error rate."""
    path = case.prompt.inputs.get("path") or [""]
    gold = set(case.gold.passages)
    newest = path[-1:] if len(path) <= len(gold) else path  # a long list is a set of passages, not a path
    right = bool(gold.intersection(newest))
    return right != case.errs("relevant", "relevant", right)


def _enough(case: Case) -> bool:
    """True if every gold passage is shown; the other way round at the error rate."""
    return case.all_gold_shown != case.errs("enough", "enough", case.all_gold_shown)


def _query(case: Case) -> str:
    """The query for the first gold passage that is not shown; at the error rate, only the question again."""
    if not case.missing or case.errs("query"):
        return case.gold.question
    return case.gold.queries[case.missing[0]]


def _asked_for(case: Case) -> list[str]:
    """The gold passages that are shown and that the prompt's sub-question, if it has one, asks for."""
    asked = case.prompt.inputs.get("sub_question")
    shown = [n for n in range(len(case.gold.passages)) if n not in case.missing]
    meant = [n for n in shown if case.gold.queries[n] == asked]
    return [case.gold.passages[n] for n in meant or shown]


def _summary(case: Case) -> str:
    """Every gold passage that is shown, quoted; each left out at the error rate, and something wrong if misled."""
    quotes = _asked_for(case)
    if not quotes and case.is_misled("summary", "summary", False):
        return case.wrong_answer()
    return "\n".join(quote for n, quote in enumerate(quotes) if not case.errs(f"summary {n}", "summary", True))


def _sub_answer(case: Case) -> str:
    """The answer to the sub-question, quoted; nothing at the error rate, and something wrong if misled."""
    found = _asked_for(case)
    if not found and case.is_misled("sub_answer", "answerable", False):
        return case.wrong_answer()
    return "" if case.errs("sub_answer", "answerable", bool(found)) else "\n".join(found)


def _sub_questions(case: Case) -> list[str]:
    """A question for each gold passage that is not shown; at the error rate, the whole question again.

    If the prompt says how many to name, the rest ask for what is shown already, and for the question itself.
    """
    missing = [case.gold.question if case.errs(f"sub_questions {n}") else case.gold.queries[n] for n in case.missing]
    wanted = case.prompt.inputs.get("number", len(missing))
    others = [query for query in case.gold.queries if query not in missing]
    return list(dict.fromkeys([*missing, *others, case.gold.question]))[: int(wanted)]


def _actions(case: Case) -> list[str]:
    """To finish, where everything seems to be known, and to search for each sub-question."""
    finish = [f"finish: {_answer(case)}"] if _enough(case) else []
    return [*finish, *(f"search: {query}" for query in _sub_questions(case))]


def _thoughts(case: Case) -> list[str]:
    """To give the answer, where everything seems to be known, and each sub-question as something to find out."""
    arrived = [f"So the answer is {_answer(case)}."] if _enough(case) else []
    return [*arrived, *_sub_questions(case)]


def _score(case: Case) -> str:
    """The share of the gold passages that is shown, out of ten; any number at the error rate."""
    if case.errs("score"):
        return f"{int(case.chance('wrong score') * 11)}/10"
    gold = len(case.gold.passages) or 1
    return f"{10 * (gold - len(case.missing)) // gold}/10"


def _candidates(case: Case) -> list[str]:
    """The answer of the same request, and a wrong one."""
    return list(dict.fromkeys([_answer(case), case.wrong_answer()]))


def _valid(case: Case) -> bool:
    """True if the candidate is right; the other way round at the error rate."""
    right = case.prompt.inputs.get("candidate") in case.gold.answers
    return right != case.errs("valid", "valid", right)


def _first_better(case: Case) -> bool:
    """True if the first account is of the right answer; the other way round at the error rate."""
    right = str(case.prompt.inputs.get("first", "")).startswith(case.gold.answers)
    return right != case.errs("first_better", "first_better", right)


def _analysis(case: Case) -> str:
    """The answer of the same request where everything seems to be known, and nothing before."""
    return f"The answer is {_answer(case)}." if _enough(case) else ""


ROLES: dict[str, Callable[[Case], Any]] = {
    "answer": _answer,
    "reasoning": _reasoning,
    "relevant": _relevant,
    "enough": _enough,
    "analysis": _analysis,
    "query": _query,
    "information": _query,
    "thought": _query,
    "action": lambda case: "finish" if _enough(case) else "search",
    "summary": _summary,
    "answerable": lambda case: bool(_sub_answer(case)),
    "sub_answer": _sub_answer,
    "sub_question": _query,
    "sub_questions": _sub_questions,
    "sentence": lambda case: _sub_answer(case) or "no information",
    "result": _sub_answer,
    "score": _score,
    "actions": _actions,
    "thoughts": _thoughts,
    "reflection": lambda case: f"What was found does not hold everything: {_query(case)}",
    "candidates": _candidates,
    "valid": _valid,
    "first_better": _first_better,
    "full_question": lambda case: case.gold.question,
}
"""The role of each output field, by its name."""
