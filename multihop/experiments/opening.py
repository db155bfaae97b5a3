"""The question sets of a study, opened once each: questions, passages, what searches them, and the LM that is asked."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import dspy

from ..base import InputError
from ..data import Question, Reading, bring_paragraphs, open_corpus, open_retriever
from ..data.little import LITTLE, is_little
from ..evaluation.references import GoldPassages, MixedPassages
from ..lms import open_lm
from ..retrieval import Passage, Retriever, is_index, open_index
from ..retrieval.named_retrievers import RETRIEVERS, needs_corpus, retriever_named
from .asking import questions_asked
from .experiment import QuestionSet

LMMaker: TypeAlias = Callable[[Iterable[Question], Iterable[Passage]], dspy.LM]
"""Makes the LM for one question set; it is given the set's questions and passages."""
StudyLM: TypeAlias = dspy.LM | str | LMMaker
"""An LM, its name, or a function that makes one for each question set."""
BM25, GOLD, MIXED = "bm25", "gold", "mixed"
"""The default retriever, and the names of those that find the gold passages: alone, or among another's hits."""
LOCAL = "local"
"""The LM that an experiment may name without anybody giving it."""


class OpenedSet:
    """One question set, as far as it was needed."""

    def __init__(self, asked: QuestionSet, study: Path, search: str | None) -> None:
        """Read the questions once, so that what is wrong with them is found before anything is asked.

        Raises:
            InputError: The questions cannot be read, or there is nothing to search for them.
        """
        self.asked, self._study, self._search = asked, study, search
        self.questions: Reading[Question] = questions_asked(asked)
        self.count = sum(1 for _ in self.questions)
        self._retrievers: dict[str | None, Retriever] = {}
        self._lms: dict[int, dspy.LM] = {}

    @property
    def source(self) -> str:
        """The source that is searched: the corpus, or the questions' own paragraphs.

        Raises:
            InputError: There is neither.
        """
        asked = self.asked
        if asked.corpus is not None:
            return asked.corpus
        if not is_little(asked.questions) and not bring_paragraphs(self.questions):
            raise InputError(f"the questions of {asked.questions} bring no paragraphs to search; give --corpus.")
        return asked.questions

    def retriever(self, search: str | None = None) -> Retriever:
        """The retriever over the corpus.

        Args:
            search: The retriever's name, if a row has its own; by default the study's.
        """
        name = search or self._search
        if name not in self._retrievers:
            self._retrievers[name] = self._opened(name)
        return self._retrievers[name]

    def plain_retriever(self, search: str | None = None) -> Retriever:
        """The same, but the study's own in the place of one that knows only the gold of the questions asked."""
        own = None if search in (GOLD, MIXED) else search
        return self.retriever(BM25 if (own or self._search) in (GOLD, MIXED) else own)

    def lm(self, lm: StudyLM) -> dspy.LM:
        """The LM for this set."""
        if isinstance(lm, dspy.BaseLM):
            return lm
        key = id(lm) if callable(lm) else hash(lm)
        if key not in self._lms:
            made = lm(self.questions, open_corpus(self.source)) if callable(lm) else open_lm(str(lm))
            self._lms[key] = made
        return self._lms[key]

    def _opened(self, name: str | None) -> Retriever:
        if name is not None and name not in (GOLD, MIXED) and not needs_corpus(retriever_named(name)):
            return open_retriever(LITTLE, name)  # it finds its passages elsewhere
        source, titles = self.source, self.asked.titles
        if name in (GOLD, MIXED):
            gold = GoldPassages(self.questions, open_corpus(source))
            return gold if name == GOLD else MixedPassages(gold, self.plain_retriever(name))
        if is_index(source) or (name or BM25) not in RETRIEVERS:
            return open_retriever(source, name)
        kind: Any = RETRIEVERS[name or BM25]
        if name in (None, BM25):  # takes seconds, so that it is not kept
            return kind.build(open_corpus(source), titles=titles)  # type: ignore[no-any-return]
        folder = self._study / "indexes" / f"{self.asked.name}-{name}-{_version(source)}"
        if not is_index(folder):
            kind.build(open_corpus(source), titles=titles, folder=folder)
        return open_index(folder)


def _version(source: str) -> str:
    """A few digits that change when the file does."""
    path = Path(source)
    known = (source, path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else (source,)
    return hashlib.blake2b(repr(known).encode(), digest_size=4).hexdigest()
