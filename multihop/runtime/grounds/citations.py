"""The sentences that bear an answer: for each claim the sentence of a passage that says so, and whether it does."""

from collections.abc import Iterable, Iterator, Sequence

from ...english.normal_form import normal_form
from ...english.refusals import refuses
from ...english.sentences import split_sentences
from ...retrieval import Passage
from .answer_sentences import answer_verdict, likely_sentences, read_answer, stands_in
from .citation import Citation, Verdict
from .claims import ClaimCheck
from .signals import FIRST

PREFIX = "Assertion: "
"""The words before a conclusion that are no part of it."""
NOTHING = "not found"
"""The words of a step that found nothing."""


async def cite(question: str, answer: str, conclusions: Sequence[str], passages: Sequence[Passage]) -> list[Citation]:
    """The citations of the answer, best first, then that of each sentence of the conclusions.

    Args:
        question: The question.
        answer: The answer; a refusal has no citation.
        conclusions: The conclusions on the way to it.
        passages: The passages that the answer rests on, best first; the first ones may bear the answer.

    Examples:
        >>> import asyncio
        >>> from multihop import Passage
        >>> from multihop.runtime.grounds.citations import cite
        >>> pages = [
        ...     Passage("1", "Emma (novel)", "Emma is a novel by Jane Austen. It sold well."),
        ...     Passage("2", "Jane Austen", "Jane Austen was an English novelist. She was born in Steventon."),
        ... ]
        >>> for each in asyncio.run(cite("Where was the author of Emma born?", "Steventon", [], pages)):
        ...     print(each["verdict"], each["sentence"])
        supported She was born in Steventon.
        supported Emma is a novel by Jane Austen.
    """
    distinct = _distinct(passages)
    claims = dict.fromkeys(claim for text in conclusions for claim in _claims(text) if claim != answer)
    check = ClaimCheck(distinct, question) if claims else None
    return [
        *(await _of_answer(question, answer, _first(distinct, answer))),
        *(_of_claim(claim, check) for claim in claims if check),
    ]


def of_answer(citations: Iterable[Citation], answer: str) -> list[Citation]:
    """The citations of the answer, without those of the conclusions."""
    return [each for each in citations if each["claim"] == answer]


async def _of_answer(question: str, answer: str, passages: Sequence[Passage]) -> list[Citation]:
    if refuses(answer):
        return []
    reading = await read_answer(question, passages)
    verdict = answer_verdict(question, answer, reading)
    if verdict == "not found":
        return [_nothing(answer)]
    return [
        _citation(answer, verdict, passage, start, end, score)
        for passage, (start, end), score in likely_sentences(question, answer, reading)
    ]


def _distinct(passages: Iterable[Passage]) -> list[Passage]:
    """The passages that have a text, each once."""
    found: dict[str, Passage] = {}
    for passage in passages:
        if passage.text.strip():
            found.setdefault(str(passage), passage)
    return list(found.values())


def _first(passages: Sequence[Passage], answer: str) -> list[Passage]:
    """The first passages; where the answer stands in none of them, the first one in which it does is the last."""
    form, first = normal_form(answer), list(passages[:FIRST])
    if not any(stands_in(form, str(passage)) for passage in first):
        named = [passage for passage in passages[FIRST:] if stands_in(form, str(passage))][:1]
        first = [*first[: FIRST - len(named)], *named]
    return first


def _claims(conclusion: str) -> Iterator[str]:
    """The sentences of a conclusion that claim something."""
    return (each for each in split_sentences(conclusion.removeprefix(PREFIX)) if not _says_nothing(each))


def _says_nothing(claim: str) -> bool:
    """True if it says that there is nothing, by itself or behind the sub-question."""
    said = claim.rpartition(" -> ")[2]
    return refuses(said) or normal_form(said) == NOTHING


def _of_claim(claim: str, check: ClaimCheck) -> Citation:
    checked = check.check(claim)
    if checked is None or checked.verdict == "not found":
        return _nothing(claim)
    return _citation(claim, checked.verdict, checked.sentence.passage, *checked.sentence.span, checked.score)


def _citation(claim: str, verdict: Verdict, passage: Passage, start: int, end: int, score: float) -> Citation:
    return {
        "claim": claim, "verdict": verdict, "passage": passage.id, "title": passage.title,
        "sentence": passage.text[start:end], "start": start, "end": end, "score": round(score, 4),
    }  # fmt: skip


def _nothing(claim: str) -> Citation:
    return _citation(claim, "not found", Passage("", "", ""), 0, 0, 0.0)
