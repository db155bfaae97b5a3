"""An exam: questions of several kinds about a corpus, made of its pages, checked and rated."""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..base import InputError
from ..data import Question, write_questions
from ..encoder import Encoder
from ..retrieval import BM25, Passage, RetrieverLike, as_retriever
from .audit import Audit
from .chains import draw_chains
from .comparisons import draw_bridge_comparisons, draw_comparisons
from .difficulty import rate
from .drafts import BRIDGE, BRIDGE_COMPARISON, COMPARISON, MEMBER, UNANSWERABLE, Draft
from .facts import read_facts
from .members import draw_members
from .names import PagesByName
from .rewording import reword_all
from .subjects import read_subject
from .unanswerable import draw_unanswerable

if TYPE_CHECKING:
    import dspy

QUESTIONS, UNANSWERABLE_SHARE = 200, 0.15
SHARES = {BRIDGE: 0.6, MEMBER: 0.15, COMPARISON: 0.15, BRIDGE_COMPARISON: 0.1}
"""The shares of the kinds among the questions that can be answered."""
USES = 2
"""Questions at most that end at one page."""
_DRAWS = {
    BRIDGE: draw_chains,
    MEMBER: draw_members,
    COMPARISON: draw_comparisons,
    BRIDGE_COMPARISON: draw_bridge_comparisons,
    UNANSWERABLE: draw_unanswerable,
}


@dataclass(frozen=True, kw_only=True)
class Exam:
    """Questions about a corpus."""

    questions: tuple[Question, ...]
    asked: int
    """The number of questions that was asked for."""
    pages: int
    """The pages of the corpus."""
    subjects: int
    """Those of them whose first sentence says what they are about."""
    facts: int
    """The facts read out of these."""
    removed: Mapping[str, int]
    """The questions that the audit removed, by reason."""
    reworded: int = 0
    """The questions that an LM worded anew."""

    def count(self, by: str) -> dict[str, int]:
        """The number of questions by "type", "level" or "hops", most frequent first."""
        counts = Counter(str(getattr(question, by)) for question in self.questions)
        return dict(counts.most_common())

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the questions to questions.jsonl in a folder, and return its path."""
        path = Path(folder) / "questions.jsonl"
        write_questions(path, self.questions)
        return path


def make_exam(
    corpus: Iterable[Passage],
    *,
    questions: int = QUESTIONS,
    unanswerable: float = UNANSWERABLE_SHARE,
    seed: int = 0,
    retriever: RetrieverLike | None = None,
    encoder: Encoder | None = None,
    lm: dspy.LM | None = None,
    watch: Callable[[str], None] = lambda doing: None,
) -> Exam:
    """Multi-hop and unanswerable questions about a corpus, with their gold pages, sentences and hops.

    The facts that English sentences state are read out of the pages, and pages that name each other are linked. Each
    question takes two pages or more. What is not sound is removed: see `audit`. The same seed gives the same questions.

    Args:
        corpus: The passages.
        questions: The number of questions; where the pages give fewer, there are fewer.
        unanswerable: The share of them that no page answers.
        seed: Another seed draws other questions.
        retriever: What rates their difficulty; BM25 over the passages unless given.
        encoder: What reads pages for the audit; the built-in one unless given.
        lm: An LM that words the questions anew; its wordings are checked too.
        watch: Called with what is being done.

    Raises:
        InputError: The corpus gives no question.

    Examples:
        >>> from multihop import Passage
        >>> from multihop.exam import make_exam
        >>> exam = make_exam([
        ...     Passage("1", "Last Bus", "Last Bus is a 1996 film directed by Ann Lee."),
        ...     Passage("2", "Ann Lee", "Ann Lee (born 2 May 1960) is a film director."),
        ... ])
        >>> [(question.question, question.answer, question.supporting) for question in exam.questions]
        [('When was the director of the 1996 film Last Bus born?', '2 May 1960', ('1', '2'))]
    """
    if questions < 1 or not 0 <= unanswerable <= 1:
        raise InputError("an exam has 1 question or more, and its share of unanswerable ones is between 0 and 1.")
    watch("reading facts")
    passages = list(corpus)
    subjects = [subject for page in passages if (subject := read_subject(page))]
    facts = {subject.page.id: read_facts(subject) for subject in subjects}
    pages, dice = PagesByName(passages, subjects), random.Random(seed)
    watch("making questions")
    audit = Audit(pages, encoder or Encoder.load())
    drawn = {kind: draw(facts, pages, dice) for kind, draw in _DRAWS.items()}
    drafts = choose(drawn, questions, unanswerable, audit, dice)
    if not drafts:
        raise InputError(
            f"no question can be made of these {len(passages):,} passages: it takes English ones that open by saying "
            'what they are about ("Emma is a 1996 film directed by Douglas McGrath.") and name each other\'s subjects.'
        )
    watch("rating questions")
    levels = rate(drafts, as_retriever(retriever) if retriever is not None else BM25.build(passages))
    made = [draft.as_question(level) for draft, level in zip(drafts, levels, strict=True)]
    reworded = 0
    if lm is not None:
        names = [[subject.name for subject in draft.named] for draft in drafts]
        made, reworded = reword_all(made, names, lm, watch=watch)
    return Exam(
        questions=tuple(made),
        asked=questions,
        pages=len(passages),
        subjects=len(subjects),
        facts=sum(map(len, facts.values())),
        removed=dict(audit.removed),
        reworded=reworded,
    )


def choose(
    drawn: Mapping[str, Iterable[Draft]], questions: int, unanswerable: float, audit: Audit, dice: random.Random
) -> list[Draft]:
    """Drafts that pass the audit, as many as asked for, by `SHARES`; what one kind lacks, the first ones make up.

    Where there are fewer, those without an answer are fewer too: their share stays. Comparisons are half at most.
    """
    asked = questions - round(questions * unanswerable)
    passing = {kind: _passing(several, audit, dice) for kind, several in drawn.items()}
    quotas = {kind: round(share * asked) for kind, share in SHARES.items()}
    drafts = [draft for kind in quotas if kind != COMPARISON for draft in islice(passing[kind], quotas[kind])][:asked]
    compared = list(islice(passing[COMPARISON], min(quotas[COMPARISON], len(drafts), asked - len(drafts))))
    for kind in quotas:
        lacking = asked - len(drafts) - len(compared)
        if kind != COMPARISON:
            drafts += islice(passing[kind], lacking)
        else:  # any two pages of one noun make one, so there would be little else
            compared += islice(passing[kind], min(lacking, len(drafts) - len(compared)))
    drafts += compared
    most = round(len(drafts) * unanswerable / (1 - unanswerable)) if unanswerable < 1 else questions
    drafts += islice(passing[UNANSWERABLE], min(questions - asked, most))
    dice.shuffle(drafts)
    return drafts


def _passing(drafts: Iterable[Draft], audit: Audit, dice: random.Random) -> Iterator[Draft]:
    """The drafts that pass, one of each relation in turn, so that no frequent relation crowds out the others."""
    groups: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        groups[draft.relations].append(draft)
    for group in groups.values():
        dice.shuffle(group)
    ends: Counter[str] = Counter()
    named: set[str] = set()
    while groups:
        for relations in list(groups):
            while groups[relations]:
                draft = groups[relations].pop()
                end, names = draft.steps[-1].subject.page.id, {subject.page.id for subject in draft.named}
                if ends[end] < USES and not names & named and audit.passed(draft):
                    ends[end] += 1
                    named |= names
                    yield draft
                    break
            if not groups[relations]:
                del groups[relations]
