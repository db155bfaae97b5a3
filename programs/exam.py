"""An exam question written from linked passages, and kept only where a reader needs all of them."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import dspy

from ..base.english import refuses, split_sentences
from ..retrieval import Passage
from ..runtime import Count, Program, Share, together
from ..signatures import AskAboutName, AskWhatIsMissing, DescribeName, SitExam
from .shared.evidence import agree, wording

BLANK = "___"
"""What stands in the place of a name."""
LIKE = 4
"""Passages like the one with the answer, among which each is shown alone: a reader that guesses then guesses wrong."""
_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’&-]*"
_CAPITALISED = re.compile(rf"([a-zß-ÿ,] |(?<![\w'’-]))({_WORD}(?: (?:{_WORD}|\d+(?![\w:.])))*)")
"""A run of words that begin with capitals, and numbers behind one; before it what is there inside a sentence."""


class Dropped(Exception):
    """The reason why a question is not kept."""


class WriteExam(Program):
    """An exam question for a passage of a corpus: it is given the passage, and its answer is the question.

    An LM asks about a name that the passage shares with another what the passage answers: its title first, then the
    names that the fewest passages have. Shown the other passage with a blank in the place of the name, it describes
    what is missing, and the description takes the name's place in the question, which then needs both. With `pages=3`,
    a name in the description is described by a third passage in turn. A description must find its passage among three.

    A question is kept where its answer stands in the passage, and a reader gives it from all passages, drawn twice, the
    second time among others like it, and from none of them alone among those; else the next link is tried. For a share
    of the passages, the LM asks what the passage does not answer; this is kept where the reader finds no answer in what
    the question finds.

    The prediction's `answer` is the question, empty if none is kept; `evidence` has it as files of questions do.

    Ours: no paper describes it. HotpotQA and MuSiQue hide names behind other passages too.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs.exam import WriteExam
        >>> from multihop.retrieval import BM25, Passage
        >>> emma = Passage("1", "Emma", "Emma was written by Jane Austen.")
        >>> austen = Passage("2", "Jane Austen", "Jane Austen was born in Steventon.")
        >>> fact = {"answer": "Steventon", "question": "Where was Jane Austen born?"}
        >>> link = {"description": "the author of Emma"}
        >>> right, wrong = ({"described": "Jane Austen", "answer": each} for each in ("Steventon", "not mentioned"))
        >>> with dspy.context(lm=scripted([fact, link, right, right, wrong, wrong])):
        ...     WriteExam(BM25.build([emma, austen]), unanswerable=0)(question=str(austen)).answer
        'Where was the author of Emma born?'
    """

    name = "write-exam"
    calls = "up to 6 for each link of two passages"

    pages: Count = 2
    """Passages that a question takes at most, 2 or 3."""
    tries: Count = 3
    """Links of a passage to try at most until a question is kept."""
    k: Count = 50
    """Passages to find, among which the linked ones are."""
    unanswerable: Share = 0.1
    """The share of passages for which the question is one that the corpus does not answer."""

    def set_up(self) -> None:
        """Set up the steps of the author, and the reader."""
        self.ask_about = dspy.Predict(AskAboutName)
        self.ask_missing = dspy.Predict(AskWhatIsMissing)
        self.describe = dspy.Predict(DescribeName)
        self.read = dspy.Predict(SitExam)

    def most_calls(self) -> int:
        """LM calls a passage at most, retries apart: to ask, to describe, two draws, and a reading of each alone."""
        return self.tries * (2 + 2 * self.pages)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Write a question for one link after the other, until one is kept."""
        found = [hit.passage for hit in await self.find(question, self.k)]
        pages = [passage for passage in found if str(passage) == question][:1]
        links = [(page, *link) for page in pages for link in shared_names(page, found)][: self.tries]
        for link in links:
            try:
                if kept := await self.attempt(self.write(*link)):
                    return dspy.Prediction(**kept, counts={"links": len(links)})
            except Dropped as reason:
                self.record({"step": "drop", "outputs": {"why": str(reason)}})
        return dspy.Prediction(answer="", passages=[], counts={"links": len(links)})

    async def write(self, page: Passage, name: str, other: Passage) -> dspy.Prediction:
        """Ask about the name what the page answers, or not, and put in its place what other passages say of it."""
        digest = blake2b(str(page).encode("utf-8", "replace"), digest_size=4).digest()
        answers = int.from_bytes(digest) >= self.unanswerable * 2**32
        step = self.ask_about if answers else self.ask_missing
        asked = await self.ask(step, passage=page, name=name)
        answer = asked.answer.strip() if answers else ""
        if not named(name, asked.question) or (answers and not named(answer, page.text)):
            raise Dropped("The question lacks the name, or the passage the answer.")
        if answers and named(answer, f"{name} {asked.question}"):
            raise Dropped("The question gives its answer away.")
        question, pages, sentences = asked.question, [page], [sentence_of(page, answer, asked.question)]
        hidden: tuple[str, Passage] | None = (name, other)
        while hidden and len(pages) < self.pages:
            name, other = hidden
            if answers and named(answer, str(other)):
                raise Dropped("The answer stands in several passages.")
            passage, blank = (BLANK.join(split(name, text)) for text in (str(other), question))
            description = (await self.ask(self.describe, passage=passage, question=blank)).description.strip(" .")
            description = re.sub("^(An?|The) ", "the ", description)
            if BLANK in description or any(named(part, description) for part in name.split() if not part.islower()):
                raise Dropped("The description holds part of the name.")
            if other not in [hit.passage for hit in await self.find(description, 3)]:
                raise Dropped("The description fits other passages.")
            question = description.join(split(name, question))
            pages, sentences = [other, *pages], [sentence_of(other, name, description), *sentences]
            if len(pages) < self.pages:
                found = [hit.passage for hit in await self.find(str(other), self.k)]
                further = (each for each in shared_names(other, found) if named(each[0], description))
                hidden = next((each for each in further if each[1] not in pages), None)
        record = {
            "question": question[:1].upper() + question[1:],
            "answers": [answer] if answers else [],
            "answerable": answers,
            "supporting": [each.id for each in pages] if answers else [],
            "supporting_sents": sentences if answers else [],
            "type": "bridge" if answers else "unanswerable",
            "hops": len(pages),
            "gold": "derived",
        }
        await self.sit(record, pages)
        return dspy.Prediction(answer=record["question"], passages=pages, evidence=[record])

    async def sit(self, record: dict[str, Any], pages: list[Passage]) -> None:
        """Drop the question unless a reader needs all pages, or finds no answer where there is none."""
        question, answers = record["question"], record["answers"]
        hits = await self.find(str(pages[-1]) if answers else question, LIKE + len(pages))
        others = [hit.passage for hit in hits if hit.passage not in pages]
        shown = [pages if answers else [*others, *pages], [*others, *pages]]
        shown += [[*others[:2], page, *others[2:LIKE]] for page in pages if answers]
        readings = [self.ask(self.read, passages=each, question=question, draw=n) for n, each in enumerate(shown, 1)]
        one, two, *alone = [each.answer for each in await together(*readings)]
        if not answers and not (refuses(one) and refuses(two)):
            raise Dropped("A reader finds an answer.")
        if answers and not (agree(one, answers[0]) and agree(two, answers[0])):
            raise Dropped("A reader of all passages does not find the answer twice.")
        if any(agree(each, answers[0]) for each in alone):
            raise Dropped("One passage alone is enough.")


def shared_names(page: Passage, found: Sequence[Passage]) -> list[tuple[str, Passage]]:
    """The names that the passage shares with others, its own title's before those that the fewest have."""
    own = [page.name, page.name.rpartition(": ")[2]]  # a section is titled by its headings
    inside = [name for before, name in _CAPITALISED.findall(page.text) if before]
    shared = []
    for name in dict.fromkeys([*own, *inside]):
        written = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")  # a heading in small letters may be any word
        others = [passage for passage in found if passage != page and written.search(str(passage))]
        if len(name) > 2:
            shared.append((name not in own, len(others), name, others if name in own else others[:1]))
    return [(name, other) for *_, name, others in sorted(shared, key=lambda each: each[:2]) for other in others]


def split(name: str, text: str) -> list[str]:
    """What is around the name in the text, without an article before it."""
    return re.split(rf"(?:\bthe )?(?<!\w){re.escape(name)}(?!\w)", text, flags=re.IGNORECASE)


def named(name: str, text: str) -> bool:
    """True if the text has the name as whole words, in any case."""
    return bool(name.strip()) and bool(re.search(rf"(?<!\w){re.escape(name.strip())}(?!\w)", text, re.IGNORECASE))


def sentence_of(page: Passage, thing: str, told: str) -> tuple[str, int]:
    """The sentence with the thing that shares most words with what was told: the passage's id, and its place."""
    words, sentences = set(wording(told).split()), split_sentences(page.text)
    fits = [(named(thing, each), len(words.intersection(wording(each).split()))) for each in sentences]
    return page.id, fits.index(max(fits)) if fits else 0
