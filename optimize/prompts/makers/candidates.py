"""Candidate answers: the right one and one that comes near, what speaks for each, and which is better."""

from collections.abc import Iterator

from ....base.english import split_sentences
from ....data.gold.whole_words import as_written
from ....retrieval import Passage
from .notes import mixed
from .rephrasing import fact
from .scene import SHOWN, MadeStep, Maker, StagedQuestion

RIGHT, WRONG = "right", "wrong"


def proposed_candidates(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The right answer and one that the passages name too."""
    passages = mixed(scene, SHOWN)
    both = [scene.final, scene.rival]
    if scene.is_yes_or_no or all(scene.holds(each, [scene.question, *passages]) for each in both):
        fields = {"passages": passages, "number": len(both), "question": scene.question, "candidates": both}
        yield MadeStep({**fields, "reasoning": scene.reason(scene.whole, shown=passages)}, "candidates")


def candidate_summaries(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The evidence for the right one, and a word that there is none for the other."""
    for candidate, summary, decision in _accounts(scene):
        shown = {"passages": mixed(scene, SHOWN), "candidate": candidate, "question": scene.question}
        yield MadeStep({**shown, "summary": summary, "reasoning": summary}, decision)


def validations(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same, judged; and a sentence that only names the wrong one."""
    for candidate, summary, decision in _accounts(scene):
        yield _validation(scene, candidate, summary, decision)
    if named := _naming(scene):
        yield _validation(scene, scene.rival, named, WRONG)


def _validation(scene: StagedQuestion, candidate: str, summary: str, decision: str) -> MadeStep:
    valid = decision == RIGHT
    reasoning = f"The summary {'proves' if valid else 'does not prove'} that the answer is {candidate}."
    shown = {"candidate": candidate, "summary": summary, "question": scene.question}
    return MadeStep({**shown, "valid": valid, "reasoning": reasoning}, decision)


def comparisons(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Both accounts, in either order."""
    right, wrong = (f"{candidate}: {summary}" for candidate, summary, _ in _accounts(scene))
    for first, second, better in ((right, wrong, True), (wrong, right, False)):
        reasoning = f"The {'first' if better else 'second'} account proves its answer, the other does not."
        shown = {"first": first, "second": second, "question": scene.question}
        yield MadeStep(
            {**shown, "first_better": better, "reasoning": reasoning}, "the first" if better else "the second"
        )


def _accounts(scene: StagedQuestion) -> Iterator[tuple[str, str, str]]:
    """Each candidate, what the passages say for it, and whether it is right."""
    yield scene.final, " ".join([*dict.fromkeys(map(fact, scene.hops)), scene.verdict]), RIGHT
    against = f"The passages do not speak for {scene.rival} as the answer."
    named = _naming(scene)
    yield scene.rival, f"{against} They name it otherwise: {named}" if named else against, WRONG


def _naming(scene: StagedQuestion) -> str:
    """A sentence that names the wrong candidate and not the right one."""
    if scene.is_yes_or_no:
        return ""
    pages: list[Passage] = [*scene.path.passages, *scene.missed(scene.question)]
    holding = (page for page in pages if scene.rival.casefold() in page.text.casefold())
    sentences = (each for page in holding for each in split_sentences(page.text))
    naming = (each for each in sentences if as_written(each, scene.rival) and not as_written(each, scene.final))
    return next(naming, "")


MAKERS = {
    "ProposeCandidates": Maker(("candidates",), proposed_candidates),
    "SummarizeForCandidate": Maker((RIGHT, WRONG), candidate_summaries),
    "ValidateCandidate": Maker((RIGHT, WRONG), validations),
    "CompareCandidates": Maker(("the first", "the second"), comparisons),
}
