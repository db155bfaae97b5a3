"""Sub-questions answered: from passages that hold the answer or only seem to, and from memory."""

from collections.abc import Iterator

from ....data.gold import GoldHop
from .notes import full_notes
from .rephrasing import quote, result
from .scene import MadeStep, Maker, StagedQuestion

ANSWERED, NOT_ANSWERED = "answered", "not answered"
NO_SENTENCE, NO_RESULT = "no information", "not found"


def _sub_questions(scene: StagedQuestion) -> Iterator[tuple[int, GoldHop]]:
    return ((place, hop) for place, hop in enumerate(scene.hops) if scene.asks_less(hop))


def sub_answers(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Each sub-question with what it finds, and with the same without the passage that answers it."""
    for _, hop in _sub_questions(scene):
        asked = {"question": scene.question, "sub_question": hop.sub_question}
        found = [str(page) for page in scene.found_with(hop.sub_question, hop)]
        right = {"answerable": True, "sub_answer": hop.answer, "reasoning": quote(hop)}
        yield MadeStep({**asked, "passages": found, **right}, ANSWERED)
        if beside := [str(page) for page in scene.found_in_vain(hop.sub_question)]:
            wrong = {"answerable": False, "sub_answer": "", "reasoning": f"None of them says this: {hop.sub_question}"}
            yield MadeStep({**asked, "passages": beside, **wrong}, NOT_ANSWERED)


def steps(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same in the light of what was found before, with the sentence that says it."""
    for place, hop in _sub_questions(scene):
        history = full_notes(scene.hops[:place])
        asked = {"question": scene.question, "sub_question": hop.sub_question, "history": history}
        found = [str(page) for page in scene.found_with(hop.sub_question, hop)]
        right = {"sentence": hop.sentence, "result": result(hop), "reasoning": quote(hop)}
        yield MadeStep({**asked, "passages": found, **right}, ANSWERED)
        if beside := [str(page) for page in scene.found_in_vain(hop.sub_question)]:
            missing = f"None of them says this: {hop.sub_question}"
            wrong = {"sentence": NO_SENTENCE, "result": NO_RESULT, "reasoning": missing}
            yield MadeStep({**asked, "passages": beside, **wrong}, NOT_ANSWERED)


def remembered_steps(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Those that are answered, without passages."""
    return (MadeStep(row.fields, row.decision) for row in steps(scene) if row.decision == ANSWERED)


def own_answers(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same in a sentence that ends with the answer."""
    for row in remembered_steps(scene):
        hop = next(each for each in scene.hops if each.sub_question == row.fields["sub_question"])
        said = row.fields["result"].rstrip(".")
        answer = f"The answer is {hop.answer.rstrip('.')}."
        result = answer if said == hop.answer.rstrip(".") else f"{said}. {answer}"
        yield MadeStep({**row.fields, "result": result}, row.decision)


MAKERS = {
    "AnswerSubQuestion": Maker((ANSWERED, NOT_ANSWERED), sub_answers),
    "AnswerStep": Maker((ANSWERED, NOT_ANSWERED), steps),
    "AnswerStepFromMemory": Maker((ANSWERED,), remembered_steps),
    "AnswerOwnQuestion": Maker((ANSWERED,), own_answers),
}
