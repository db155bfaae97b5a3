"""The question files and corpora of a command, read as `--field` and `--skip-bad` say."""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...base import InputError
from ...base.errors import hide_secrets
from ...base.texts import visible
from .this_process import importable_from_here

if TYPE_CHECKING:
    from ...data import Question, Reading
    from ...retrieval import Passage, Retriever


class Inputs:
    """Opens what a command reads, and says on the error stream what was left out and what is searched."""

    def __init__(
        self,
        field: list[str] | None = None,
        skip_bad: int = 0,
        *,
        questions: Sequence[str] = (),
        corpus: str | None = None,
        retriever: str | None = None,
        rerank_with: str | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            field: Which field of a file is which, as name=field.
            skip_bad: How many bad records are left out of each source.
            questions: The sources of questions; where there are any, "id" names a field of theirs.
            corpus: The corpus given.
            retriever: What searches it, by name, where that was given.
            rerank_with: The ColBERT checkpoint that orders anew what is found, where one was given.
        """
        from ...data.files.record import check_fields
        from ...data.sources import NAMES

        self._fields = check_fields(split_pairs(field, "a field is written name=field, such as question=query"), NAMES)
        self._skip_bad, self._asked, self.corpus = skip_bad, tuple(questions), corpus
        importable_from_here(retriever)
        self.retriever_name, self._rerank_with = retriever, rerank_with
        self._retrievers: dict[str, Retriever] = {}

    def questions(self, source: str) -> "Reading[Question]":
        """The questions of a source, read anew each time they are gone through."""
        from ...data import open_questions
        from ...data.questions import QUESTION_NAMES

        fields = {name: field for name, field in self._fields.items() if name in QUESTION_NAMES}
        return open_questions(source, fields=fields, skip_bad=self._skip_bad)

    def count_questions(self, source: str) -> "tuple[Reading[Question], int]":
        """The same and how many there are, which also finds what is wrong with the file before anything is asked."""
        questions = self.questions(source)
        count = sum(1 for _ in questions)
        tell_skipped(questions)
        return questions, count

    def passages(self, corpus: str) -> "Reading[Passage]":
        """The passages of a corpus, an index folder, or of questions with paragraphs, one at a time.

        A server does not give its passages: going through them raises an InputError.
        """
        from ...data import Reading, open_corpus
        from ...retrieval import is_address

        if is_address(corpus):
            return Reading(lambda _: _no_passages(corpus), "the server")
        own = not self._asked or corpus in self._asked
        fields = {name: field for name, field in self._fields.items() if own or name in ("title", "text")}
        return open_corpus(corpus, fields=fields, skip_bad=self._skip_bad)

    def retriever(self, corpus: str) -> "Retriever":
        """The retriever for an index folder, a server's address, or a corpus, which is indexed on the spot.

        With the checkpoint that orders anew what it finds, where one was given. Each is opened once.
        """
        if corpus in self._retrievers:
            return self._retrievers[corpus]
        if self._rerank_with is None:
            self._retrievers[corpus] = self._open_retriever(corpus)
        else:
            from ...retrieval import Reranked
            from ...retrieval.colbert_encoder import open_token_encoder

            encoder = open_token_encoder(self._rerank_with, "--rerank-with")  # refused before a corpus is indexed
            self._retrievers[corpus] = Reranked(self._open_retriever(corpus), encoder.name)
        return self._retrievers[corpus]

    def _open_retriever(self, corpus: str) -> "Retriever":
        from ...data import open_retriever
        from ...retrieval import is_address
        from .work_line import working

        if is_address(corpus):
            return open_retriever(corpus, self.retriever_name)
        passages = self.passages(corpus)
        with working(f"opening {corpus}"):
            retriever = open_retriever(passages, self.retriever_name)
        tell_skipped(passages)
        return retriever

    @property
    def says_what_searches(self) -> bool:
        """True if a corpus, a retriever or a checkpoint was given, in the place of what a saved program names."""
        return self.corpus is not None or not self.is_plain

    @property
    def is_plain(self) -> bool:
        """True if the corpus alone says what searches, so that a saved program that names it finds the same again."""
        return self.retriever_name is None and self._rerank_with is None

    @property
    def needs_no_corpus(self) -> bool:
        """True if what searches was named and finds its passages elsewhere."""
        from ...retrieval.named_retrievers import needs_corpus, retriever_named

        return self.retriever_name is not None and not needs_corpus(retriever_named(self.retriever_name))

    def corpus_to_search(self, *, needed: bool = False) -> str:
        """The corpus given; else that of questions that come with the library, or with a corpus beside them in their
        folder, or the own paragraphs of the questions.

        Without questions either, it is the little encyclopedia.

        Where what searches finds its passages elsewhere, the little encyclopedia stands for them, unless `needed` says
        that something else needs the corpus.

        Raises:
            InputError: The questions bring no paragraphs, so that a corpus must be given.
        """
        from ...data import bring_paragraphs
        from ...data.formats.folders import home_of_corpus
        from ...data.little.little import LITTLE, is_little
        from ...data.origin import is_hub, local_path

        if self.corpus is not None:
            return self.corpus
        if self.needs_no_corpus and not needed:
            return LITTLE
        sources = sorted(set(self._asked))
        if all(map(is_little, sources)):
            return LITTLE
        names = " and ".join(sources)
        if len(sources) > 1:
            raise InputError(f"{names} are two sources; give --corpus, the corpus or index that both are asked of.")
        if not is_hub(names) and (home := home_of_corpus(local_path(names))):
            tell_user(f"no --corpus, so the one in {home} is searched.")
            return str(home)
        if not bring_paragraphs(self.questions(sources[0])):
            raise InputError(f"the questions of {names} bring no paragraphs to search; give --corpus.")
        tell_user(f"no --corpus, so the own paragraphs of the questions in {names} are searched.")
        return sources[0]


def split_pairs(written: Iterable[str] | None, form: str) -> dict[str, str]:
    """Texts written NAME=VALUE, as values by their names.

    Args:
        written: The texts.
        form: The way in which they are written, for the refusal of others, such as "a field is written name=field".

    Raises:
        InputError: One is not written like that.
    """
    pairs = {}
    for pair in written or ():
        name, equals, value = pair.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise InputError(f"{form}, not '{pair}'.")
        pairs[name.strip()] = value.strip()
    return pairs


def _no_passages(address: str) -> "Iterable[Passage]":
    from ...retrieval.remote import hide_login

    raise InputError(
        f"{hide_login(address)} is a server, which does not give all its passages, and "
        "--references need them; give the corpus itself."
    )


def tell_user(message: str) -> None:
    """One line on the error stream."""
    sys.stderr.write(f"multihop: {visible(' '.join(hide_secrets(message).split()))}\n")


def asked_or_little(given: str | None, searched: str | None, option: str, split: str | None = None) -> str:
    """The questions given; where neither they nor what is searched was named, those of the little encyclopedia.

    Args:
        given: The source given.
        searched: The corpus given, or the one that a saved program names.
        option: The option that names questions, for the refusal.
        split: The split of the little encyclopedia; all of its questions by default.

    Raises:
        InputError: Another corpus is searched, and no questions are given.
    """
    from ...data.little.little import LITTLE, is_little

    if given is not None:
        return given
    if searched is not None and not is_little(searched):
        raise InputError(
            f"{searched} is searched, and no questions are given: name them with {option} FILE "
            "(a CSV of question,answer will do)."
        )
    return LITTLE if split is None else f"{LITTLE}:{split}"


def tell_little(inputs: Inputs) -> None:
    """Say that the little encyclopedia is searched, if nothing says what is."""
    if inputs.corpus is None and not inputs.needs_no_corpus:
        tell_user("no --corpus, so the little encyclopedia is searched; give --corpus to search your own passages.")


def tell_skipped(reading: "Reading[Question] | Reading[Passage]") -> None:
    """Say which records were left out, if any were."""
    if reading.skipped.count:
        tell_user(f"{reading.name}: {reading.skipped}")
