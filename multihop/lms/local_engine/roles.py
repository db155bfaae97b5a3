"""The roles of the local LM: each fills an output field from the encoder's judgements of the prompt's passages."""

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ...base.english import BAR, Span, content_words, split_title
from ...encoder import Pair
from .comparison import choose, is_yes_or_no, options, yes_or_no
from .follow_up import full_question
from .overlap import PassageReading, names
from .page import LocalPage, Read, sentence_of

CANDIDATES = 3
SUMMED_UP = 3
"""Passages of which a summary tells, beside those that hold a likely answer."""
HELPS = 0.1
"""From this probability on a passage is said to help: a path that is rejected is lost, one too many only costs."""
HOLDS = 0.25
"""From this probability on a passage is said to hold the answer."""
SURE = 4.0
"""The log odds that a comparison is right about which candidate it is."""
AMONG = 0.1
"""From this probability on a candidate is called valid: several candidates share the probability of one answer."""


LocalRole = Callable[[LocalPage], Awaitable[Any]]
"""The function that fills an output."""


def _decided(
    odds: Callable[[LocalPage], Awaitable[float]],
    decide: Callable[[LocalPage, float], Awaitable[Any]],
    *,
    least: float = 0.5,
) -> LocalRole:
    """The role of an output behind which a probability stands.

    Args:
        odds: The log odds that it is so.
        decide: The field's value, given by how much the odds are above those of `least`.
        least: From this probability on the decision is yes: other than half where one mistake costs more than the
            other.
    """

    async def fill(page: LocalPage) -> Any:
        return await decide(page, await odds(page) - log_odds(least))

    return fill


def log_odds(probability: float) -> float:
    """The log odds of a probability, of none surer than one in ten thousand."""
    probability = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(probability / (1 - probability))


async def _answer(page: LocalPage) -> str:
    """Yes or no, one of two, or the likeliest span; where the prompt shows no passages, a guess from the question."""
    compared = page.compared if page.passages else PassageReading(page.question, page.listed)
    if is_yes_or_no(page.question):
        return yes_or_no(compared)
    if pair := options(page.question):
        return choose(compared, pair)
    if page.passages and (best := await page.best()):
        return best.text
    if page.listed:  # such as earlier steps that found nothing
        return "unknown"
    return next((match[0] for match in reversed(list(names(page.question)))), "unknown")


async def _candidates(page: LocalPage) -> list[str]:
    """The answer, and the next likeliest ones."""
    others = ["yes", "no"] if is_yes_or_no(page.question) else list(options(page.question) or ())
    if not others:
        others = [candidate.text for candidate in await page.candidates()]
    return list(dict.fromkeys([await _answer(page), *others]))[:CANDIDATES]


async def _grounds(page: LocalPage) -> str:
    """The sentence the answer rests on."""
    if best := await page.best():
        return sentence_of(best.passage, best.span)
    return ""


async def _reasoning(page: LocalPage) -> str:
    sentence = await _grounds(page)
    return f'The passages say: "{sentence}"' if sentence else "No passage is given, so this is a guess."


async def _analysis(page: LocalPage) -> str:
    """The sentences that hold what is useful, of the likeliest passages, in their order."""
    marks = _useful(await page.reads())
    texts = [text for text in page.passages if text in marks]
    return " ".join(dict.fromkeys(_with_title(text, sentence_of(text, mark)) for text in texts for mark in marks[text]))


async def _summary(page: LocalPage) -> str:
    """The same and the sentences that hold a likely answer, a line of each passage: "title | sentences"."""
    marks = _useful(await page.reads())
    for candidate in (await page.candidates())[:CANDIDATES]:
        marks.setdefault(candidate.passage, []).append(candidate.span)
    return "\n".join(_line(text, marks[text]) for text in page.passages if text in marks)


def _useful(reads: Sequence[Read]) -> dict[str, list[Span]]:
    """The places of what is useful in each of the likeliest passages."""
    best: dict[str, Read] = {}
    for read in sorted(reads, key=lambda read: -read.relevance):
        best.setdefault(read.text, read)
    likely = [read for read in best.values() if read.relevance >= 0.3][:SUMMED_UP]
    return {read.text: read.marks for read in likely}


def _line(text: str, marks: Sequence[Span]) -> str:
    """The sentences of a passage that hold marks, in their order, after its title."""
    title, _ = split_title(text)
    sentences = " ".join(dict.fromkeys(" ".join(sentence_of(text, mark).split()) for mark in sorted(marks)))
    return f"{title}{BAR}{sentences}" if title else sentences


def _with_title(text: str, sentence: str) -> str:
    """The sentence with its passage's title, where it does not name it."""
    title, _ = split_title(text)
    name = title.split(" (")[0]
    return f"{name}: {sentence}" if name not in sentence else sentence


async def _relevant(page: LocalPage) -> float:
    """The log odds that the path, or the text, is part of the way."""
    read = await page.path()
    return log_odds(read.judgement.relevant if read else 0.0)


async def _enough(page: LocalPage) -> float:
    """The log odds that nothing is missing: for a path after its last passage, else after the likeliest passage."""
    if page.prompt.inputs.get("path"):
        read = await page.path()
        return log_odds(read.judgement.enough if read else 0.0)
    reads = await page.reads()
    return log_odds(max((read.judgement.enough * (read.belief if read.known else 1) for read in reads), default=0.0))


async def _answerable(page: LocalPage) -> float:
    """The log odds that a passage holds the answer to the sub-question."""
    reads = await page.step().reads()
    return log_odds(max((read.judgement.relevant * read.judgement.holds for read in reads), default=0.0))


async def _valid(page: LocalPage) -> float:
    """The log odds that the candidate is among the likeliest answers that the summary holds."""
    candidate = str(page.prompt.inputs.get("candidate", "")).lower()
    candidates = await page.candidates()
    likely = [
        math.exp(each.score) for each in candidates if candidate in each.text.lower() or each.text.lower() in candidate
    ]
    if is_yes_or_no(page.question) or options(page.question):
        return SURE if (await _answer(page)).lower() == candidate else -SURE
    return log_odds(max(likely, default=0.0))


async def _first_better(page: LocalPage) -> float:
    """The log odds that the first account says more of the answer than the second: the ratio of what they say."""
    texts = [str(page.prompt.inputs.get(name, "")) for name in ("first", "second")]
    first, second = await page.encoder.judge([Pair(page.question, text) for text in texts])
    says = [max(each.relevant * (each.enough + each.holds), 1e-12) for each in (first, second)]
    return math.log(says[0]) - math.log(says[1])


async def _score(page: LocalPage) -> float:
    """The nearness of the answer as log odds: by how much is missing, and how surely all of it is part of the way."""
    if not page.passages:
        return log_odds(0.05)
    reads = await page.reads()
    relevant = max(read.judgement.relevant for read in reads)
    return log_odds(0.5 * relevant + 0.5 * max(read.judgement.enough for read in reads))


def _useful_words(read: Read) -> str:
    """The useful words of a passage, or its title."""
    marks = read.judgement.marks()
    title, _ = split_title(read.text)
    return " ".join(read.text[start:end] for start, end in marks) or title or read.text[:60]


async def _queries(page: LocalPage) -> list[str]:
    """The next queries after each of the likeliest passages, and the question; none that was asked before."""
    reads = sorted((read for read in await page.reads() if not read.known), key=lambda read: -read.judgement.leads_on)
    findings = [(page.question, _useful_words(read)) for read in reads[:CANDIDATES]]
    return [*await page.encoder.next_queries(findings), page.question]


async def _query(page: LocalPage) -> str:
    """The words of the question and of what was found that ask for what is missing."""
    if page.prompt.inputs.get("path"):
        read = await page.path()
        return (await page.encoder.next_queries([(page.question, _useful_words(read))]))[0] if read else page.question
    return (await _queries(page))[0]


async def _sub_question(page: LocalPage) -> str:
    """The likeliest query that was not asked before."""
    earlier = {each.casefold() for each in page.asked_before}
    queries = await _queries(page) if page.passages else []
    others = [f"{page.question} {match[0]}" for text in page.passages for match in names(text)]
    wordings = [*queries, page.question, *others]
    return next((wording for wording in wordings if wording.casefold() not in earlier), wordings[0])


async def _sub_questions(page: LocalPage) -> list[str]:
    """The question, every name in it by itself, and the queries; nothing that was asked before."""
    in_question = [match[0] for match in names(page.question) if content_words(match[0])]
    queries = await _queries(page) if page.passages else []
    parts = dict.fromkeys([*queries, page.question, *in_question])
    return [part for part in parts if part not in page.asked_before]


async def _thought(page: LocalPage) -> str:
    """A useful sentence that was not thought yet, of the likeliest passage that has one."""
    earlier = page.asked_before
    for read in sorted(await page.reads(), key=lambda read: -read.relevance):
        for mark in read.marks:
            sentence = _with_title(read.text, sentence_of(read.text, mark))
            if sentence not in earlier:
                return sentence
    return page.question


async def _result(page: LocalPage, odds: float) -> str:
    """The answer to the sub-question with its sentence, where the passages hold it."""
    step = page.step()
    if not page.passages or odds < 0:
        return ""
    sentence = await _grounds(step)
    return f"{await _answer(step)} ({sentence})" if sentence else await _answer(step)


async def _sentence(page: LocalPage) -> str:
    return await _grounds(page.step()) or "no information"


async def _sub_answer(page: LocalPage) -> str:
    return await _answer(page.step())


async def _actions(page: LocalPage, odds: float) -> list[str]:
    """To finish, where nothing seems to be missing, and to search for every sub-question."""
    finish = [f"finish: {await _answer(page)}"] if odds >= 0 else []
    return [*finish, *(f"search: {each}" for each in await _sub_questions(page))]


async def _thoughts(page: LocalPage, odds: float) -> list[str]:
    """To give the answer, where nothing seems to be missing, and the useful sentences that were not thought yet."""
    arrived = [f"So the answer is {await _answer(page)}."] if odds >= 0 else []
    earlier = {str(item) for item in page.prompt.inputs.get("history") or ()}
    reads = sorted(await page.reads(), key=lambda read: -read.relevance)
    marked = [(read, mark) for read in reads for mark in read.marks]
    sentences = [_with_title(read.text, sentence_of(read.text, mark)) for read, mark in marked]
    return list(dict.fromkeys([*arrived, *(each for each in sentences if each not in earlier), page.question]))


async def _reflection(page: LocalPage) -> str:
    return f"These passages do not answer it: {await _analysis(page)}"


async def _full_question(page: LocalPage) -> str:
    """The question with names of the conversation for its pronouns."""
    return full_question([str(each) for each in page.prompt.inputs.get("conversation") or ()], page.question)


async def _yes(page: LocalPage, odds: float) -> bool:
    return odds >= 0


async def _action(page: LocalPage, odds: float) -> str:
    return "finish" if odds >= 0 else "search"


async def _grade(page: LocalPage, odds: float) -> str:
    return f"{10 / (1 + math.exp(-odds)):.1f}"


ROLES: dict[str, LocalRole] = {
    "answer": _answer,
    "reasoning": _reasoning,
    "relevant": _decided(_relevant, _yes, least=HELPS),
    "enough": _decided(_enough, _yes),
    "query": _query,
    "information": _query,
    "sub_question": _sub_question,
    "sub_questions": _sub_questions,
    "sub_answer": _sub_answer,
    "answerable": _decided(_answerable, _yes, least=HOLDS),
    "thought": _thought,
    "action": _decided(_enough, _action),
    "candidates": _candidates,
    "valid": _decided(_valid, _yes, least=AMONG),
    "first_better": _decided(_first_better, _yes),
    "analysis": _analysis,
    "summary": _summary,
    "score": _decided(_score, _grade),
    "sentence": _sentence,
    "result": _decided(_answerable, _result, least=HOLDS),
    "actions": _decided(_enough, _actions),
    "thoughts": _decided(_enough, _thoughts),
    "full_question": _full_question,
    "reflection": _reflection,
}
"""The function or decision that fills each known output."""
