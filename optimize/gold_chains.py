"""Examples for the steps of chains and trees of passages: review, complete, summarize, judge, plan, answer and read.

Each function makes the examples of one role, with the fields of all signatures of that role: each signature takes those
that it has.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ..base.english import split_sentences
from ..data.gold import GoldHop
from ..programs.shared.evidence import Evidence
from ..programs.shared.sub_questions import PathStep
from ..retrieval import Passage
from .searched_path import A_TURN, SHOWN, Examples, SearchedPath, State, quote, quotes, teaches

REVIEWS = ACCEPT, REJECT, SEARCH = ("accept", "reject", "search on")


@teaches("ReviewPath", "ReviewPathAloud", kinds=REVIEWS, needs_hops=True)
@teaches("JudgePath", "JudgePathAloud", kinds=REVIEWS)
def review(gold: SearchedPath) -> Examples:
    """Paths as the program meets them, one passage after the other or all that was found."""
    for path, state in _chains(gold) if gold.chain else _paths(gold):
        aim, enough = gold.next_hop(state), state == gold.whole
        reasoning = gold.reason(state, aim)
        kind = ACCEPT if enough else SEARCH if state else REJECT
        verdict = {"relevant": bool(state), "enough": enough, "analysis": reasoning if enough else ""}
        query = "" if enough else aim.sub_question if aim else None
        yield gold.step(kind, reasoning, path=list(map(str, path)), **verdict, query=query)


def _paths(gold: SearchedPath) -> Iterator[tuple[list[Passage], State]]:
    for state in gold.states[1:]:
        if gold.known_in(path := gold.pages(state)) == state:
            yield path, state
            for hop in gold.ready(state)[:1] if gold.wide else ():  # else a longer path would always be enough
                yield from (([*path, page], state) for page in gold.missed(quote(hop), 1))
    yield from (([page], ()) for page in gold.missed(gold.question, A_TURN))


def _chains(gold: SearchedPath) -> Iterator[tuple[list[Passage], State]]:
    missed = gold.missed(gold.question)
    for state in gold.states:
        if gold.known_in(pages := gold.pages(state)) == state:
            yield [*pages, *missed][: max(len(missed), len(pages))], state


@teaches("CompletePath", "CompletePathAloud", kinds=["a missing fact"])
def complete(gold: SearchedPath) -> Examples:
    """The missing fact, written from memory, where it is not the answer itself; the first of the way may be missing."""
    told = [state for state in gold.states[1:-1] if gold.known_in(gold.pages(state)) == state]
    if gold.hops[-1].needs and gold.hops[-1].passage in gold.found(gold.question):
        told.append(gold.whole[-1:])
    for state in told:
        path, hop = gold.pages(state), gold.ready(state)[0]
        likely = gold.final if len(state) + 1 == len(gold.hops) else ""
        reasoning = f"Still to be found: {hop.sub_question}" if hop.sub_question else quote(hop)
        if hop.passage not in path and not gold.gives_away(quote(hop)):
            said = {"information": quote(hop), "likely_answer": likely}
            yield gold.step("a missing fact", reasoning, path=list(map(str, path)), **said)


SUMMARIES = HELPS, NOTHING = ("something helps", "nothing helps")


@teaches("SummarizePassages", kinds=SUMMARIES, in_vain="")
@teaches("WriteEvidence", kinds=SUMMARIES, in_vain="Nothing here says anything about what is asked.")
def summarize(gold: SearchedPath, in_vain: str) -> Examples:
    """The helpful ones of the passages that the question finds, with gold among them and without."""
    with_gold = [*gold.path.passages, *gold.missed(gold.question)][:SHOWN]
    shown = {gold.known_in(pages): pages for pages in (gold.found(gold.question), with_gold)}
    told = [each for each in shown.items() if len(each[0]) == sum(hop.passage in each[1] for hop in gold.hops) > 0]
    for state, pages in [*told, ((), gold.found_in_vain(gold.question))]:
        summary = " ".join(quotes(gold.known(state))) or in_vain
        passages = gold.shuffled(pages) or None
        yield gold.step(HELPS if state else NOTHING, gold.reason(state), passages=passages, summary=summary)


ENOUGH, NOT_ENOUGH = "enough", "not enough"


@teaches("JudgeMemories", kinds=[ENOUGH, NOT_ENOUGH])
def judge(gold: SearchedPath) -> Examples:
    """The memories of each state."""
    for state in [*gold.partial[1:], gold.whole]:
        enough, reasoning = state == gold.whole, gold.reason(state, gold.next_hop(state))
        known = memories(gold, state)
        beside = map(first_words, gold.missed(gold.question, int(gold.wide)))
        for evidence in (known["evidence"], *([*known["evidence"], each] for each in beside)):
            shown = {**known, "evidence": evidence}
            yield gold.step(ENOUGH if enough else NOT_ENOUGH, reasoning, **shown, enough=enough)


def first_words(page: Passage) -> str:
    """The first sentence of a passage, as a finding shows it."""
    return f"{page.name}: {' '.join(split_sentences(page.text)[:1])}"


def memories(gold: SearchedPath, state: State) -> dict[str, list[str]]:
    """The findings of each round, and the sub-questions asked: what the question itself finds needs none."""
    found = gold.known_in(gold.found(gold.question)) if gold.path.tells_hops else state
    first = gold.known(n for n in state if n in found)
    later = gold.known(n for n in state if n not in found)
    summaries = [" ".join(quotes(first)), *map(quote, later)]
    asked = [gold.question, *(hop.sub_question for hop in later)]
    return {"evidence": [each for each in summaries if each], "pathway": notes(later), "asked": asked}


def notes(hops: Iterable[GoldHop]) -> list[str]:
    """Each sub-question with its answer, as prompts show them."""
    return [str(PathStep(hop.sub_question, result=hop.answer)) for hop in hops]


PLANS = END, LATER, FIRST = ("enough", "a later question", "the first question")


@teaches("AskOwnQuestion", "AskOwnQuestions", kinds=PLANS, optional=PLANS[1:], needs_hops=True, own=True)
@teaches("PickSubQuestion", "AskFollowUp", kinds=PLANS, optional=PLANS[1:], needs_hops=True)
@teaches("PlanSubQuestion", "NextSubQuestion", kinds=PLANS[1:], optional=PLANS[1:], needs_hops=True)
@teaches("ProposeSubQuestions", kinds=PLANS[1:], optional=PLANS[1:], needs_hops=True)
def plan(gold: SearchedPath, *, own: bool = False) -> Examples:
    """The sub-questions that are possible at each state, and the end: of `own` ones, the question itself."""
    for state in [*gold.partial, gold.whole]:
        enough, known = state == gold.whole, notes(gold.known(state))
        ways = [hop.sub_question for hop in gold.open_hops(state)]
        if enough and (own or gold.can_read(gold.final, known)):
            ways = [gold.question if own else ""]
        if ways:
            kind, reasoning = END if enough else LATER if state else FIRST, gold.reason(state, gold.next_hop(state))
            shown = {**memories(gold, state), "history": known, "notes": known, "number": len(ways)}
            said = {"sub_questions": ways, "sub_question": ways[0], "answer": gold.final if enough else ""}
            yield gold.step(kind, reasoning, **shown, **said, enough=enough)


@teaches("SplitQuestion", kinds=["a split"], needs_hops=True)
def split(gold: SearchedPath) -> Examples:
    """All sub-questions at once, with the earlier answers as one would know them."""
    texts = [hop.sub_question for hop in gold.hops]
    if len(texts) > 1 and all(gold.asks_less(hop) and not gold.gives_away(hop.sub_question) for hop in gold.hops):
        yield gold.step("a split", f"It takes {len(texts)} steps.", sub_questions=texts)


ANSWERED, NOT_ANSWERED = "answered", "not answered"


@teaches("AnswerSubQuestion", "AnswerStep", kinds=[ANSWERED, NOT_ANSWERED], needs_hops=True)
@teaches("AnswerStepFromMemory", kinds=[ANSWERED], needs_hops=True)
@teaches("AnswerOwnQuestion", kinds=[ANSWERED], needs_hops=True, own=True)
def answer(gold: SearchedPath, *, own: bool = False) -> Examples:
    """Each sub-question with what it finds, and without what answers it; the result of an `own` one is a sentence."""
    wrong = {"answerable": False, "sub_answer": "", "sentence": "no information", "result": "not found"}
    for place, hop in enumerate(gold.hops):
        result = f"The answer is {hop.answer.rstrip('.')}." if own else hop.answer
        right = {"answerable": True, "sub_answer": hop.answer, "sentence": hop.sentence, "result": result}
        asked = {"sub_question": hop.sub_question, "history": notes(gold.hops[:place])}
        lacking = f"None of them says this: {hop.sub_question}"
        for kind, reasoning, pages, said in (
            (ANSWERED, quote(hop), gold.found_with(hop.sub_question, hop), right),
            (NOT_ANSWERED, lacking, gold.found_in_vain(hop.sub_question), wrong),
        ):
            if pages and gold.asks_less(hop):
                yield gold.step(kind, reasoning, **asked, passages=list(map(str, pages)), **said)


def mixed(gold: SearchedPath) -> list[str]:
    """The gold passages among what the question finds beside them."""
    pages = gold.path.passages
    return gold.shuffled([*pages, *gold.missed(gold.question, max(0, SHOWN - len(pages)))])


def _evidence(gold: SearchedPath) -> list[str]:
    pages, analysis = gold.path.passages, gold.reason(gold.whole)
    if gold.chain:
        return [str(Evidence(analysis, ())), *_misled(gold, list(map(str, pages)), str)]
    return _misled(gold, [str(Evidence(analysis, pages))], lambda page: str(Evidence(first_words(page), (page,))))


def _misled(gold: SearchedPath, pieces: list[str], show: Callable[[Passage], str]) -> list[str]:
    """The pieces; for a model that learns to read, of every other question with one among them that does not help."""
    draw = random.Random(gold.path.question.id)
    for page in gold.missed(gold.question, int(gold.wide)) if draw.random() < 0.5 else ():
        pieces.insert(draw.randint(0, len(pieces)), show(page))
    return pieces


def _found_by_hops(gold: SearchedPath) -> list[str]:
    """The passages that the sub-questions find, each once."""
    pages = [page for hop in gold.hops for page in gold.found_with(hop.sub_question, hop, A_TURN)]
    return list(map(str, dict.fromkeys(pages)))


_reads = partial(teaches, kinds=["an answer"])


@_reads("ReadSteps", needs_hops=True, history=lambda gold: notes(gold.hops))
@_reads("ReadPath", needs_hops=True, history=lambda gold: notes(gold.hops), passages=_found_by_hops)
@_reads(
    "ReadMemories",
    evidence=lambda gold: _misled(gold, memories(gold, gold.whole)["evidence"], first_words),
    pathway=lambda gold: memories(gold, gold.whole)["pathway"],
)
@_reads(
    "ReadHistory", needs_hops=True, history=lambda gold: [*turns(gold, gold.hops), f"Thought: {quote(gold.hops[-1])}"]
)
@_reads("ReadNotes", needs_hops=True, notes=lambda gold: notes(gold.hops), passages=_found_by_hops)
@_reads("ReadSummary", summary=lambda gold: " ".join(quotes(gold.hops)))
@_reads("ReadEvidence", evidence=_evidence)
@_reads("ReadAnalyses", analyses=lambda gold: [gold.reason(gold.whole)])
@_reads("AnswerFromPassages", passages=mixed)
@_reads("AnswerQuestion")
def read(gold: SearchedPath, **inputs: Callable[[SearchedPath], Any]) -> Examples:
    """The answer, where it can be read off these inputs."""
    shown = {name: show(gold) for name, show in inputs.items()}
    texts = [text for value in shown.values() for text in ([value] if isinstance(value, str) else value)]
    if not inputs or gold.can_read(gold.final, texts):
        yield gold.step("an answer", gold.reason(gold.whole), **shown, answer=gold.final)


def turns(gold: SearchedPath, hops: Sequence[GoldHop]) -> list[str]:
    """An agent's thoughts, searches and what they found."""
    lines: list[str] = []
    for place, hop in enumerate(hops):
        lines += [f"Thought: {thought_before(hops[:place], hop)}", f"Search: {hop.sub_question}"]
        lines += map(str, gold.found_with(hop.sub_question, hop, A_TURN))
    return lines


def thought_before(known: Sequence[GoldHop], aim: GoldHop) -> str:
    """The last thing found, and what it leads to."""
    return " ".join([*quotes(known[-1:]), f"Next I need to find out: {aim.sub_question}"])
