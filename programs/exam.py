"""An exam question composed of pieces that are checked alone, and kept only where a reader needs all its passages."""

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from typing import Any
from zlib import crc32

import dspy

from ..base.english import find_words, refuses, split_sentences
from ..retrieval import Passage
from ..runtime import Count, Program, Share
from ..signatures import AskAboutName, DescribeName, SitExam
from .shared.evidence import agree, wording

LIKE = 4
"""Passages like the one with the answer, among which each is shown alone: a reader that guesses then guesses wrong."""
_NONE, _WHO = "not mentioned", "Who or what is"
ASKED = (
    ("Kite 4 | Kite 4 is a lamp of 1970. It weighs 9 kg.", "Kite 4", "9 kg", "lamp", "How much does Kite 4 weigh?"),
    ("Prizes | Mia Roth got one for a bridge in Lund.", "Mia Roth", "Lund", "engineer", "Where is Mia Roth's bridge?"),
    ("3 May | Ana: We eat at Blue Door at 8 pm.", "Blue Door", "8 pm", "cafe", "When does Ana eat at Blue Door?"),
    ("Storm | The storm cut the power of Elm House.", "Elm House", _NONE, "house", "Who owns Elm House?"),
)
DESCRIBED = (
    ("Emma", "Emma is a novel of 1815 by ___.", "novelist", "the novelist who wrote Emma"),
    ("Nora Falk", "Nora came in 1990 and runs the shop at ___.", "house", "the house where Nora Falk runs the shop"),
    ("___", "___ is a lamp. It was designed by Piet Haan in 1970.", "", "the lamp that Piet Haan designed"),
    ("3 May", "Ana: See you at ___ for the quiz, Tom!", "cafe", "the cafe where Ana meets Tom"),
    ("Fire 12", "___ led the search and wrote the report.", "nurse", "the nurse who wrote the report on Fire 12"),
)
_LAMPS = ["Kite 4 | Kite 4 is a lamp of 1970.", "Kite 5 | Kite 5 is a lamp of 1982."]
_LIVES = [
    "Leeds | Leeds lies in England.",
    "Mary Shelley | Mary Shelley was born in London.",
    "Piet Haan | Piet Haan was born in Lund.",
]
_EMMA = ["Emma | Emma is a novel by Jane Austen.", "Jane Austen | Jane Austen was born in Steventon."]
SAT = (
    (_LAMPS, "When was the lamp that Piet Haan designed made?", _NONE, _NONE),
    (["Rex | Ann Lee bought Rex in York."], f"{_WHO} the dog that Ann Lee bought in York?", "Rex", "Rex"),
    ([*_LIVES, *_EMMA], "Where was the author of Emma born?", "Jane Austen", "Steventon"),
)
"""Demonstrations of the author's two steps and of the reader, which small LMs need."""
_DATES = {*month_name, *month_abbr, *day_name, *day_abbr, "Sept"}
_WORD = r"[A-ZÀ-ÖØ-Þ](?:[\w&-]|['’](?=[A-ZÀ-ÖØ-Þ]))*"
_RUN = rf"(?>{_WORD}(?: (?:(?:of |of the |de |van )?{_WORD}|\d+(?![\w:]|\.\d)))*)"
_NAME = re.compile(rf"([a-zß-ÿ,] |(?<![\w'’-]))({_RUN})")
"""A run of words that begin with capitals, and numbers behind one; before it what is there inside a sentence."""
_SMALL = (
    "a the and or but of in on at to for by with from as since until when where who that before after is was are were"
)
_NOUN = rf" (?!(?:{_SMALL.replace(' ', '|')})\b)[a-zß-ÿ]\w+"
_NUMBER = rf"(?<![\w:.,])(?>\d\d? {_WORD} \d{{4}}|\d{{4}}\b|\d(?:[\d.,:]*\w+)?(?:{_NOUN})?)(?![\w:-])"
_FACT = re.compile(rf"{_NAME.pattern}(?!{_NOUN})|{_RUN}|({_NUMBER})")
"""A name or a number, whole: with the noun behind it if it is a number, with none if it is a name. A name with a noun
behind it is passed over with its numbers."""


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
        found = [hit.passage for hit in await self.find(question, self.k)]
        own = [passage for passage in found if str(passage) == question][:1]
        for name, other in shared_names(own[0], found)[: self.tries] if own else ():
            kept, why = await self.attempt(self.written(own[0], name, other)) or (None, "The reply could not be read.")
            if kept:
                return kept
            self.record({"step": "drop", "outputs": {"why": why}})
        return dspy.Prediction(answer="", passages=[])

    async def written(self, last: Passage, name: str, other: Passage) -> tuple[dspy.Prediction | None, str]:
        """A question that needs all its passages, or one that nothing answers; or else why there is none."""
        chance = crc32(str(last).encode("utf-8", "replace"))
        missing, facts = chance < self.unanswerable * 2**32, facts_of(last, name, other)
        if not facts and not missing:
            return None, "The passage states nothing of the name that the other does not."
        answer = "" if missing else facts[chance % len(facts)]
        asked = await self.ask(self.ask_about, passage=last, name=name, answer=answer or _NONE)
        single, kind = asked.question.strip(), asked.kind if name in last.title else ""
        alike = single if missing else single.replace(name, kind)
        if single.count(name) != 1 or not named(name, single) or named(answer, single):
            return None, "The question does not hold the name once, or holds the answer."
        if name not in last.title and named(last.name, single):
            return None, "The question names the page that answers it."
        question, pages, things, links, readings = single, [last], [answer], [(name, other)], []
        while links and len(pages) < self.pages:
            name, other = links[0]
            title, text = (re.sub(re.escape(name), "___", each) for each in (other.title, around(name, other)))
            told = await self.ask(self.describe, title=title, text=text, kind=kind)
            description, kind = re.sub("^The ", "the ", told.description.strip().rstrip(".")), ""
            if named(answer, f"{description} {other}") or not fits(description, name, other):
                return None, "The description holds part of the name, or nothing that its page names."
            before, _, behind = question.partition(name)
            question = re.sub(r"\b(?:the|an?) $", "", before, flags=re.IGNORECASE) + description + behind
            question, pages, things = question[:1].upper() + question[1:], [other, *pages], [name, *things]
            readings.append(([other], f"{_WHO} {description}?", name, True))
            links = shared_names(other, [hit.passage for hit in await self.find(str(other), self.k)])
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
        found = [hit.passage for text in (alike, str(last)) for hit in await self.find(text, LIKE + len(pages))]
        others = [each for each in dict.fromkeys(found) if each not in pages][:LIKE]  # of its kind first
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
            texts = [said.answer] if question == drawn else [said.answer, said.described]
            if right != (any(agree(each, wanted) for each in texts) if wanted else refuses(said.answer)):
                return f"A reader of {len(shown)} passages answers {question!r} with {said.answer!r}."
        return ""


def shared_names(page: Passage, found: list[Passage]) -> list[tuple[str, Passage]]:
    """The names that the passage shares, each with another that has it: its own title, then those that the fewest have.

    Names are titles, and runs of capitals that are no date, no part of a longer name, and not also a common word.
    """
    own, shared = [page.name, page.name.rpartition(": ")[2]], dict[str, Any]()  # a section is titled by its headings
    titles = [each.name for each in found if named(each.name, page.text)]
    common = {word for each in [page, *found] for word in re.findall(r"(?<![\w'’-])[a-zß-ÿ]\w+", each.text)}
    for name in [*own, *titles, *(name for before, name in _NAME.findall(page.text) if before)]:
        dates = all(word in _DATES or word.isdigit() for word in name.split())
        others = [each for each in found if each != page and named(name, str(each))]
        known = dates or name.lower() in common or any(named(name, each) for each in shared)
        if others and len(name) > 2 and not known:
            best = min(others, key=lambda each: each.name != name)  # the page about it says best what it is
            shared[name] = (name not in own, len(others)), name, best
    return [(name, other) for _, name, other in sorted(shared.values(), key=lambda each: each[0])]


def facts_of(page: Passage, name: str, other: Passage) -> list[str]:
    """Names and numbers that the passage states, if it can in the sentences with the name, and the other does not."""
    near = [each for each in split_sentences(page.text) if named(name, each)] if name not in page.title else []
    for text in (" ".join(near), page.text):
        facts = [run or number for before, run, number in _FACT.findall(text) if before or number]
        facts = [fact for fact in facts if not named(fact, f"{name} {page.title} {other}")]
        if facts:
            break
    return facts


def named(name: str, text: str) -> bool:
    """True if the text has the name as whole words, in any case."""
    return bool(name.strip()) and bool(find_words(name.strip(), text))


def fits(description: str, name: str, page: Passage) -> bool:
    """True if the description holds no part of the name, and names or numbers, which all stand in its page."""
    marked = re.findall(r"[A-ZÀ-ÖØ-Þ\d][\w-]*", description[1:])
    parts = {part for part in name.split() if not part.islower() and part != "The"}
    stated = all(named(each, str(page)) for each in marked)
    return bool(marked) and stated and parts.isdisjoint(marked) and not named(name, description)


def around(name: str, page: Passage) -> str:
    """The sentence that has the name, and where the page is about it the next one too."""
    first = sentence_of(page, name, "")[1]
    return " ".join(split_sentences(page.text)[first : first + 1 + (name in page.title)])


def sentence_of(page: Passage, thing: str, told: str) -> tuple[str, int]:
    """The sentence with the thing that shares most words with what was told: the passage's id, and its place."""
    words, sentences = set(wording(told).split()), split_sentences(page.text)
    fits = [(named(thing, each), len(words.intersection(wording(each).split()))) for each in sentences]
    return page.id, fits.index(max(fits)) if fits else 0
