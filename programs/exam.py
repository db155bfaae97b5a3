"""An exam question written from linked passages, and kept only where a reader needs all of them."""

import re
from zlib import crc32

import dspy

from ..base.english import find_words, refuses, split_sentences
from ..retrieval import Passage
from ..runtime import Count, Program, Share, together
from ..signatures import SitExam, WriteExamQuestion
from .shared.evidence import agree, wording

LIKE = 4
"""Passages like the one with the answer, among which each is shown alone: a reader that guesses then guesses wrong."""
_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’&-]*"
_NAME = re.compile(rf"([a-zß-ÿ,] |(?<![\w'’-]))({_WORD}(?: (?:{_WORD}|\d+(?![\w:.])))*)")
"""A run of words that begin with capitals, and numbers behind one; before it what is there inside a sentence."""


class WriteExam(Program):
    """An exam question for a passage of a corpus: it is given the passage, and its answer is the question.

    An LM is shown passages that share names, and writes a question that needs them all. It is kept where its answer
    stands in the passage, and a reader gives it from all passages, drawn twice, the second time among others like it,
    and from none of them alone among those; else the next link is tried. For a share of the passages, the question is
    one that nothing answers, kept where the reader finds no answer in what it finds. The prediction's `answer` is the
    question, empty if none is kept; `evidence` has it as files of questions do. Ours: no paper describes it.
    """

    name = "write-exam"
    calls = "up to 5 for each link of two passages"

    pages: Count = 2
    """Passages that a question takes at most, 2 or 3."""
    tries: Count = 3
    """Links of a passage to try at most until a question is kept."""
    k: Count = 50
    """Passages to find, among which the linked ones are."""
    unanswerable: Share = 0.1
    """The share of passages for which the question is one that the corpus does not answer."""

    def set_up(self) -> None:
        """Set up the author and the reader."""
        self.write, self.read = dspy.Predict(WriteExamQuestion), dspy.Predict(SitExam)

    def most_calls(self) -> int:
        """LM calls a passage at most, retries apart: to write, two draws, and a reading of each passage alone."""
        return self.tries * (3 + self.pages)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Write a question for one link after the other, until one is kept."""
        own = [hit.passage for hit in await self.find(question, self.k) if str(hit.passage) == question][:1]
        for names, pages in (await self.linked([], own))[: self.tries] if own else ():
            if self.pages > 2:
                names, pages = next(iter(await self.linked(names, pages)), (names, pages))
            kept, why = await self.attempt(self.written(names, pages)) or (None, "The LM's reply could not be read.")
            if kept:
                return kept
            self.record({"step": "drop", "outputs": {"why": why}})
        return dspy.Prediction(answer="", passages=[])

    async def linked(self, names: list[str], pages: list[Passage]) -> list[tuple[list[str], list[Passage]]]:
        """The chains of passages that are one longer at the front, each with the names by which it holds together."""
        links = shared_names(pages[0], [hit.passage for hit in await self.find(str(pages[0]), self.k)])
        return [([name, *names], [new, *pages]) for name, new in links if name not in names and new not in pages]

    async def written(self, names: list[str], pages: list[Passage]) -> tuple[dspy.Prediction | None, str]:
        """A question that needs all pages, or one that nothing answers; or else why there is none."""
        missing = crc32(str(pages[-1]).encode("utf-8", "replace")) < self.unanswerable * 2**32
        asked = await self.ask(self.write, passages=pages, names=names, missing=missing)
        question, answer = asked.question.strip(), "" if missing else asked.answer.strip()
        parts = [part for name in names for part in name.split() if not part.islower() and part != "The"]
        if not question or any(named(each, question) for each in [*names, *parts]):
            return None, "The question holds part of a shared name."
        elsewhere = " ".join([question, *names, *map(str, pages[:-1])])
        if not missing and (named(answer, elsewhere) or not named(answer, pages[-1].text)):
            return None, "The answer stands in the question or in another passage, or not in its own."
        gold = [] if missing else list(zip(pages, [*names, answer], strict=True))
        record = {
            "question": question,
            "answers": [] if missing else [answer],
            "answerable": not missing,
            "supporting": [page.id for page, _ in gold],
            "supporting_sents": [sentence_of(page, thing, question) for page, thing in gold],
            "type": "unanswerable" if missing else "bridge",
            "hops": len(pages),
            "gold": "derived",
        }
        why = await self.sit(question, answer, pages)
        return None if why else dspy.Prediction(answer=question, passages=pages, evidence=[record]), why

    async def sit(self, question: str, answer: str, pages: list[Passage]) -> str:
        """Why the question is not kept; empty if a reader needs all pages, or finds no answer where there is none."""
        hits = await self.find(str(pages[-1]) if answer else question, LIKE + len(pages))
        others = [hit.passage for hit in hits if hit.passage not in pages]
        shown = [pages if answer else [*others, *pages], [*others, *pages]]
        shown += [[*others[:2], page, *others[2:LIKE]] for page in pages if answer]
        asked = [self.ask(self.read, passages=each, question=question, draw=n) for n, each in enumerate(shown, 1)]
        one, two, *alone = [each.answer for each in await together(*asked)]
        if not answer:
            return "" if refuses(one) and refuses(two) else "A reader finds an answer."
        if not (agree(one, answer) and agree(two, answer)):
            return "A reader of all passages does not find the answer twice."
        return "One passage alone is enough." if any(agree(each, answer) for each in alone) else ""


def shared_names(page: Passage, found: list[Passage]) -> list[tuple[str, Passage]]:
    """The names that the passage shares with others, its own title's before those that the fewest have."""
    own = [page.name, page.name.rpartition(": ")[2]]  # a section is titled by its headings
    inside, shared = [name for before, name in _NAME.findall(page.text) if before], []
    for name in (each for each in dict.fromkeys([*own, *inside]) if len(each) > 2):
        written = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")  # a heading in small letters may be any word
        others = [passage for passage in found if passage != page and written.search(str(passage))]
        shared.append((name not in own, len(others), name, others if name in own else others[:1]))
    return [(name, other) for *_, name, others in sorted(shared, key=lambda each: each[:2]) for other in others]


def named(name: str, text: str) -> bool:
    """True if the text has the name as whole words, in any case."""
    return bool(name.strip()) and bool(find_words(name.strip(), text))


def sentence_of(page: Passage, thing: str, told: str) -> tuple[str, int]:
    """The sentence with the thing that shares most words with what was told: the passage's id, and its place."""
    words, sentences = set(wording(told).split()), split_sentences(page.text)
    fits = [(named(thing, each), len(words.intersection(wording(each).split()))) for each in sentences]
    return page.id, fits.index(max(fits)) if fits else 0
