"""The built-in LM: a small encoder reads the prompt's passages, and each output is filled from its judgements."""

import ast
import math
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Self

from ..base import InputError
from ..base.concurrency import BackgroundLoop
from ..base.english import BAR, Span, content_words, split_title
from ..base.imports import dspy, lm15
from ..encoder import Encoder, Pair
from .engine import AsyncEngine, Engine, as_lm
from .local_page import AskedEncoder, LocalPage, Read, sentence_of
from .prompt import Field, Prompt, parse_prompt
from .word_rules import choose, full_question, is_yes_or_no, names, options, yes_or_no

_loop = BackgroundLoop("multihop-local")
"""The loop for synchronous calls."""
CANDIDATES = 3
SUMMED_UP = 3
"""Passages of which a summary tells, beside those that hold a likely answer."""
HELPS = 0.1
"""From this probability on a passage is said to help: a path that is rejected is lost, one too many only costs."""
HOLDS = 0.25
"""From this probability on a passage is said to hold the answer."""
AMONG = 0.1
"""From this probability on a candidate is called valid: several candidates share the probability of one answer."""


class Local(Engine):
    """The engine behind `local`: an extractive reader of 33 million parameters, computed here, with no key."""

    def __init__(self, *, weights: str | None = None) -> None:
        self.weights = weights
        self.encoder = Encoder.load(weights)

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field."""
        return _loop.run(self.areply(prompt))

    async def areply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field; what other prompts ask the encoder meanwhile goes through it in one run."""
        page = LocalPage(prompt, AskedEncoder(self.encoder))
        return {field.name: await _filled(page, field) for field in prompt.output_fields}

    def dump_state(self) -> dict[str, Any]:
        """The values from which `load_state` rebuilds this engine."""
        return {"weights": self.weights}


class AsyncLocal(AsyncEngine):
    """The asynchronous half of `Local`: concurrent requests share the runs of the encoder."""

    engine: Local

    async def complete(self, request: "lm15.Request") -> "lm15.Response":
        """One answer."""
        prompt = parse_prompt(request)
        return self.engine.response(request, prompt, await self.engine.areply(prompt))

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The asynchronous half of the engine that `dump_state` described."""
        return cls(Local.load_state(state))


def local(*, weights: str | None = None, **options: Any) -> "dspy.LM":
    """The built-in LM: no key, no network, answers computed from the passages that the prompt shows.

    It is a judge and a reader, 33 million parameters together, which can only point at words they are shown: it
    extracts, and invents nothing. It does not learn from demonstrations in the prompt.

    Args:
        weights: The folder of an encoder of your own (`multihop train`); the built-in one if not given.
        **options: Passed on to `dspy.LM`.

    Examples:
        >>> import dspy
        >>> from multihop.lms import local
        >>> with dspy.context(lm=local()):
        ...     read = dspy.Predict("passages: list[str], question -> answer")
        ...     read(passages=["Alien | Alien was directed by Ridley Scott."], question="Who directed Alien?").answer
        'Ridley Scott'
    """
    engine = Local(weights=weights)
    return as_lm(engine, f"local@{engine.encoder.fingerprint}", twin=AsyncLocal(engine), **options)


async def _answer(page: LocalPage) -> str:
    """Yes or no, one of two, or the likeliest span; where the prompt shows no passages, a guess from the question."""
    if is_yes_or_no(page.question):
        return yes_or_no(page.question, page.compared)
    if pair := options(page.question):
        return choose(page.question, page.compared, pair)
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
    """Sentences that hold what is useful or a likely answer, a line of each passage: "title | sentences"."""
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


async def _relevant(page: LocalPage) -> bool:
    """True if the path, or the text, is part of the way."""
    read = await page.path()
    return read is not None and read.judgement.relevant >= HELPS


async def _enough(page: LocalPage) -> bool:
    """True if nothing is missing: for a path after its last passage, else after the likeliest passage."""
    if page.prompt.inputs.get("path"):
        read = await page.path()
        return read is not None and read.judgement.enough >= 0.5
    return any(read.judgement.enough * (read.belief if read.known else 1) >= 0.5 for read in await page.reads())


async def _answerable(page: LocalPage) -> bool:
    """True if a passage holds the answer to the sub-question."""
    return any(read.judgement.relevant * read.judgement.holds >= HOLDS for read in await page.step().reads())


async def _valid(page: LocalPage) -> bool:
    """True if the candidate is among the likeliest answers that the summary holds."""
    candidate = str(page.prompt.inputs.get("candidate", "")).lower()
    if is_yes_or_no(page.question) or options(page.question):
        return (await _answer(page)).lower() == candidate
    for each in await page.candidates():
        if math.exp(each.score) >= AMONG and (candidate in each.text.lower() or each.text.lower() in candidate):
            return True
    return False


async def _first_better(page: LocalPage) -> bool:
    """True if the first account says at least as much of the answer as the second."""
    texts = [str(page.prompt.inputs.get(name, "")) for name in ("first", "second")]
    first, second = await page.encoder.judge([Pair(page.question, text) for text in texts])
    return first.relevant * (first.enough + first.holds) >= second.relevant * (second.enough + second.holds)


async def _score(page: LocalPage) -> str:
    """The nearness of the answer, of ten: how little is missing, and how surely all of it is part of the way."""
    reads = await page.reads() if page.passages else []
    relevant = max((read.judgement.relevant for read in reads), default=0.05)
    enough = max((read.judgement.enough for read in reads), default=0.05)
    return f"{5 * (relevant + enough):.1f}"


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


async def _useful_sentences(page: LocalPage) -> list[str]:
    """The sentences that hold what is useful, of the likeliest passage first."""
    reads = sorted(await page.reads(), key=lambda read: -read.relevance)
    return [_with_title(read.text, sentence_of(read.text, mark)) for read in reads for mark in read.marks]


async def _thought(page: LocalPage) -> str:
    """A useful sentence that was not thought yet, of the likeliest passage that has one."""
    earlier = page.asked_before
    return next((each for each in await _useful_sentences(page) if each not in earlier), page.question)


async def _result(page: LocalPage) -> str:
    """The answer to the sub-question with its sentence, where the passages hold it."""
    step = page.step()
    if not page.passages or not await _answerable(page):
        return ""
    sentence = await _grounds(step)
    return f"{await _answer(step)} ({sentence})" if sentence else await _answer(step)


async def _sentence(page: LocalPage) -> str:
    return await _grounds(page.step()) or "no information"


async def _sub_answer(page: LocalPage) -> str:
    return await _answer(page.step())


async def _action(page: LocalPage) -> str:
    return "finish" if await _enough(page) else "search"


async def _continuation(page: LocalPage) -> str:
    """The next action of an agent that writes one text, in the marks that its prompt names: to answer, or to search."""
    in_boxes = r"\boxed" in page.prompt.instructions
    if await _enough(page):
        return (r"\boxed{%s}" if in_boxes else "<answer>%s</answer>") % await _answer(page)
    marks = "<|begin_search_query|>%s<|end_search_query|>" if in_boxes else "<search>%s</search>"
    return marks % " ".join(re.sub(r"<[^<>]*>", " ", await _sub_question(page)).split())  # it reads the marks as words


async def _actions(page: LocalPage) -> list[str]:
    """To finish, where nothing seems to be missing, and to search for every sub-question."""
    finish = [f"finish: {await _answer(page)}"] if await _enough(page) else []
    return [*finish, *(f"search: {each}" for each in await _sub_questions(page))]


async def _thoughts(page: LocalPage) -> list[str]:
    """To give the answer, where nothing seems to be missing, and the useful sentences that were not thought yet."""
    arrived = [f"So the answer is {await _answer(page)}."] if await _enough(page) else []
    earlier = {str(item) for item in page.prompt.inputs.get("history") or ()}
    sentences = [each for each in await _useful_sentences(page) if each not in earlier]
    return list(dict.fromkeys([*arrived, *sentences, page.question]))


async def _reflection(page: LocalPage) -> str:
    return f"These passages do not answer it: {await _analysis(page)}"


async def _full_question(page: LocalPage) -> str:
    """The question with names of the conversation for its pronouns."""
    return full_question([str(each) for each in page.prompt.inputs.get("conversation") or ()], page.question)


ROLES: dict[str, tuple[str, Callable[[LocalPage], Awaitable[Any]]]] = {
    "answer": ("str", _answer),
    "reasoning": ("str", _reasoning),
    "relevant": ("bool", _relevant),
    "enough": ("bool", _enough),
    "query": ("str", _query),
    "information": ("str", _query),
    "sub_question": ("str", _sub_question),
    "sub_questions": ("list[str]", _sub_questions),
    "sub_answer": ("str", _sub_answer),
    "answerable": ("bool", _answerable),
    "thought": ("str", _thought),
    "action": ("Literal['search', 'finish']", _action),
    "candidates": ("list[str]", _candidates),
    "valid": ("bool", _valid),
    "first_better": ("bool", _first_better),
    "analysis": ("str", _analysis),
    "summary": ("str", _summary),
    "score": ("int", _score),
    "sentence": ("str", _sentence),
    "result": ("str", _result),
    "continuation": ("str", _continuation),
    "actions": ("list[str]", _actions),
    "thoughts": ("list[str]", _thoughts),
    "full_question": ("str", _full_question),
    "reflection": ("str", _reflection),
}
"""The type of each output that it knows by name, and the function that fills it."""
_QUESTIONS = {"question": "sub_question", "questions": "sub_questions"}
_BY_TYPE = ("sub_answer", "sub_questions", "enough", "score", "action")
"""The outputs of which a field of any other name is the one that is of its type."""
_NEEDS_A_READER = frozenset({"correct"})
"""Outputs by which an answer is judged, for which the passages say nothing."""


def known_output(field: Field) -> str | None:
    """The known output that a field is: the one of its name, of the word that its name ends with, or of its type."""
    if field.name in ROLES:
        return field.name
    ending = field.name.rpartition("_")[2]  # `next_query` is a query, `claim_valid` a verdict as `valid` is
    ending = _QUESTIONS.get(ending, ending)
    if ending in ROLES and _fits(ending, field):
        return ending
    by_type = (known for known in _BY_TYPE if _fits(known, field))
    return None if field.name in _NEEDS_A_READER else next(by_type, None)


def fillable_output(field: Field) -> str:
    """The known output that a field is, of a type that the local LM can write; another field is refused."""
    known = known_output(field)
    if known is None:
        raise InputError(
            f"the local LM cannot fill the output field `{field.name}`, a {field.type}: it writes texts, lists of "
            "texts, yes or no about passages, scores and choices. Take an LM that follows instructions (--lm)."
        )
    if not _fits(known, field):
        raise InputError(
            f"the local LM fills the output field `{field.name}` with a {ROLES[known][0]}; "
            f"it is declared as {field.type}."
        )
    return known


def _fits(known: str, field: Field) -> bool:
    """True if the known output is of the declared type, or of a member of the declared union."""
    types = field.type[len("Union[") : -1].split(", ") if field.type.startswith("Union[") else [field.type]
    if known == "action":
        return "str" in types or "Literal[" in field.type
    return ROLES[known][0] in types or (known == "score" and bool({"str", "float"}.intersection(types)))


async def _filled(page: LocalPage, field: Field) -> Any:
    """The value of an output, of its own type where that is another choice or a score of another name."""
    known = fillable_output(field)
    value = await ROLES[known][1](page)
    if known == "score" and field.name != known and "int" in field.type:  # only ours takes decimals under that type
        return round(float(value))
    choices = re.search(r"Literal(\[.*?\])", field.type)
    if known == "action" and choices and value not in (members := ast.literal_eval(choices[1])):
        return members[-1] if value == "finish" else members[0]
    return value
