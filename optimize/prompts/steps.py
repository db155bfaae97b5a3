"""What each step should answer, derived from gold: a review knows from the supporting paragraphs what is enough, a
planner from the sub-questions what comes next, a reader the answer.

One maker for each signature, so that every program that uses a signature can be taught with it. An example costs one
LM call to try, where a run of the whole program costs a search.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import dspy

from ... import signatures as steps
from ...base import InputError
from ...runtime import Program
from ...signatures.step_signature import origin_of
from .worked import Worked, WorkedHop

Example = dict[str, Any]
Maker = Callable[[Worked], Iterator[Example]]


def step_examples(program: Program, worked: Iterable[Worked]) -> dict[str, list[dspy.Example]]:
    """For each predictor of the program, by the name DSPy lists it under, examples of what it should answer.

    Raises:
        InputError: Nobody knows what a step should answer, since it has a signature, or an output, of its own.

    Examples:
        >>> from itertools import islice
        >>> from multihop import BM25, World, create
        >>> from multihop.optimize.prompts.steps import step_examples
        >>> from multihop.optimize.prompts.worked import work_out
        >>> world = World(questions=5)
        >>> retriever, passages = BM25.build(world.passages()), {page.id: page for page in world.passages()}
        >>> made = step_examples(create("tor", retriever), work_out(world.questions(), retriever, passages))
        >>> sorted(made), made["review"][0].relevant
        (['answer', 'complete', 'read', 'review'], True)
    """
    check_steps(program)
    known = list(worked)
    made: dict[str, list[dspy.Example]] = {}
    for name, predictor in program.named_predictors():
        make = MAKERS[_known(program, name, predictor.signature)]
        fields, inputs = predictor.signature.fields, list(predictor.signature.input_fields)
        rows = (row | {"reasoning": each.reasoning} for each in known for row in make(each))
        shown = ({field: value for field, value in row.items() if field in fields} for row in rows)
        made[name] = [dspy.Example(**row).with_inputs(*inputs) for row in shown]
    return made


def check_steps(program: Program) -> None:
    """Refuse a program with a step that gold teaches nothing, before anything is paid for.

    Raises:
        InputError: A step has a signature, or a field, of its own.
    """
    for name, predictor in program.named_predictors():
        known = getattr(steps, _known(program, name, predictor.signature)).fields
        for field in predictor.signature.fields:
            if field not in known and field != "reasoning":
                raise InputError(_untold(program, name, f"the field '{field}' of its own"))


def _known(program: Program, name: str, signature: type[dspy.Signature]) -> str:
    """Which signature of ours it is: told by the class that it was made from, or is a kind of."""
    for kind in origin_of(signature).__mro__:
        written: str = kind.__name__
        if written in MAKERS and getattr(steps, written) is kind:
            return written
    raise InputError(_untold(program, name, "a signature of its own"))


def _untold(program: Program, name: str, what: str) -> str:
    step = name.partition(".")[0]
    return (
        f"step '{step}' of {type(program).__name__} has {what}, and gold does not say what is right there: give it a "
        "signature of multihop.signatures, or one made from such a class, or compile whole runs, "
        "without steps and without labeled variants."
    )


def _read(**inputs: Callable[[Worked], Any]) -> Maker:
    """A reader: what it is shown, and the answer."""

    def make(worked: Worked) -> Iterator[Example]:
        shown = {name: value(worked) for name, value in inputs.items()}
        yield {**shown, "question": worked.question, "answer": worked.answer}

    return make


def _passages(worked: Worked) -> list[str]:
    return [str(passage) for passage in worked.mixed]


def _gold(worked: Worked) -> list[str]:
    return [str(passage) for passage in worked.gold]


def _notes(hops: Iterable[WorkedHop]) -> list[str]:
    return [str(hop) for hop in hops]


def _all_notes(worked: Worked) -> list[str]:
    return _notes(worked.hops)


def _evidence(worked: Worked) -> list[str]:
    paragraphs = "\n".join(f"Paragraph: {passage}" for passage in worked.gold)
    return [f"Assertion: {worked.reasoning}\n{paragraphs}"]


def _history(hops: Iterable[WorkedHop]) -> list[str]:
    """Searches and what they found, as an agent's history shows them."""
    return [line for hop in hops for line in (f"Search: {hop.sub_question}", str(hop.passage))]


def _review(worked: Worked) -> Iterator[Example]:
    """Each beginning of the gold path: relevant, and enough at its end; and a path of a negative: neither."""
    for length in range(1, len(worked.gold) + 1):
        path, enough = worked.gold[:length], length == len(worked.gold)
        missing = next((hop for hop in worked.hops if hop.passage not in path), None)
        yield {
            "question": worked.question,
            "path": [str(passage) for passage in path],
            "relevant": True,
            "enough": enough,
            "analysis": worked.reasoning if enough else "",
            "query": missing.sub_question if missing else "",
        }
    if worked.negatives:
        verdict = {"relevant": False, "enough": False, "analysis": "", "query": worked.hops[0].sub_question}
        yield {"question": worked.question, "path": [str(worked.negatives[0])], **verdict}


def _complete(worked: Worked) -> Iterator[Example]:
    """The paragraph that a beginning of the gold path lacks."""
    for length in range(1, len(worked.gold)):
        path = [str(passage) for passage in worked.gold[:length]]
        yield {"question": worked.question, "path": path, "information": worked.gold[length].text[:300]}


def _summarize(worked: Worked) -> Iterator[Example]:
    yield {"passages": _passages(worked), "question": worked.question, "summary": worked.summary}
    if worked.negatives:
        yield {"passages": [str(each) for each in worked.negatives[:3]], "question": worked.question, "summary": ""}


def _sub_answer(worked: Worked) -> Iterator[Example]:
    for hop in worked.hops:
        yield {
            "passages": [str(hop.passage), *map(str, worked.negatives[:2])],
            "question": worked.question,
            "sub_question": hop.sub_question,
            "answerable": True,
            "sub_answer": hop.answer,
        }
    if worked.negatives:
        shown = [str(each) for each in worked.negatives[:3]]
        asked = worked.hops[-1].sub_question
        verdict = {"answerable": False, "sub_answer": ""}
        yield {"passages": shown, "question": worked.question, "sub_question": asked, **verdict}


def _step_answer(worked: Worked) -> Iterator[Example]:
    for place, hop in enumerate(worked.hops):
        yield {
            "passages": [str(hop.passage), *map(str, worked.negatives[:2])],
            "history": _notes(worked.hops[:place]),
            "question": worked.question,
            "sub_question": hop.sub_question,
            "sentence": hop.passage.text.partition(". ")[0],
            "result": hop.answer,
        }


def _beginnings(worked: Worked) -> Iterator[tuple[tuple[WorkedHop, ...], WorkedHop | None]]:
    """Every beginning of the hops, the empty one too, with the hop that follows."""
    for length in range(len(worked.hops) + 1):
        yield worked.hops[:length], worked.hops[length] if length < len(worked.hops) else None


def _judge(worked: Worked) -> Iterator[Example]:
    for before, following in _beginnings(worked):
        if before:
            yield {
                "evidence": [str(hop.passage) for hop in before],
                "pathway": _notes(before),
                "question": worked.question,
                "enough": following is None,
            }


def _plan(worked: Worked) -> Iterator[Example]:
    """What to ask next after each beginning, in the fields of all planners."""
    for before, following in _beginnings(worked):
        yield {
            "evidence": [str(hop.passage) for hop in before],
            "pathway": _notes(before),
            "asked": [worked.question, *(hop.sub_question for hop in before)],
            "notes": _notes(before),
            "history": _notes(before),
            "question": worked.question,
            "enough": following is None,
            "sub_question": following.sub_question if following else "",
            "answer": "" if following else worked.answer,
        }


def _plan_on(worked: Worked) -> Iterator[Example]:
    """The same, for planners that always ask."""
    return (row for row in _plan(worked) if row["sub_question"])


def _propose(worked: Worked) -> Iterator[Example]:
    for before, following in _beginnings(worked):
        if following is not None:
            rest = [hop.sub_question for hop in worked.hops[len(before) :]]
            asked = {"history": _notes(before), "number": 5, "question": worked.question}
            yield {**asked, "sub_questions": rest[:5]}


def _split(worked: Worked) -> Iterator[Example]:
    yield {"question": worked.question, "sub_questions": [hop.sub_question for hop in worked.hops]}


def _think(worked: Worked) -> Iterator[Example]:
    for before, following in _beginnings(worked):
        thoughts = [f"{hop.sub_question} {hop.answer}." for hop in before]
        said = f"{following.sub_question} {following.answer}." if following else f"So the answer is {worked.answer}."
        shown = [str(passage) for passage in [*[hop.passage for hop in before], *worked.negatives[:2]]]
        yield {
            "passages": shown,
            "thoughts": thoughts,
            "question": worked.question,
            "thought": said,
            "enough": following is None,
        }


def _act(worked: Worked) -> Iterator[Example]:
    """The action after each beginning: to search for the next hop, or to finish."""
    for before, following in _beginnings(worked):
        needs = following.sub_question if following else worked.answer
        rest = [hop.sub_question for hop in worked.hops[len(before) :]]
        yield {
            "history": _history(before),
            "reflections": [],
            "number": 5,
            "question": worked.question,
            "thought": f"I still need this: {needs}" if following else "Everything is known.",
            "action": "search" if following else "finish",
            "query": needs if following else "",
            "answer": "" if following else needs,
            "actions": [f"search: {each}" for each in rest][:5] or [f"finish: {worked.answer}"],
        }


def _score(worked: Worked) -> Iterator[Example]:
    return _scored(worked, _notes)


def _scored(worked: Worked, describe: Callable[[Iterable[WorkedHop]], list[str]]) -> Iterator[Example]:
    """Of ten, as many points as the share of the way that is behind."""
    for before, _ in _beginnings(worked):
        if before:
            score = f"{10 * len(before) // len(worked.hops)}"
            yield {"history": describe(before), "question": worked.question, "score": score}


def _rate(worked: Worked) -> Iterator[Example]:
    for before, _ in _beginnings(worked):
        if before:
            yield {"history": _notes(before), "question": worked.question, "score": "10"}
    aside = "What else is there to know? -> not found"
    yield {"history": [aside], "question": worked.question, "score": "0"}


def _score_actions(worked: Worked) -> Iterator[Example]:
    return _scored(worked, _history)


def _reflect(worked: Worked) -> Iterator[Example]:
    for before, following in _beginnings(worked):
        if before and following is not None:
            said = f"What was found does not say: {following.sub_question} Search for that."
            yield {"history": _history(before), "question": worked.question, "reflection": said}


def _candidates(worked: Worked) -> Iterator[Example]:
    named = [worked.answer, worked.wrong]
    yield {"passages": _passages(worked), "number": 2, "question": worked.question, "candidates": named}


def _summarize_candidate(worked: Worked) -> Iterator[Example]:
    for candidate, said in ((worked.answer, worked.summary), (worked.wrong, "The passages do not speak for it.")):
        shown = {"passages": _passages(worked), "candidate": candidate, "question": worked.question}
        yield {**shown, "summary": f"{candidate}: {said}"}


def _validate(worked: Worked) -> Iterator[Example]:
    for candidate, valid in ((worked.answer, True), (worked.wrong, False)):
        said = worked.summary if valid else "The passages do not speak for it."
        yield {"candidate": candidate, "summary": said, "question": worked.question, "valid": valid}


def _compare(worked: Worked) -> Iterator[Example]:
    right, wrong = f"{worked.answer}: {worked.summary}", f"{worked.wrong}: The passages do not speak for it."
    yield {"first": right, "second": wrong, "question": worked.question, "first_better": True}
    yield {"first": wrong, "second": right, "question": worked.question, "first_better": False}


MAKERS: dict[str, Maker] = {
    "AnswerQuestion": _read(),
    "AnswerFromPassages": _read(passages=_passages),
    "ReadAnalyses": _read(analyses=lambda worked: [worked.reasoning]),
    "ReadEvidence": _read(evidence=_evidence),
    "ReadSummary": _read(summary=lambda worked: worked.summary),
    "ReadNotes": _read(notes=_all_notes, passages=_gold),
    "ReadHistory": _read(history=lambda worked: _history(worked.hops)),
    "ReadMemories": _read(evidence=lambda worked: [worked.summary], pathway=_all_notes),
    "ReadPath": _read(passages=_gold, history=_all_notes),
    "ReadSteps": _read(history=_all_notes),
    "JudgePath": _review,
    "ReviewPath": _review,
    "ReviewPathAloud": _review,
    "CompletePath": _complete,
    "SummarizePassages": _summarize,
    "AnswerSubQuestion": _sub_answer,
    "AnswerStep": _step_answer,
    "AnswerStepFromMemory": _step_answer,
    "JudgeMemories": _judge,
    "PlanSubQuestion": _plan_on,
    "PickSubQuestion": _plan,
    "AskFollowUp": _plan,
    "NextSubQuestion": _plan_on,
    "ProposeSubQuestions": _propose,
    "SplitQuestion": _split,
    "ThinkOneSentence": _think,
    "ThinkAndAct": _act,
    "ThinkAndActAgain": _act,
    "ProposeActions": _act,
    "EvaluateHistory": _score,
    "RateStep": _rate,
    "EvaluateActions": _score_actions,
    "ReflectOnActions": _reflect,
    "ProposeCandidates": _candidates,
    "SummarizeForCandidate": _summarize_candidate,
    "ValidateCandidate": _validate,
    "CompareCandidates": _compare,
}
"""How to make examples for each signature."""
