"""The options that say what is searched, and how its files are read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

if TYPE_CHECKING:
    from ..opening.inputs import Inputs


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Options for files of questions and passages."""

    field: Annotated[list[str] | None, Parameter(negative=())] = None
    """A field of the files under another name than usual, as text=body: id, title or text of passages, question,
    answer, id, supporting or type of questions; may be given more than once."""
    skip_bad: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    """Leave out at most so many bad records of each file, and say how many and why."""

    def inputs(self, corpus: str | None = None) -> "Inputs":
        """Opens the corpus, with what searches it by default."""
        from ..opening.inputs import Inputs

        return Inputs(self.field, self.skip_bad, corpus=corpus)


@dataclass(frozen=True, kw_only=True)
class SearchOptions(FileOptions):
    """The same, and what searches."""

    retriever: str | None = None
    """The retriever, where the corpus is no index: bm25 (the default), dense, hybrid, one of an installed package,
    or MODULE:CLASS of your own."""
    rerank_with: str | None = None
    """A ColBERT checkpoint, by its folder or its name on the hub, that orders the first 50 hits of each search anew."""

    def searching(self, corpus: str | None, *questions: str) -> "Inputs":
        """Opens the corpus, or what else the questions of these sources are asked of, and what searches it."""
        from ..opening.inputs import Inputs

        return Inputs(
            self.field,
            self.skip_bad,
            questions=questions,
            corpus=corpus,
            retriever=self.retriever,
            rerank_with=self.rerank_with,
        )


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(SearchOptions):
    """The same, and the corpus."""

    corpus: Annotated[str | None, Parameter(alias="-c")] = None
    """"little", a corpus file (.jsonl, .csv, .tsv, .parquet, text also .gz) or a folder of such files, an
    index folder, or the address of a server (http://HOST:PORT); by default what the saved program names, or else
    "little", an encyclopedia of two hundred short pages."""

    def open(self, *questions: str) -> "Inputs":
        """Opens what is searched for the questions of these sources."""
        return self.searching(self.corpus, *questions)


@dataclass(frozen=True, kw_only=True)
class AskedCorpusOptions(CorpusOptions):
    """The same for questions, which may bring their own paragraphs."""

    corpus: Annotated[str | None, Parameter(alias="-c")] = None
    """"little", a corpus file or a folder of such files, an index folder, or the address of a server
    (http://HOST:PORT); by default what the saved program names, or else the own paragraphs of the questions; for
    questions that come with the library, the corpus that they are about."""
