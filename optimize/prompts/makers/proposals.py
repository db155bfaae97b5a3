"""Several sub-questions at a time: different ways on from a state, and a question taken apart at its start."""

from collections.abc import Iterator

from ....data.gold import GoldHop
from ....data.gold.whole_words import occurrences
from .notes import full_notes
from .plans import END, FIRST, LATER, QUESTIONS
from .rephrasing import describe, keywords, rephrase
from .scene import MadeStep, Maker, StagedQuestion, State

MOST = 5
"""Ways on that are named at a time."""
_FEWEST = 2


def ways_on(scene: StagedQuestion, state: State) -> list[str]:
    """Sub-questions that are possible now: every hop that can be asked for, each in other words, what it is about."""
    hops = scene.open_hops(state)
    others = (rephrase(hop.sub_question) for hop in hops)
    texts = [*(hop.sub_question for hop in hops), *(text for wordings in others for text in wordings)]
    texts += [f"Who or what is {hop.passage.name}?" for hop in hops if hop.passage.is_named_in(hop.sub_question)]
    return list(dict.fromkeys(texts))[:MOST]


def proposals(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Different ways on from each state, as many as are asked for."""
    for state in scene.partial:
        ways = ways_on(scene, state)
        if len(ways) >= _FEWEST:
            fields = {
                "history": full_notes(scene.known(state)),
                "number": len(ways),
                "question": scene.question,
                "sub_questions": ways,
                "reasoning": scene.reason(state, scene.open_hops(state)[0]),
            }
            yield MadeStep(fields, LATER if state else FIRST)


def own_proposals(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same; once everything is known, the question itself."""
    yield from proposals(scene)
    asked = {"history": full_notes(scene.hops), "number": 1, "question": scene.question}
    yield MadeStep({**asked, "sub_questions": [scene.question], "reasoning": scene.reason(scene.whole)}, END)


def split_questions(scene: StagedQuestion) -> Iterator[MadeStep]:
    """All sub-questions at once: an answer that is not known yet is described in its place."""
    texts = [_described(scene, hop) for hop in scene.hops]
    if all(texts) and len(texts) > 1:
        reasoning = f"It takes {len(texts)} steps."
        yield MadeStep({"question": scene.question, "sub_questions": texts, "reasoning": reasoning}, "a split")


def _described(scene: StagedQuestion, hop: GoldHop) -> str:
    """The sub-question with a description of each answer that it needs; empty where none can be made."""
    text = hop.sub_question
    for place in reversed(hop.needs):
        needed = scene.hops[place]
        spans = occurrences(text, [needed.answer])
        description = describe(_described(scene, needed))
        if not spans or not description:
            return ""
        for start, end in reversed(spans):
            text = f"{text[:start]}{description}{text[end:]}"
    hidden = [each.answer for each in scene.hops if not occurrences(scene.question, [each.answer])]
    return "" if occurrences(text, hidden) or scene.gives_away(text) or not scene.names_known(text) else text


def queries_on(scene: StagedQuestion, state: State) -> list[str]:
    """Ways on as queries of a few words."""
    return list(dict.fromkeys(keywords(text) for text in ways_on(scene, state)))


PROPOSE = Maker((LATER, FIRST), proposals, QUESTIONS)
OWN_PROPOSE = Maker((END, LATER, FIRST), own_proposals, QUESTIONS)
SPLIT = Maker(("a split",), split_questions)
