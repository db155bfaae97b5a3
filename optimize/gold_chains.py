"""The steps of chains and trees of passages: review, complete, summarize, judge, plan, answer and read.

Each function makes the examples of one role, with the fields of every signature of that role: an example takes those
that its signature has.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ..data.gold import GoldHop
from ..programs.shared.evidence import Evidence
from ..programs.shared.path import PathStep
from ..retrieval import Passage
from .searched_gold import A_TURN, SHOWN, MadeStep, Maker, Scene, State, quote, quotes

ACCEPT, REJECT, SEARCH = "accept", "reject", "search on"
HELPS, NOTHING = "something helps", "nothing helps"
ENOUGH, NOT_ENOUGH = "enough", "not enough"
END, LATER, FIRST = "enough", "a later question", "the first question"
ANSWERED, NOT_ANSWERED = "answered", "not answered"
KEPT, CORRECTED = "a suggestion kept", "a suggestion corrected"


def notes(hops: Iterable[GoldHop]) -> list[str]:
    """Each sub-question with its answer, as prompts show them."""
    return [str(PathStep(hop.sub_question, result=hop.answer)) for hop in hops]


def review(scene: Scene) -> Iterator[MadeStep]:
    """Paths as the program meets them, one passage after the other or all that was found: enough, on the way, aside."""
    for path, state in _chains(scene) if scene.chain else _paths(scene):
        aim, enough = scene.next_hop(state), state == scene.whole
        reasoning = scene.reason(state, aim)
        fields = {
            "question": scene.question,
            "path": list(map(str, path)),
            "relevant": bool(state),
            "enough": enough,
            "analysis": reasoning if enough else "",
            "query": "" if enough else aim.sub_question if aim else None,
            "reasoning": reasoning,
        }
        yield MadeStep(fields, ACCEPT if enough else SEARCH if state else REJECT)


def _paths(scene: Scene) -> Iterator[tuple[list[Passage], State]]:
    for state in scene.states[1:]:
        path = scene.pages(state)
        if scene.known_in(path) == state:
            yield path, state
    yield from (([page], ()) for page in scene.missed(scene.question, A_TURN))


def _chains(scene: Scene) -> Iterator[tuple[list[Passage], State]]:
    beside = scene.missed(scene.question)
    for state in scene.states:
        pages = scene.pages(state)
        if scene.known_in(pages) == state:
            yield [*pages, *beside][: max(len(beside), len(pages))], state


def complete(scene: Scene) -> Iterator[MadeStep]:
    """The missing fact, written from memory, where it is not the answer itself.

    The first passage of the way can be missing too: the question often finds the last one at once.
    """
    told = [state for state in scene.states[1:-1] if scene.known_in(scene.pages(state)) == state]
    if scene.hops[-1].needs and scene.hops[-1].passage in scene.found(scene.question):
        told.append(scene.whole[-1:])
    for state in told:
        path = scene.pages(state)
        place = next(n for n, hop in enumerate(scene.hops) if n not in state and set(hop.needs) <= set(state))
        hop = scene.hops[place]
        if hop.passage not in path and not scene.gives_away(quote(hop)):
            fields = {
                "question": scene.question,
                "path": list(map(str, path)),
                "information": quote(hop),
                "likely_answer": scene.final if len(state) + 1 == len(scene.hops) else "",
                "reasoning": f"Still to be found: {hop.sub_question}" if hop.sub_question else quote(hop),
            }
            yield MadeStep(fields, "a missing fact")


def summarize(scene: Scene, in_vain: str) -> Iterator[MadeStep]:
    """What helps among the passages that the question finds, with the gold ones among them and without.

    `in_vain` is the summary where nothing helps.
    """
    with_gold = [*scene.path.passages, *scene.missed(scene.question)][:SHOWN]
    shown = {scene.known_in(pages): pages for pages in (scene.found(scene.question), with_gold)}
    told = [each for each in shown.items() if len(each[0]) == sum(hop.passage in each[1] for hop in scene.hops) > 0]
    for known, pages in [*told, ((), scene.found_in_vain(scene.question))]:
        fields = {
            "passages": scene.shuffled(pages) or None,
            "question": scene.question,
            "summary": " ".join(quotes(scene.known(known))) or in_vain,
            "reasoning": scene.reason(known),
        }
        yield MadeStep(fields, HELPS if known else NOTHING)


def judge(scene: Scene) -> Iterator[MadeStep]:
    """The memories of each state."""
    for state in [*scene.partial[1:], scene.whole]:
        enough, reasoning = state == scene.whole, scene.reason(state, scene.next_hop(state))
        fields = {**memories(scene, state), "question": scene.question, "enough": enough, "reasoning": reasoning}
        yield MadeStep(fields, ENOUGH if enough else NOT_ENOUGH)


def memories(scene: Scene, state: State) -> dict[str, list[str]]:
    """What each round found, and the sub-questions asked: what the question itself finds needs none."""
    found = scene.known_in(scene.found(scene.question)) if scene.path.tells_hops else state
    first, later = (scene.known(n for n in state if (n in found) == at_once) for at_once in (True, False))
    summaries = [" ".join(quotes(first)), *map(quote, later)]
    asked = [scene.question, *(hop.sub_question for hop in later)]
    return {"evidence": [each for each in summaries if each], "pathway": notes(later), "asked": asked}


def plan(scene: Scene, *, own: bool = False) -> Iterator[MadeStep]:
    """The sub-questions that are possible at each state, and the end.

    A planner that answers its `own` questions asks in the end the question itself.
    """
    for state in [*scene.partial, scene.whole]:
        enough, known = state == scene.whole, notes(scene.known(state))
        ways = [hop.sub_question for hop in scene.open_hops(state)]
        if enough and (own or scene.can_read(scene.final, known)):
            ways = [scene.question if own else ""]
        fields = {
            **memories(scene, state),
            "history": known,
            "notes": known,
            "question": scene.question,
            "number": len(ways),
            "sub_questions": ways,
            "sub_question": next(iter(ways), None),
            "enough": enough,
            "answer": scene.final if enough else "",
            "reasoning": scene.reason(state, scene.next_hop(state)),
        }
        if ways:
            yield MadeStep(fields, END if enough else LATER if state else FIRST)


def split(scene: Scene) -> Iterator[MadeStep]:
    """All sub-questions at once, with the earlier answers as one would know them."""
    texts = [hop.sub_question for hop in scene.hops]
    if len(texts) > 1 and all(scene.asks_less(hop) and not scene.gives_away(hop.sub_question) for hop in scene.hops):
        reasoning = f"It takes {len(texts)} steps."
        yield MadeStep({"question": scene.question, "sub_questions": texts, "reasoning": reasoning}, "a split")


def answer(scene: Scene, *, own: bool = False) -> Iterator[MadeStep]:
    """Each sub-question with what it finds, and with the same without the passage that answers it.

    The result of an `own` question is a sentence that ends with the answer.
    """
    for place, hop in enumerate(scene.hops):
        asked = {"question": scene.question, "sub_question": hop.sub_question, "history": notes(scene.hops[:place])}
        result = f"The answer is {hop.answer.rstrip('.')}." if own else hop.answer
        right = {"answerable": True, "sub_answer": hop.answer, "sentence": hop.sentence, "result": result}
        wrong = {"answerable": False, "sub_answer": "", "sentence": "no information", "result": "not found"}
        lacking = f"None of them says this: {hop.sub_question}"
        for said, pages, reasoning, decision in (
            (right, scene.found_with(hop.sub_question, hop), quote(hop), ANSWERED),
            (wrong, scene.found_in_vain(hop.sub_question), lacking, NOT_ANSWERED),
        ):
            if pages and scene.asks_less(hop):
                shown = {**asked, "passages": list(map(str, pages))}
                yield MadeStep({**shown, **said, "reasoning": reasoning}, decision)


def read(scene: Scene, **inputs: Callable[[Scene], Any]) -> Iterator[MadeStep]:
    """The answer, where it can be read off these inputs."""
    shown = {name: show(scene) for name, show in inputs.items()}
    texts = [text for value in shown.values() for text in ([value] if isinstance(value, str) else value)]
    if not inputs or scene.can_read(scene.final, texts):
        fields = {**shown, "question": scene.question, "answer": scene.final, "reasoning": scene.reason(scene.whole)}
        yield MadeStep(fields, "an answer")


def check_suggestion(scene: Scene) -> Iterator[MadeStep]:
    """The answer, after the same as a suggestion and after another."""
    for row in read(scene, passages=mixed):
        yield MadeStep({**row.fields, "suggestion": scene.final}, KEPT)
        yield MadeStep({**row.fields, "suggestion": scene.rival}, CORRECTED)


def mixed(scene: Scene) -> list[str]:
    """The gold passages among what the question finds beside them."""
    gold = scene.path.passages
    return scene.shuffled([*gold, *scene.missed(scene.question, max(0, SHOWN - len(gold)))])


def turns(scene: Scene, hops: Sequence[GoldHop]) -> list[str]:
    """An agent's thoughts, searches and what they found."""
    lines: list[str] = []
    for place, hop in enumerate(hops):
        lines += [f"Thought: {thought_before(hops[:place], hop)}", f"Search: {hop.sub_question}"]
        lines += map(str, scene.found_with(hop.sub_question, hop, A_TURN))
    return lines


def thought_before(known: Sequence[GoldHop], aim: GoldHop) -> str:
    """The last thing found, and what it leads to."""
    return " ".join([*quotes(known[-1:]), f"Next I need to find out: {aim.sub_question}"])


def _analysis(scene: Scene) -> str:
    return scene.reason(scene.whole)


def _evidence(scene: Scene) -> list[str]:
    pages = scene.path.passages
    return [str(Evidence(_analysis(scene), () if scene.chain else pages)), *(map(str, pages) if scene.chain else ())]


def _behind(scene: Scene) -> list[str]:
    """The passages that the sub-questions find, each once."""
    pages = [page for hop in scene.hops for page in scene.found_with(hop.sub_question, hop, A_TURN)]
    return list(map(str, dict.fromkeys(pages)))


def _notes(scene: Scene) -> list[str]:
    return notes(scene.hops)


def _reader(*, told: bool = False, **inputs: Callable[[Scene], Any]) -> Maker:
    return Maker(("an answer",), lambda scene: read(scene, **inputs), told=told)


_QUESTIONS = frozenset({LATER, FIRST})
_PLAN = Maker((LATER, FIRST), plan, _QUESTIONS, told=True)
_PLAN_TO_THE_END = Maker((END, LATER, FIRST), plan, _QUESTIONS, told=True)
_PLAN_ITS_OWN = Maker((END, LATER, FIRST), partial(plan, own=True), _QUESTIONS, told=True)
_ANSWER = Maker((ANSWERED, NOT_ANSWERED), answer, told=True)
MAKERS = {
    **dict.fromkeys(("JudgePath", "JudgePathAloud"), Maker((ACCEPT, REJECT, SEARCH), review)),
    **dict.fromkeys(("ReviewPath", "ReviewPathAloud"), Maker((ACCEPT, REJECT, SEARCH), review, told=True)),
    **dict.fromkeys(("CompletePath", "CompletePathAloud"), Maker(("a missing fact",), complete)),
    "SummarizePassages": Maker((HELPS, NOTHING), partial(summarize, in_vain="")),
    "WriteEvidence": Maker(
        (HELPS, NOTHING), partial(summarize, in_vain="Nothing here says anything about what is asked.")
    ),
    "JudgeMemories": Maker((ENOUGH, NOT_ENOUGH), judge),
    **dict.fromkeys(("PlanSubQuestion", "NextSubQuestion", "ProposeSubQuestions"), _PLAN),
    **dict.fromkeys(("PickSubQuestion", "AskFollowUp"), _PLAN_TO_THE_END),
    **dict.fromkeys(("AskOwnQuestion", "AskOwnQuestions"), _PLAN_ITS_OWN),
    "SplitQuestion": Maker(("a split",), split, told=True),
    **dict.fromkeys(("AnswerSubQuestion", "AnswerStep"), _ANSWER),
    "AnswerStepFromMemory": Maker((ANSWERED,), answer, told=True),
    "AnswerOwnQuestion": Maker((ANSWERED,), partial(answer, own=True), told=True),
    "AnswerQuestion": _reader(),
    "AnswerFromPassages": _reader(passages=mixed),
    "CheckSuggestion": Maker((KEPT, CORRECTED), check_suggestion),
    "ReadAnalyses": _reader(analyses=lambda scene: [_analysis(scene)]),
    "ReadEvidence": _reader(evidence=_evidence),
    "ReadSummary": _reader(summary=lambda scene: " ".join(quotes(scene.hops))),
    "ReadNotes": _reader(told=True, notes=_notes, passages=_behind),
    "ReadHistory": _reader(
        told=True, history=lambda scene: [*turns(scene, scene.hops), f"Thought: {quote(scene.hops[-1])}"]
    ),
    "ReadMemories": _reader(
        evidence=lambda scene: memories(scene, scene.whole)["evidence"],
        pathway=lambda scene: memories(scene, scene.whole)["pathway"],
    ),
    "ReadPath": _reader(told=True, passages=_behind, history=_notes),
    "ReadSteps": _reader(told=True, history=_notes),
}
