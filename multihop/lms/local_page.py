"""A prompt as the local LM reads it: every passage judged by the encoder, alone and after the likeliest one."""

import asyncio
import math
import re
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import NamedTuple

from ..base import InputError
from ..base.english import BAR, Span, content_words, sentence_spans, split_title
from ..encoder import Encoder, Judgement, Pages, PagesReading, Pair, condense, judge, next_query, read, read_together
from .prompt import Prompt

READ = 20
"""Passages that are read; those that share least with the question are left out."""
FOLLOWED = 2
"""Passages after which the others are judged anew."""
LATER = 0.3
"""The cost to an answer, as a logarithm, if its pages are read after others, which are likelier."""
JUDGED = 0.5
"""The weight, beside the reader, of the judge's view of the page that an answer is in."""
DOUBT = 0.01
"""The least probability that a page holds the answer, whatever the judge says."""
DECIDES = JUDGED * math.log((1 + DOUBT) / DOUBT)
"""The most by which the judge can move one answer against another."""
LOOKED_BACK = 2
"""Passages of a path that are known when its last one is judged."""
LONG_TEXT = 80
"""Characters from which a text input holds something to read, whatever its name."""
_TEXT_INPUTS = frozenset({"passage", "paragraph", "context", "notes", "summary"})
_ASKED_INPUTS = ("asked", "thoughts")
"""Lists that hold nothing to read."""
_NOTED_INPUTS = ("history", "notes", "pathway")
"""Lists of "what was asked -> what came of it"."""
_PARAGRAPH = re.compile(r"^Paragraph: (.+(?:\n(?!Paragraph: ).+)*)", re.MULTILINE)


class Read(NamedTuple):
    """A passage judged after others."""

    text: str
    judgement: Judgement
    known: tuple[str, ...] = ()
    belief: float = 1.0
    """The probability that what is known is part of the way."""

    @property
    def relevance(self) -> float:
        """The probability that the whole path is part of the way."""
        return self.belief * self.judgement.relevant

    @property
    def marks(self) -> list[Span]:
        """The places of what is useful; the first character if nothing is."""
        return self.judgement.marks() or [(0, 1)]


class Candidate(NamedTuple):
    """A stretch of a passage that may be the answer."""

    text: str
    passage: str
    span: Span
    score: float
    """The logarithm of its likelihood."""


class AskedEncoder:
    """The encoder asked by one page, together with every other page on this event loop."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        return await asyncio.gather(*(judge(self._encoder, pair) for pair in pairs))

    async def read(self, asked: Sequence[Pages]) -> list[PagesReading]:
        """The reader's reading of each group of pages, in their order."""
        return await asyncio.gather(*(read(self._encoder, pages) for pages in asked))

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        picked = await asyncio.gather(*(next_query(self._encoder, *finding) for finding in findings))
        return [each.query for each in picked]


class LocalPage:
    """A prompt's content, and the encoder's judgements of it."""

    def __init__(self, prompt: Prompt, encoder: AskedEncoder) -> None:
        question = prompt.inputs.get("question")
        if not isinstance(question, str):
            raise InputError(
                f"the local LM needs an input `question`; this prompt has {sorted(prompt.inputs)}. It reads and writes "
                "no instructions: give an optimizer that has them written another LM as prompt_model (--writer-lm)."
            )
        self.question = question
        self.prompt = prompt
        self.encoder = encoder
        self._reads: list[Read] | None = None
        self._paths: dict[tuple[str, ...], Read] | None = None
        self.listed: list[str] = []
        """Texts that the prompt gives to read: the items of its lists, and then its single texts."""
        self._texts: list[str] = []
        """The passages that came each in an input of its own, such as `paragraph`."""
        for name, value in prompt.inputs.items():
            if isinstance(value, list) and name in _NOTED_INPUTS:
                self.listed.extend(str(item).rpartition(" -> ")[2] for item in value)
            elif isinstance(value, list) and name not in _ASKED_INPUTS:
                self.listed.extend(str(item) for item in value)
            elif isinstance(value, str) and name != "question" and (name in _TEXT_INPUTS or len(value) >= LONG_TEXT):
                self._texts.append(value)
        self.listed.extend(self._texts)

    @property
    def asked_before(self) -> set[str]:
        """The earlier questions and thoughts."""
        inputs = self.prompt.inputs
        questions = {str(item).rpartition(" -> ")[0] for name in _NOTED_INPUTS for item in inputs.get(name) or ()}
        return questions | {str(item) for name in _ASKED_INPUTS for item in inputs.get(name) or ()}

    def step(self) -> "LocalPage":
        """A page of the sub-question with this one's passages, where there is one."""
        sub_question = self.prompt.inputs.get("sub_question")
        if not isinstance(sub_question, str) or sub_question == self.question:
            return self
        inputs = {**self.prompt.inputs, "question": sub_question}
        inputs.pop("sub_question")
        return LocalPage(self.prompt._replace(inputs=inputs), self.encoder)

    @cached_property
    def passages(self) -> list[str]:
        """The passages worth reading, in their order."""
        texts = list(dict.fromkeys(text for text in self._single_passages if text.strip()))
        if len(texts) <= READ:
            return texts
        asked = set(content_words(self.question))
        shared = {text: len(asked.intersection(content_words(text))) for text in texts}
        most = sorted(texts, key=lambda text: -shared[text])[:READ]
        return [text for text in texts if text in most]

    @cached_property
    def compared(self) -> list[str]:
        """The pages to compare: each paragraph of a piece of evidence is one."""
        return list(dict.fromkeys(self._single_passages if self.passages else self.listed))

    @cached_property
    def _single_passages(self) -> list[str]:
        """The prompt's passages, with texts of earlier steps taken apart into passages."""
        return [part for text in self.listed for part in parts(text)]

    async def path(self) -> Read | None:
        """The last passage of a path, judged after those before it; for other prompts the last text by itself."""
        texts = self.prompt.inputs.get("path") or self._texts[-1:] or self.passages[-1:]
        path = tuple(str(text) for text in texts)
        return (await self.along([path]))[path] if path and path[-1].strip() else None

    @cached_property
    def pieces(self) -> list[tuple[str, ...]]:
        """The paragraphs of each piece of evidence, in the order of its path; none unless every piece shows its own."""
        evidence = self.prompt.inputs.get("evidence")
        pieces = [tuple(_PARAGRAPH.findall(str(text))) for text in evidence] if isinstance(evidence, list) else []
        return list(dict.fromkeys(pieces)) if all(pieces) else []

    async def along(self, paths: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], Read]:
        """Every beginning of the paths, as its last passage judged after those before it."""
        reads: dict[tuple[str, ...], Read] = {}
        for length in range(1, max(map(len, paths), default=0) + 1):
            beginnings = list(dict.fromkeys(path[:length] for path in paths if len(path) >= length))
            before = [reads.get(beginning[:-1]) for beginning in beginnings]
            pairs = [
                Pair(self.question, beginning[-1], (*read.known, _gist(read))[-LOOKED_BACK:] if read else ())
                for beginning, read in zip(beginnings, before, strict=True)
            ]
            judged = await self.encoder.judge(pairs)
            for beginning, pair, earlier, judgement in zip(beginnings, pairs, before, judged, strict=True):
                reads[beginning] = Read(pair.passage, judgement, pair.known, earlier.relevance if earlier else 1.0)
        return reads

    async def reads(self) -> list[Read]:
        """The passages judged along the pieces of evidence; other passages alone, and after each of the likeliest."""
        if self._reads is None:
            self._reads = list((await self.paths()).values() if self.pieces else await self._after_likeliest())
        return self._reads

    async def paths(self) -> dict[tuple[str, ...], Read]:
        """Every beginning of the pieces of evidence, as `along` judges it."""
        if self._paths is None:
            self._paths = await self.along(self.pieces)
        return self._paths

    async def _after_likeliest(self, asked: Collection[str] | None = None) -> list[Read]:
        """Every passage judged alone, and after each of the likeliest others those that are asked about, or all."""
        texts = self.passages
        judged = await self.encoder.judge([Pair(self.question, text) for text in texts])
        alone = [Read(text, judgement) for text, judgement in zip(texts, judged, strict=True)]
        likeliest = sorted(alone, key=lambda read: -read.relevance)[:FOLLOWED]
        pairs = [
            (first, Pair(self.question, text, (_gist(first),)))
            for first in likeliest
            for text in texts
            if text != first.text and (asked is None or text in asked)
        ]
        judged_after = await self.encoder.judge([pair for _, pair in pairs])
        return alone + [
            Read(pair.passage, judgement, pair.known, first.relevance)
            for (first, pair), judgement in zip(pairs, judged_after, strict=True)
        ]

    async def readings(self) -> list[tuple[Pages, PagesReading, float]]:
        """Each group of pages with its reading and the probability that it is part of the way."""
        if self.pieces:
            reads = await self.paths()
            asked = [Pages(self.question, piece) for piece in self.pieces]
            beliefs = [reads[piece].relevance for piece in self.pieces]
        else:
            asked = [Pages(self.question, group) for group in read_together(self.passages)]
            beliefs = [math.exp(-LATER * place) for place in range(len(asked))]
        return list(zip(asked, await self.encoder.read(asked), beliefs, strict=True))

    async def best(self) -> Candidate | None:
        """The first of the candidates; the judge is asked only about pages where what it says could decide."""
        answers = await self._read_answers()
        most = max((candidate.score for candidate in answers), default=0.0)
        contenders = [candidate for candidate in answers if candidate.score >= most - DECIDES]
        passages = {candidate.passage for candidate in contenders}
        if len(passages) > 1:
            known = self.pieces or self._reads is not None
            return _by_both(contenders, await (self.reads() if known else self._after_likeliest(passages)))[0]
        return max(contenders, key=lambda candidate: candidate.score, default=None)

    async def candidates(self) -> list[Candidate]:
        """The likeliest answers, best first, each once: by the reader, and by the judge of the pages they are in."""
        return _by_both(await self._read_answers(), await self.reads())

    async def _read_answers(self) -> list[Candidate]:
        """Every answer of the reader, scored by the reader alone."""
        answers = []
        for (_, pages), reading, belief in await self.readings():
            for answer in reading.answers:
                passage = pages[answer.page]
                if text := passage[answer.start : answer.end].strip(" .,;:"):
                    likely = answer.score + math.log(belief * reading.holds + 1e-9)
                    answers.append(Candidate(text, passage, (answer.start, answer.end), likely))
        return answers


def _by_both(answers: Sequence[Candidate], reads: Sequence[Read]) -> list[Candidate]:
    """The reader's answers, each once, best first: by its score, and by the probability that its page holds it."""
    holds: dict[str, float] = {}
    for one in reads:
        holds[one.text] = max(holds.get(one.text, 0.0), one.relevance * one.judgement.holds)
    best: dict[str, Candidate] = {}
    for each in answers:
        candidate = each._replace(score=each.score + JUDGED * math.log(holds.get(each.passage, 0.0) + DOUBT))
        name = candidate.text.lower()
        if name not in best or candidate.score > best[name].score:
            best[name] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.score)


def _gist(read: Read) -> str:
    """The part of a passage that is known when the passages after it are judged."""
    return condense(read.text, read.judgement.marks())


def parts(text: str) -> list[str]:
    """The paragraphs in a step's text, or its lines of passages, or else the text itself."""
    if paragraphs := _PARAGRAPH.findall(text):
        return list(paragraphs)
    lines = text.splitlines()
    if lines and all(BAR in line for line in lines):
        return lines
    return [] if text == "not found" else [text.removeprefix("Assertion: ")]


def sentence_of(text: str, span: Span) -> str:
    """The sentence in which a span begins, without the title."""
    around = next((each for each in sentence_spans(text) if each[0] <= span[0] < each[1]), (0, len(text)))
    sentence = text[slice(*around)].strip()
    return split_title(sentence)[1]
