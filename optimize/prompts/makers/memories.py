"""The steps between two retrievals of ReSP: what helps is written down, and judged."""

from collections.abc import Iterator, Sequence

from ....retrieval import Passage
from .notes import failed_note, memories, summary_of
from .scene import SHOWN, MadeStep, Maker, StagedQuestion

HELPS, NOTHING = "something helps", "nothing helps"
IN_VAIN = "Nothing here says anything about what is asked."
ENOUGH, NOT_ENOUGH = "enough", "not enough"


def summaries(scene: StagedQuestion, in_vain: str = "") -> Iterator[MadeStep]:
    """Summaries of the passages that the question finds, with the paragraphs that help among them and without.

    `in_vain` is the summary where nothing helps.
    """
    found = scene.found(scene.question)
    shown = {
        known: pages
        for pages in (found, [*scene.path.passages, *scene.missed(scene.question)][:SHOWN])
        if (known := scene.known_in(pages)) and len(known) == _gold_among(scene, pages)
    }
    for known, pages in shown.items():
        scene.draw("summary").shuffle(pages)
        texts = [str(page) for page in pages]
        yield _summary(scene, texts, summary_of(scene.known(known)), scene.reason(known, shown=texts), HELPS)
    if beside := scene.found_in_vain(scene.question):
        texts = [str(page) for page in beside]
        yield _summary(scene, texts, in_vain, "Nothing here helps to answer the question.", NOTHING)


def _gold_among(scene: StagedQuestion, pages: Sequence[Passage]) -> int:
    """The number of hops that the passages tell, whatever they need."""
    return sum(hop.passage in pages for hop in scene.hops)


def _summary(scene: StagedQuestion, passages: list[str], summary: str, reasoning: str, decision: str) -> MadeStep:
    fields = {"passages": passages, "question": scene.question, "summary": summary, "reasoning": reasoning}
    return MadeStep(fields, decision)


def evidence(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same for a summary that is never empty."""
    return summaries(scene, IN_VAIN)


def verdicts(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Memories of each state; what was asked for in vain is in some of those that are not enough."""
    for state in [*scene.partial[1:], scene.whole]:
        aim, shown = scene.next_hop(state), memories(scene, state)
        reasoning = scene.reason(state, aim, shown=shown["evidence"])
        yield _verdict(scene, shown, enough=scene.complete(state), reasoning=reasoning)
        if aim and aim.passage not in scene.found(aim.sub_question):
            in_vain = {**shown, "pathway": [*shown["pathway"], failed_note(aim.sub_question)]}
            yield _verdict(scene, in_vain, enough=False, reasoning=reasoning)


def _verdict(scene: StagedQuestion, shown: dict[str, list[str]], *, enough: bool, reasoning: str) -> MadeStep:
    fields = {**shown, "question": scene.question, "enough": enough, "reasoning": reasoning}
    return MadeStep(fields, ENOUGH if enough else NOT_ENOUGH)


MAKERS = {
    "SummarizePassages": Maker((HELPS, NOTHING), summaries),
    "WriteEvidence": Maker((HELPS, NOTHING), evidence),
    "JudgeMemories": Maker((ENOUGH, NOT_ENOUGH), verdicts),
}
