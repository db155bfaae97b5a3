"""The layouts of question records: a function that reads each, and the table by which they are told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..retrieval import Passage
from .answers import ANSWER_FIELDS, read_accepted, read_answers
from .own_rows import ALONE_FIELDS, QUESTION_FIELDS, fill_references, read_plain, read_row
from .question import Question, SubQuestion, content_id
from .record import Record

HOPS = {"compositional": 2, "inference": 2, "comparison": 2, "bridge_comparison": 4}
"""The number of hops by 2WikiMultiHopQA's types."""
Sentences = tuple[tuple[str, ...], ...]
_OF_POPQA = ("obj", "possible_answers", "o_wiki_title", "o_aliases")
"""The fields that hold PopQA's answer and its other names."""
_OF_MUSIQUE = "musique_"
"""The mark before MuSiQue's ids in files of triples."""
_BETWEEN = " >>>> "
"""The text between a step's question and its answer in IRCoT's files."""


def read_hotpotqa(record: Record, *, joint: str = "") -> Question:
    """One question of the official files (distractor and fullwiki) or of the hub's tables; ids are titles.

    In the fullwiki files a gold paragraph may be missing from the question's own ones, and in the test files all gold
    is kept back. `joint` stands between the sentences of a paragraph.
    """
    passages, sentences = read_context(record, joint=joint)
    facts = record.records("supporting_facts", ("title", "sent_id"))
    supporting_sents = tuple((fact.text("title"), fact.integer("sent_id")) for fact in facts)
    supporting = tuple(dict.fromkeys(title for title, _ in supporting_sents))
    given = [record.text("answer", default="")]
    answers, answerable = read_accepted(record, "answer", given, blind=not supporting)
    return Question(
        id=record.identifier("_id", "id"),
        question=record.require_text("question"),
        answers=answers,
        supporting=supporting,
        supporting_sents=supporting_sents,
        passages=passages,
        sentences=sentences,
        type=record.text("type", default=""),
        level=record.text("level", default=""),
        hops=len(supporting),
        answerable=answerable,
    )


def read_two_wiki(record: Record) -> Question:
    """One question of the official files of 2WikiMultiHopQA or of the hub's tables."""
    question = read_hotpotqa(record, joint=" ")
    hops = tuple(_hop(triple) for triple in record.records("evidences", ("fact", "relation", "entity")))
    return replace(question, decomposition=hops, hops=HOPS.get(question.type, 0))


def _hop(triple: Record) -> SubQuestion:
    subject, relation, answer = triple.text("fact"), triple.text("relation"), triple.text("entity")
    return SubQuestion(question="", answer=answer, triple=(subject, relation, answer))


def read_context(record: Record, *, joint: str) -> tuple[tuple[Passage, ...], Sentences]:
    """The question's own paragraphs, and the sentences of each.

    A paragraph's id is its title, as in the corpus these sets come from. If one question has two paragraphs of one
    title, the second gets an id from its content; a paragraph that is there twice is given once.
    """
    passages: dict[str, Passage] = {}
    sentences: list[tuple[str, ...]] = []
    for paragraph in record.records("context", ("title", "sentences")):
        title, parts = paragraph.text("title"), paragraph.texts("sentences", "content")
        passage = Passage(title, title, joint.join(parts))
        if title in passages and passages[title] != passage:
            passage = passage._replace(id=content_id(title, passage.text))
        if passage.id not in passages:
            passages[passage.id] = passage
            sentences.append(parts)
    return tuple(passages.values()), tuple(sentences)


def read_musique(record: Record) -> Question:
    """One question of MuSiQue-Ans or MuSiQue-Full, from the official files or the hub.

    Titles repeat in MuSiQue, so a paragraph's id is made of its title and content, the same in every question.
    MuSiQue-Full pairs each question with a twin of the same id whose paragraphs do not hold the answer: the twin's id
    ends in "#unanswerable" here, and it cannot be answered.
    """
    identifier = record.identifier("id")
    given = [record.text("answer", default=""), *record.texts("answer_aliases")]
    answers, answerable = read_accepted(record, "answer", given)
    paragraphs = record.records("paragraphs")
    ids, passages, supporting = _read_marked(paragraphs)
    places = (paragraph.integer("idx", default=position) for position, paragraph in enumerate(paragraphs))
    hops = _hops(record.records("question_decomposition"), dict(zip(places, ids, strict=True)))
    kind = kind_of(identifier)
    return Question(
        id=identifier if answerable else f"{identifier}#unanswerable",
        question=record.require_text("question"),
        answers=answers if answerable else (),
        supporting=supporting,
        passages=passages,
        decomposition=hops,
        type=kind,
        hops=int(kind[0]) if kind else len(hops),
        answerable=answerable,
    )


def _read_marked(
    paragraphs: Sequence[Record], *, titled: bool = False
) -> tuple[list[str], tuple[Passage, ...], tuple[str, ...]]:
    """The id of each paragraph, the passages that they are, and the ids of those that are marked as gold.

    Ids are made of title and content; or else they are `titled`, where no two have one title.
    """
    ids, passages, gold = list[str](), dict[str, Passage](), dict[str, None]()
    for paragraph in paragraphs:
        title, text = paragraph.text("title", default=""), paragraph.text("paragraph_text", "text")
        name = title if titled else content_id(title, text)
        if passages.get(name, (name, title, text)) != (name, title, text):
            name = content_id(title, text)
        ids.append(name)
        passages[name] = Passage(name, title, text)
        if paragraph.flag("is_supporting", default=False):
            gold[name] = None
    return ids, tuple(passages.values()), tuple(gold)


def kind_of(identifier: str) -> str:
    """The kind of a question, which its id tells, with the number of hops first; empty where it does not."""
    kind = re.match(r"\dhop\d*(?=__)", identifier)
    return kind[0] if kind else ""


def _hops(steps: Sequence[Record], by_index: Mapping[int, str]) -> tuple[SubQuestion, ...]:
    answers: list[str] = []
    hops: list[SubQuestion] = []
    for step in steps:
        question = fill_references(step.text("question"), answers)
        hops.append(SubQuestion(question, step.text("answer"), _paragraph(step, by_index)))
        answers.append(hops[-1].answer)
    return tuple(hops)


def _paragraph(step: Record, by_index: Mapping[int, str]) -> str:
    """The id of the paragraph that answers the hop; an unanswerable twin has lost some of them."""
    if not step.has("paragraph_support_idx"):
        return ""
    index = step.integer("paragraph_support_idx")
    if index not in by_index:
        raise step.error(f"'paragraph_support_idx' is {index}, but no paragraph has that 'idx'.")
    return by_index[index]


def read_flashrag(record: Record) -> Question:
    """One question of any set of the collection, with all that "metadata" says of it.

    That is understood where it has the fields of HotpotQA, 2WikiMultiHopQA or MuSiQue; of other sets it is left aside.
    """
    metadata = record.inner_record("metadata")
    inner = Record(
        {**metadata.fields, "id": record.identifier("id"), "question": record.require_text("question")}, record.where
    )
    answers, answerable = read_accepted(record, "golden_answers")
    if metadata.has("question_decomposition"):
        question = read_musique(Record({**inner.fields, **_official(metadata)}, record.where))
    elif metadata.has("evidences"):
        question = read_two_wiki(inner)
    elif metadata.has("context") or metadata.has("supporting_facts"):
        question = read_hotpotqa(inner)
    else:
        question = Question(id=inner.identifier("id"), question=inner.text("question"), answers=())
    answerable = answerable and question.answerable
    return replace(question, answers=answers if answerable else (), answerable=answerable)


def _official(metadata: Record) -> dict[str, Any]:
    """MuSiQue's own fields: here each hop brings its paragraph with it, and there are no others."""
    paragraphs: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for step in metadata.records("question_decomposition"):
        index = None
        if step.has("support_paragraph"):
            index = len(paragraphs)
            paragraphs.append({**step.inner_record("support_paragraph").fields, "idx": index, "is_supporting": True})
        steps.append({**step.fields, "paragraph_support_idx": index})
    return {"paragraphs": paragraphs, "question_decomposition": steps}


def read_hipporag(record: Record) -> Question:
    """One question of a set that brings its paragraphs as "contexts": PopQA and NQ, as they are beside the others.

    HippoRAG's other sets are in the layouts of their makers. The answer is in "answer", "reference", or, of PopQA,
    "obj" with its other names. Paragraph ids are made of title and text, as for the corpus, which has none.
    """
    _, passages, supporting = _read_marked(record.records("contexts"))
    own = "obj" if record.has("obj") else "reference" if record.has("reference") else "answer"
    names = _OF_POPQA if own == "obj" else (own, "answer_aliases")
    answers, answerable = read_accepted(
        record, own, [answer for name in names for answer in read_answers(record, name)]
    )
    return Question(
        id=record.identifier("id", "_id"),
        question=record.require_text("question"),
        answers=answers,
        supporting=supporting,
        passages=passages,
        hops=len(supporting),
        answerable=answerable,
    )


def read_ircot(record: Record) -> Question:
    """One question of the files that IRCoT's authors released, with its own paragraphs and, of MuSiQue, its steps.

    Paragraph ids are as in the sets themselves: titles in HotpotQA and 2WikiMultiHopQA, made of title and content in
    the others, where titles repeat.
    """
    identifier = record.identifier("id", "question_id")
    kind = kind_of(identifier)  # ids of 2WikiMultiHopQA look like no other's
    titled = record.text("dataset", default="") == "hotpotqa" or re.fullmatch("[0-9a-f]{32}", identifier) is not None
    _, passages, supporting = _read_marked(record.records("contexts"), titled=titled)
    answers, answerable = read_accepted(record, "answers_objects", map(_answer, record.records("answers_objects")))
    hops = tuple(_step(step) for step in record.texts("reasoning_steps") if _BETWEEN in step)
    return Question(
        id=identifier,
        question=record.require_text("question_text"),
        answers=answers,
        supporting=supporting,
        passages=passages,
        decomposition=hops,
        type=record.text("type", default=kind),
        level=record.text("level", default=""),
        hops=int(kind[0]) if kind else len(supporting),
        answerable=answerable,
    )


def read_triples(record: Record) -> Question:
    """One question of the files that SeRAG's authors released: its triples, and no paragraphs.

    Gold is told by title: the subjects of the triples. A few of them are titles of no paragraph (of 2WikiMultiHopQA's
    1,000 questions about 120 have one), so that recall by them is a little too low. MuSiQue's have no triples.
    """
    given = record.fields.get("evidence") or []  # where there are none, empty text
    triples = Record({"evidence": given}, record.where).records("evidence", ("fact", "relation", "entity"))
    hops = tuple(map(_hop, triples))
    supporting = dict.fromkeys(hop.triple[0].strip('"') for hop in hops if hop.triple)
    identifier, kind = record.identifier("id").removeprefix(_OF_MUSIQUE), record.text("question_type", default="")
    answers, answerable = read_accepted(record, "answer", read_answers(record, "answer"))
    return Question(
        id=identifier,
        question=record.require_text("question"),
        answers=answers,
        supporting=tuple(supporting),
        decomposition=hops,
        type=kind or kind_of(identifier),
        hops=HOPS.get(kind, 0) or int((kind_of(identifier) or "0")[0]),
        answerable=answerable,
    )


def _answer(answer: Record) -> str:
    """The answer as text: its spans, its number, or its date."""
    date = answer.inner_record("date")
    parts = (date.fields.get(name) for name in ("day", "month", "year"))
    spans = ", ".join(answer.texts("spans"))
    return spans or next(iter(read_answers(answer, "number")), "") or " ".join(str(part) for part in parts if part)


def _step(step: str) -> SubQuestion:
    question, _, answer = step.partition(_BETWEEN)
    return SubQuestion(question, answer)


class Format(NamedTuple):
    """One layout of question records."""

    name: str
    """The name of the format in messages."""
    marks: tuple[str | tuple[str, ...], ...]
    """Fields that are all in a record of this layout, and not in one of a layout listed after it; of fields in
    brackets one must."""
    read: Callable[[Record], Question]
    """The question a record holds."""
    nested: str = ""
    """A mark that holds a list or an object, perhaps as JSON text; other layouts may have prose under its name."""
    alone: frozenset[str] = frozenset()
    """All fields that a record of this layout can have; where empty, any others beside the marks."""

    def fits(self, record: Record) -> bool:
        """True if the record is of this layout."""
        held = record.fields.get(self.nested) if self.nested else None
        if isinstance(held, str) and not held.lstrip().startswith(("[", "{")):
            return False
        if self.alone and not self.alone >= record.fields.keys():
            return False
        return all(
            record.has(mark) if isinstance(mark, str) else any(name in record.fields for name in mark)
            for mark in self.marks
        )


PLAIN = Format("question and answer", (QUESTION_FIELDS, ANSWER_FIELDS), read_plain)
_KNOWN = (
    Format("FlashRAG", ("question", ("golden_answers",)), read_flashrag),
    Format("this library's rows", ("question", ("answers",)), read_row),
    Format("MuSiQue", ("question", "paragraphs"), read_musique),
    Format("2WikiMultiHopQA", ("question", "context", "evidences"), read_two_wiki),
    Format("HotpotQA", ("question", "context"), read_hotpotqa, nested="context"),
    Format("IRCoT's files", ("question_text", ("answers_objects",), "contexts"), read_ircot),
    Format("HippoRAG", ("question", "contexts"), read_hipporag, nested="contexts"),
    Format("SeRAG", ("question", "question_type", "evidence", ("answer",)), read_triples),
)
# The last: a field that we do not know might hold the answer, so that questions without answers have none.
FORMATS = (*_KNOWN, PLAIN, Format("questions alone", (QUESTION_FIELDS,), read_plain, alone=ALONE_FIELDS))
"""The known layouts, the more special ones first."""


def format_of(record: Record) -> Format:
    """The layout of a question record, told by its fields."""
    for layout in FORMATS:
        if layout.fits(record):
            return layout
    layouts = "; ".join(f"{each.name} ({', '.join(map(_mark, each.marks))})" for each in _KNOWN)
    fields = ", ".join(record.fields) or "none"
    names, answers = ", ".join(QUESTION_FIELDS), ", ".join(ANSWER_FIELDS)
    for name, usual in (("question", QUESTION_FIELDS), ("answer", ANSWER_FIELDS)):
        near = [each for each in record.fields if get_close_matches(each.lower(), [name, f"{name}s"], cutoff=0.8)]
        if near and record.fields.keys().isdisjoint(usual):
            told = f'--field {name}={near[0]}, fields={{"{name}": "{near[0]}"}}'
            raise record.error(f"no field for the {name}; did you mean '{near[0]}'? Then say so: {told}.")
    raise record.error(
        f"not a question in a known layout. Its fields are {fields}. Known layouts and their marks: {layouts}; or a "
        f"question ({names}) with its answers ({answers}; an empty list where it cannot be answered). Where they have "
        'other names, say which: fields={"question": ...}, --field question=NAME. Questions whose answers are not '
        "known have an id and nothing else beside them."
    )


def _mark(mark: str | tuple[str, ...]) -> str:
    return mark if isinstance(mark, str) else " or ".join(mark)
