"""An exam question composed of pieces that are checked alone, and kept only where a reader needs all its passages."""

import re
from zlib import crc32

import dspy

from ..base.english import refuses
from ..retrieval import Passage
from ..runtime import Count, Program, Share
from ..signatures import AskAboutName, DescribeName, SitExam
from .shared.evidence import agree
from .shared.links import around, facts_of, fits, fits_another, kind_of, named, sentence_of, shared_names

LIKE = 4
"""Passages like the one with the answer, among which each is shown alone: a reader that guesses then guesses wrong."""
_NONE, _WHO = "not mentioned", "What is the name of"
ASKED = (
    ("Kite 4 | Kite 4 is a lamp of 1970. It weighs 9 kg.", "Kite 4", "9 kg", "How much does Kite 4 weigh?"),
    ("Prize 12 | It went to Mia Roth for a ship.", "Mia Roth", "Prize 12", "Which prize did Mia Roth get?"),
    ("3 May | Ana: We eat at Blue Door at 8 pm.", "Blue Door", "8 pm", "When does Ana eat at Blue Door?"),
    ("Storm | The storm cut the power of Elm House.", "Elm House", _NONE, "Who owns Elm House?"),
)
DESCRIBED = (
    ("Emma", "Emma is a novel of 1815 by ___.", "novelist", "the novelist who wrote Emma"),
    ("Nora Falk", "Nora came in 1990 and runs the shop at ___.", "house", "the house where Nora Falk runs the shop"),
    ("___", "___ is a lamp. It was designed by Piet Haan in 1970.", "", "the lamp that Piet Haan designed"),
    ("3 May", "Ana: See you at ___ for the quiz, Tom!", "cafe", "the cafe where Ana meets Tom"),
    ("Fire 12", "___ led the search and wrote the report.", "", "the person who wrote the report on Fire 12"),
)
_LAMPS = ["Kite 4 | Kite 4 is a lamp of 1970.", "Kite 5 | Kite 5 is a lamp of 1982."]
_CLINIC = ["Ann Lee | Ann Lee is a nurse at Norda. Ann came in 1990, and works at the Elm clinic in the night team."]
_LIVES = [
    "Leeds | Leeds lies in England.",
    "Mary Shelley | Mary Shelley was born in London.",
    "Piet Haan | Piet Haan was born in Lund.",
]
_EMMA = ["Emma | Emma is a novel by Jane Austen.", "Jane Austen | Jane Austen was born in Steventon."]
SAT = (
    (_LAMPS, "When was the lamp that Piet Haan designed made?", _NONE),
    (_CLINIC, f"{_WHO} the clinic where Ann Lee works in the night team?", "Elm clinic"),
    ([*_LIVES, *_EMMA], "Where was the author of Emma born?", "Steventon"),
)
"""Demonstrations of the author's two steps and of the reader, which small LMs need."""


class WriteExam(Program):
    """An exam question for a passage of a corpus: it is given the passage, and its answer is the question.

    An answer of the passage is chosen, a name or a number. An LM asks for it by a name that another passage has too,
    and describes the name by what that one says of it; the description takes the name's place, as in MuSiQue. The
    question is kept where a reader finds the name by the description, the answer by the name, and it again by the whole
    question from all passages, drawn twice, the second time among others like them, but from none of them alone among
    those; else the next name is tried. For a share of the passages, the LM asks what no passage states, and the reader
    must find nothing. The prediction's `answer` is the question, empty if none is kept; `evidence` has it as files of
    questions do. Ours: no paper describes it.
    """

    name = "write-exam"
    calls = "up to 8 for each link of two passages"

    pages: Count = 2
    """Passages that a question takes at most; with 3, a name in the description is described by a third in turn."""
    tries: Count = 3
    """Links of a passage to try at most until a question is kept."""
    k: Count = 50
    """Passages to find, among which the linked ones are."""
    unanswerable: Share = 0.1
    """The share of passages for which the question is one that the corpus does not answer."""

    def set_up(self) -> None:
        """Set up the author's two steps and the reader."""
        self.ask_about, self.describe, self.read = map(dspy.Predict, (AskAboutName, DescribeName, SitExam))
        for step, shown in ((self.ask_about, ASKED), (self.describe, DESCRIBED), (self.read, SAT)):
            step.demos = [dspy.Example(**dict(zip(step.signature.fields, each, strict=True))) for each in shown]

    def most_calls(self) -> int:
        """LM calls a passage at most, retries apart: to ask, to describe, and to read."""
        return self.tries * (2 + 3 * self.pages)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Write a question for one link after the other, until one is kept."""
        found = await self.found(question)
        own = [passage for passage in found if str(passage) == question][:1]
        for name, other in shared_names(own[0], found)[: self.tries] if own else ():
            kept, why = await self.attempt(self.written(own[0], name, other, found)) or (
                None,
                "The reply could not be read.",
            )
            if kept:
                return kept
            self.record({"step": "drop", "outputs": {"why": why}})
        return dspy.Prediction(answer="", passages=[])

    async def found(self, text: str) -> list[Passage]:
        """The passages found for a text."""
        return [hit.passage for hit in await self.find(text, self.k)]

    async def written(
        self, last: Passage, name: str, other: Passage, near: list[Passage]
    ) -> tuple[dspy.Prediction | None, str]:
        """A question that needs all its passages, or one that nothing answers; or else why there is none."""
        chance = crc32(str(last).encode("utf-8", "replace"))
        missing, facts = chance < self.unanswerable * 2**32, facts_of(last, name, other)
        if not facts and not missing:
            return None, "The passage states nothing of the name that the other does not."
        answer = "" if missing else facts[chance % len(facts)]
        asked = await self.ask(self.ask_about, passage=last, name=name, answer=answer or _NONE)
        single = asked.question.strip()
        if single.count(name) != 1 or not named(name, single) or named(answer, single):
            return None, "The question does not hold the name once, or holds the answer."
        if name not in last.title and named(last.name, single):
            return None, "The question names the page that answers it."
        same = [] if name in last.title or missing else [each for each in await self.found(single) if each != last]
        if fits_another(single, last, [each for each in same if named(name, str(each))]):
            return None, "Another passage says of the name what the question asks for."
        kind = kind_of(last) if name in last.title else ""
        question, pages, things, links, readings = single, [last], [answer], [(name, other)], []
        while links and len(pages) < self.pages:
            name, other = links[0]
            title, text = (re.sub(re.escape(name), "___", each) for each in (other.title, around(name, other)))
            told = await self.ask(self.describe, title=title, text=text, kind=kind)
            description, kind = re.sub("^The ", "the ", told.description.strip().rstrip(".")), ""
            if named(answer, f"{description} {other}") or not fits(description, name, other, pages[0]):
                return None, "The description holds part of the name, or what its page does not say."
            same = [each for each in await self.found(description) if each not in pages and not named(name, str(each))]
            if fits_another(description, other, same):
                if not other.title or named(name, other.title):
                    return None, "The description fits what another passage tells of, too."
                description = f"{description} ({other.title})"
            before, _, behind = question.partition(name)
            question = re.sub(r"\b(?:the|an?) $", "", before, flags=re.IGNORECASE) + description + behind
            question, pages, things = question[:1].upper() + question[1:], [other, *pages], [name, *things]
            readings.append(([other], f"{_WHO} {description}?", name, True))
            links = shared_names(other, await self.found(str(other))) if len(pages) < self.pages else []
            links = [(each, new) for each, new in links if question.count(each) == 1 and new not in pages]
        gold = [] if missing else list(zip(pages, things, strict=True))
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
        alike = await self.found(single if missing else single.replace(name, kind))  # of its kind first
        others = [each for each in dict.fromkeys([*alike, *near]) if each not in pages][:LIKE]
        whole = [*others, *pages]
        if missing:
            readings += [(whole, single, "", True), (whole, question, "", True)]
        else:
            readings += [([last], single, answer, True), (pages, question, answer, True)]
            alone = [[*others[:2], page, *others[2:LIKE]] for page in reversed(pages)]
            readings += [*((each, question, answer, False) for each in alone), (whole, question, answer, True)]
        why = await self.sit(readings, question)
        return None if why else dspy.Prediction(answer=question, passages=pages, evidence=[record]), why

    async def sit(self, readings: list[tuple[list[Passage], str, str, bool]], drawn: str) -> str:
        """The first reading that does not find what it must, or finds what it must not, in words; else empty.

        Each has its passages, its question, what is looked for, and if it must be found; without it, a refusal must be.
        """
        for n, (shown, question, wanted, right) in enumerate(readings):
            said = await self.ask(self.read, passages=shown, question=question, draw=n if question == drawn else 0)
            if right != (agree(said.answer, wanted) if wanted else refuses(said.answer)):
                return f"A reader of {len(shown)} passages answers {question!r} with {said.answer!r}."
        return ""
