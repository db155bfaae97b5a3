"""An exam question written from linked passages, and kept only where a reader needs all of them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b

import dspy

from ..base.english import normal_form, refuses, split_sentences
from ..retrieval import Passage
from ..runtime import Count, Program, Share, together
from ..signatures import AskAboutName, AskWhatIsMissing, DescribeName, SitExam
from .shared.evidence import agree, wording

_CAPITALISED = re.compile(r"(?<![\w'’])[^\W\d_a-zß-öø-ÿ][\w'’&-]*(?: [^\W\d_a-zß-öø-ÿ][\w'’&-]*| \d+(?![\w:.]))*")
"""A run of words that begin with capitals, with a number behind."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question while it is made."""

    question: str
    answer: str
    """The answer; empty where the passages have none."""
    passages: tuple[Passage, ...]
    """The passages that it takes, that with the answer last."""
    sentences: tuple[tuple[str, int], ...] = ()
    """The sentences that it rests on, as id of the passage and place in it."""

    @property
    def record(self) -> dict[str, object]:
        """The question as `write_questions` writes it, without an id."""
        return {
            "question": self.question,
            "answers": [self.answer] if self.answer else [],
            "answerable": bool(self.answer),
            "supporting": [passage.id for passage in self.passages] if self.answer else [],
            "supporting_sents": self.sentences if self.answer else [],
            "type": "bridge" if self.answer else "unanswerable",
            "hops": len(self.passages),
            "gold": "derived",
        }


class WriteExam(Program):
    """An exam question for a passage of a corpus: what it is given is the passage, its answer is the question.

    The passage's links are the names that it shares with passages that it finds, those first that few of them have. An
    LM asks about such a name what the passage answers, then describes the name by what the other passage says of it;
    the description takes the place of the name, so that the question needs both. With `pages=3`, a name in the
    description is described by a third passage in turn.

    A question is kept where the answer stands in its passage, where the reader gives it twice, drawn apart, from all
    passages, and from none of them alone. Else the next link is tried, `tries` in all. For a share of the passages, the
    LM asks what the passage does not answer; this is kept where the reader finds no answer in what the question finds
    either.

    The prediction's `answer` is the question, empty if none is kept; `evidence` has it with its own answer,
    passages and sentences, as question files have them.

    Ours: no paper describes it. Questions that hide a name behind another passage are those of HotpotQA and MuSiQue.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs.exam import WriteExam
        >>> from multihop.retrieval import BM25, Passage
        >>> emma = Passage("1", "Emma", "Emma was written by Jane Austen.")
        >>> austen = Passage("2", "Jane Austen", "Jane Austen was born in Steventon.")
        >>> fact = {"sentence": austen.text, "question": "Where was Jane Austen born?", "answer": "Steventon"}
        >>> link = {"sentence": emma.text, "description": "the author of Emma"}
        >>> right, wrong = ({"described": "Jane Austen", "answer": each} for each in ("Steventon", "not stated"))
        >>> with dspy.context(lm=scripted([fact, link, right, right, wrong, wrong])):
        ...     WriteExam(BM25.build([emma, austen]), unanswerable=0)(question=str(austen)).answer
        'Where was the author of Emma born?'
    """

    name = "exam"
    calls = "6 a try with two passages"

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
        """Ask about a name, hide it behind what other passages say of it, and sit the exam."""
        found = [hit.passage for hit in await self.find(question, self.k)]
        page = next((passage for passage in found if str(passage) == question), None)
        links = list(shared_names(page, found))[: self.tries] if page else []
        kept = None
        for name, other in links:
            draft = await self.attempt(self.draft(page, name))
            draft = draft and await self.attempt(self.hide(draft, name, other))
            for more, third in shared_names(other, found) if draft and self.pages > 2 else ():
                if third != page and names(more, draft.question):
                    draft = await self.attempt(self.hide(draft, more, third)) or draft
                    break
            if draft and await self.attempt(self.passes(draft)):
                kept = draft
                break
        return dspy.Prediction(
            answer=kept.question if kept else "",
            passages=list(kept.passages) if kept else [],
            evidence=[kept.record] if kept else [],
            counts={"links": len(links)},
        )

    async def draft(self, page: Passage, name: str) -> Draft | None:
        """A question about the name that the passage answers, or for a share of passages one that it does not."""
        drawn = int.from_bytes(blake2b(str(page).encode("utf-8", "replace"), digest_size=4).digest()) / 2**32
        if drawn < self.unanswerable:
            asked = await self.ask(self.ask_missing, passage=page, name=name)
            return Draft(asked.question, "", (page,)) if names(name, asked.question) else None
        asked = await self.ask(self.ask_about, passage=page, name=name)
        sound = names(name, asked.question) and names(asked.answer, page.text) and not names(asked.answer, asked.question)
        return Draft(asked.question, asked.answer.strip(), (page,), sentence_of(page, asked)) if sound else None

    async def hide(self, draft: Draft, name: str, other: Passage) -> Draft | None:
        """The question with what the other passage says of the name in the name's place."""
        told = await self.ask(self.describe, passage=other, name=name)
        description = told.description.strip().rstrip(".")
        question = re.sub(rf"(?:\bthe )?{re.escape(name)}(?!\w)", lambda _: description, draft.question, flags=re.I)
        given_away = set(wording(name).split()) & set(wording(question).split())
        if not description or given_away or names(draft.answer, description):
            return None
        question = question[:1].upper() + question[1:]
        sentences = sentence_of(other, told) + draft.sentences
        return replace(draft, question=question, passages=(other, *draft.passages), sentences=sentences)

    async def passes(self, draft: Draft) -> bool:
        """True if two draws give the answer from all passages, and none alone does; for one without, if none is found."""
        pages = list(draft.passages)
        if not draft.answer:
            pages += [hit.passage for hit in await self.find(draft.question, 5) if hit.passage not in pages]
        readings = [self.ask(self.read, passages=pages, question=draft.question, draw=draw) for draw in (1, 2)]
        if draft.answer:
            readings += [self.ask(self.read, passages=[page], question=draft.question) for page in pages]
        one, two, *alone = (reading.answer for reading in await together(*readings))
        if not draft.answer:
            return refuses(one) and refuses(two)
        return is_it(one, draft.answer) and is_it(two, draft.answer) and not any(is_it(x, draft.answer) for x in alone)


def shared_names(page: Passage, found: Iterable[Passage]) -> Iterator[tuple[str, Passage]]:
    """The names that the passage shares with another that was found, those first that the fewest have."""
    others = [passage for passage in found if passage != page]
    texts = {passage.id: str(passage) for passage in others}
    shared = {}
    for name in dict.fromkeys([page.name, *(each.name for each in others), *_CAPITALISED.findall(page.text)]):
        if len(name) > 2 and names(name, str(page)):
            shared[name] = [passage for passage in others if names(name, texts[passage.id])]
    for name, having in sorted(shared.items(), key=lambda each: len(each[1])):
        for other in having[:1]:
            yield name, other


def names(name: str, text: str) -> bool:
    """True if the text has the name as whole words, in any case."""
    return bool(name.strip()) and bool(re.search(rf"(?<!\w){re.escape(name.strip())}(?!\w)", text, re.IGNORECASE))


def is_it(given: str, answer: str) -> bool:
    """True if what was given is the answer, perhaps with a word more or less."""
    return normal_form(given) == normal_form(answer) or (not refuses(given) and agree(given, answer))


def sentence_of(page: Passage, asked: dspy.Prediction) -> tuple[tuple[str, int], ...]:
    """The sentence of the passage that is most like the one that was told."""
    told = set(wording(asked.sentence).split())
    sentences = [len(told & set(wording(each).split())) for each in split_sentences(page.text)]
    return ((page.id, sentences.index(max(sentences))),) if sentences else ()
