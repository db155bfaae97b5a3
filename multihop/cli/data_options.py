"""The options that say what is asked and what is searched, and the opening of both."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from .. import data, programs, retrieval
from ..base import InputError
from .process import importable_from_here, tell_user, working
from .shared_options import AtMost, NotNegative, RetrieverName, Several

if TYPE_CHECKING:
    from ..data import Question, Reading
    from ..optimize.artefact import SavedProgram
    from ..retrieval import Passage, Retriever


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Options for files of questions and passages."""

    field: Several = None
    """A field of the files under another name than usual, as text=body: id, title or text of passages, question,
    answer, id, supporting or type of questions; may be given more than once."""
    skip_bad: NotNegative = 0
    """Leave out at most so many bad records of each file, and say how many and why."""

    def fields(self) -> dict[str, str]:
        """The names of fields that were given, by what they are."""
        from ..data.record import NAMES, check_fields

        return check_fields(split_pairs(self.field, "a field is written name=field, such as question=query"), NAMES)

    def questions(self, source: str) -> "Reading[Question]":
        """The questions of a source, read anew each time they are gone through."""
        from ..data.record import QUESTION_NAMES

        fields = {name: field for name, field in self.fields().items() if name in QUESTION_NAMES}
        return data.open_questions(source, fields=fields, skip_bad=self.skip_bad)

    def count_questions(self, source: str) -> "tuple[Reading[Question], int]":
        """The questions and how many there are; what is wrong with their file is found before anything is asked."""
        questions = self.questions(source)
        count = sum(1 for _ in questions)
        tell_skipped(questions)
        return questions, count

    def passages(self, corpus: str, *asked: str) -> "Reading[Passage]":
        """The passages of a corpus, an index folder, or of questions with paragraphs, one at a time.

        "id" names a field of the questions that are asked, where there are any. A server does not give its passages:
        going through them raises an InputError.
        """
        if retrieval.is_address(corpus):
            return data.Reading(lambda _: _no_passages(corpus), "the server")
        own = not asked or corpus in asked
        fields = {name: field for name, field in self.fields().items() if own or name in ("title", "text")}
        return data.open_corpus(corpus, fields=fields, skip_bad=self.skip_bad)


@dataclass(frozen=True, kw_only=True)
class SearchOptions(FileOptions):
    """Options for files, and for the retriever over them."""

    retriever: RetrieverName = None
    rerank_with: str | None = None
    """A ColBERT checkpoint, by its folder or its name on the hub, that orders the first 50 hits of each search anew."""

    def open(self, corpus: str, *asked: str, follow: bool = False) -> "Retriever":
        """The retriever for an index folder, a server's address, or a corpus, which is indexed on the spot.

        With `follow`, as for a server, the index of a folder of documents is kept, and follows the folder.
        """
        from ..data.sources import is_documents
        from ..retrieval.following import KINDS as FOLLOWING
        from ..retrieval.following import following
        from ..retrieval.named_retrievers import retriever_named

        checkpoint = None
        if self.rerank_with is not None:  # refused before a corpus is indexed
            from ..retrieval.colbert_encoder import open_token_encoder

            checkpoint = open_token_encoder(self.rerank_with, "--rerank-with").name
        importable_from_here(self.retriever)
        retriever: Retriever
        if self.is_trec_run:
            questions = (question for source in sorted(set(asked)) for question in self.questions(source))
            retriever = data.TrecRun(str(self.retriever), questions, self.passages(corpus, *asked))
        elif retrieval.is_address(corpus):
            retriever = data.open_retriever(corpus, self.retriever)
        elif follow and (kind := self.retriever or "bm25") in FOLLOWING and is_documents(corpus):
            with working(f"reading {corpus}"):
                retriever = following(corpus, retriever_named(kind), {"retriever": kind}, tell_user)
        else:
            passages = self.passages(corpus, *asked)
            with working(f"opening {corpus}"):
                retriever = data.open_retriever(passages, self.retriever)
            tell_skipped(passages)
        if checkpoint is None:
            return retriever
        return retrieval.Reranked(retriever, checkpoint)

    @property
    def is_plain(self) -> bool:
        """True if the corpus alone says what searches, so that a saved program that names it finds the same again."""
        return self.retriever is None and self.rerank_with is None

    @cached_property
    def is_trec_run(self) -> bool:
        """True if a file stands where the retriever is named: the rankings of another system."""
        return self.retriever is not None and Path(self.retriever).is_file()

    @property
    def needs_no_corpus(self) -> bool:
        """True if what searches was named and finds its passages elsewhere."""
        if self.retriever is None or self.is_trec_run:
            return False
        from ..retrieval.named_retrievers import needs_corpus, retriever_named

        importable_from_here(self.retriever)
        return not needs_corpus(retriever_named(self.retriever))


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(SearchOptions):
    """Options for files, for the retriever, and for the corpus."""

    corpus: Annotated[str | None, Parameter(alias="-c")] = None
    """"little", a corpus file (.jsonl, .csv, .tsv, .parquet, text also .gz) or a folder of such files, a document
    (.md, .txt, .html, .pdf, .docx) or a folder of them, an index folder, or the address of a server
    (http://HOST:PORT); by default what the saved program names, or the corpus or the own paragraphs of the questions,
    or else "little", an encyclopedia of two hundred short pages."""

    def to_search(self, program: str, saved: "SavedProgram | None", *asked: str, needed: bool = False) -> str:
        """The corpus that a program searches; the little encyclopedia for one that searches none, unless `needed`."""
        from ..data.little import LITTLE

        importable_from_here(program)
        if self.corpus is not None:
            return self.corpus
        if saved is None and not needed and not programs.program_named(program).retrieves:
            return LITTLE
        if self.needs_no_corpus and not needed:
            return LITTLE
        return (saved.corpus or LITTLE) if saved is not None else self._corpus_of(sorted(set(asked)))

    def _corpus_of(self, sources: list[str]) -> str:
        """The corpus that comes with the questions, or lies in their folder, or their own paragraphs."""
        from ..data.little import LITTLE, is_little
        from ..data.sources import home_of_corpus, is_hub, local_path

        if all(map(is_little, sources)):
            return LITTLE
        names = " and ".join(sources)
        if len(sources) > 1:
            raise InputError(f"{names} are two sources; give --corpus, the corpus or index that both are asked of.")
        if not is_hub(names) and (home := home_of_corpus(local_path(names))):
            tell_user(f"no --corpus, so the one in {home} is searched.")
            return str(home)
        if not data.bring_paragraphs(self.questions(names)):
            raise InputError(f"the questions of {names} bring no paragraphs to search; give --corpus.")
        tell_user(f"no --corpus, so the own paragraphs of the questions in {names} are searched.")
        return names

    def opener(self, corpus: str, saved: "SavedProgram | None" = None, *asked: str) -> "Callable[[], Retriever] | None":
        """Opens the retriever; None where a saved program names what it searches, and nothing else was given."""
        if saved is not None and self.corpus is None and self.is_plain:
            return None
        return partial(self.open, corpus, *asked)

    def tell_little(self) -> None:
        """Say that the little encyclopedia is searched, if nothing says what is."""
        if self.corpus is None and not self.needs_no_corpus:
            tell_user("no --corpus, so the little encyclopedia is searched; give --corpus to search your own passages.")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """A choice of the questions."""

    sample: AtMost = None
    """Draw so many of the questions by their ids: the same ones on every machine."""
    limit: AtMost = None
    """Only the first so many questions."""


def split_pairs(written: Iterable[str] | None, form: str) -> dict[str, str]:
    """Texts written NAME=VALUE, as values by their names; others are refused with the form, which says how."""
    pairs = {}
    for pair in written or ():
        name, equals, value = pair.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise InputError(f"{form}, not '{pair}'.")
        pairs[name.strip()] = value.strip()
    return pairs


def asked_or_little(given: str | None, searched: str | None, option: str, split: str | None = None) -> str:
    """The questions given; where neither they nor what is searched was named, those of the little encyclopedia."""
    from ..data.little import LITTLE, is_little

    if given is not None:
        return given
    if searched is not None and not is_little(searched):
        raise InputError(
            f"{searched} is searched, and no questions are given: name them with {option} FILE "
            "(a CSV of question,answer will do)."
        )
    return LITTLE if split is None else f"{LITTLE}:{split}"


def tell_skipped(reading: "Reading[Question] | Reading[Passage]") -> None:
    """Say which records were left out, if any were."""
    if reading.skipped.count:
        tell_user(f"{reading.name}: {reading.skipped}")


def _no_passages(address: str) -> "Iterable[Passage]":
    from ..base.errors import hide_login

    raise InputError(
        f"{hide_login(address)} is a server, which does not give all its passages, and "
        "they are needed; give the corpus itself."
    )
