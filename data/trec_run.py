"""A TREC run file as a retriever: for each question the ranking that another system gave it."""

import math
import os
import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from ..base import InputError, NotCopied
from ..base.texts import say_count
from ..retrieval import Hit, Passage
from ..retrieval.retriever import check_search
from .question import Question
from .record_files import read_lines


class TrecRun(NotCopied):
    r"""The rankings of a run file (`question Q0 passage rank score name`), found by the words of the questions.

    As trec_eval does, it goes by the scores and not by the ranks, and of equal scores takes the last id first. It
    ranks for its own questions alone: programs that ask what they were asked, such as `one-step` and `ranked-rag`,
    can search with it.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop import Passage, Question
        >>> from multihop.data import TrecRun
        >>> file = pathlib.Path(tempfile.mkdtemp(), "theirs.trec")
        >>> _ = file.write_text("q1 Q0 p2 1 0.9 theirs\nq1 Q0 p1 2 0.4 theirs\n")
        >>> corpus = [Passage("p1", "Po", "A river."), Passage("p2", "Etna", "A volcano.")]
        >>> theirs = TrecRun(file, [Question(id="q1", question="Which volcano?", answers=())], corpus)
        >>> theirs.search(["Which volcano?"], k=1)[0][0].passage.title
        'Etna'
    """

    def __init__(
        self, file: str | os.PathLike[str], questions: Iterable[Question], passages: Iterable[Passage]
    ) -> None:
        """Read the file; of the corpus, memory holds the passages that it ranks.

        Raises:
            InputError: A line is no line of a run, or the file ranks what the corpus does not hold.
        """
        self.name = Path(file).name
        ranked, digest = _read(file)
        wanted = {passage for scores in ranked.values() for passage in scores}
        found = {name: each for each in passages if (name := _named(each.id, wanted))}
        if missing := sorted(wanted - found.keys()):
            raise InputError(
                f"{file} ranks {say_count(len(wanted), 'passage')}, and {len(missing):,} of them are not in the "
                f"corpus, such as {missing[0]!r}; give the corpus that was searched."
            )
        self.fingerprint = f"trec:{digest}"
        self._hits: dict[str, list[Hit]] = {}
        for question in questions:
            scores = ranked.get(_named(question.id, ranked), {})
            best = sorted(scores, key=lambda passage: (scores[passage], passage), reverse=True)
            self._hits[question.question] = [Hit(found[passage], scores[passage]) for passage in best]
        if not any(self._hits.values()):
            raise InputError(
                f"{file} ranks for {say_count(len(ranked), 'question')}, such as {next(iter(ranked))!r}, and for none "
                "of those that are asked: its ids must be theirs."
            )

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The first `k` of each question's ranking; nothing for a question that the file leaves out."""
        check_search(queries, k)
        if other := [query for query in queries if query not in self._hits]:
            raise InputError(f"{self.name} ranks for its own questions alone, and was asked {other[0]!r:.80}.")
        return [self._hits[query][:k] for query in queries]


def trec_id(identifier: str) -> str:
    """An id as one word: spaces are written as %20, and a "%" as %25, so that no two ids become one."""
    return re.sub(r"[\s%]", lambda found: quote(found[0]), identifier) or "%"


def _named(identifier: str, names: Iterable[str]) -> str:
    """The name under which a file has an id: as it is, or as one word; "" where it has neither."""
    return next((name for name in (identifier, trec_id(identifier)) if name in names), "")


def _read(file: str | os.PathLike[str]) -> tuple[dict[str, dict[str, float]], str]:
    """The score of each passage by question, and a digest of them all."""
    ranked: dict[str, dict[str, float]] = {}
    digest = blake2b(digest_size=8)
    for number, line in read_lines(file):
        if not line.strip():
            continue
        try:
            question, _, passage, _, written, _ = line.split()
            score = float(written)
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise InputError(
                f"{file}, line {number} is not `question Q0 passage rank score name`: {line.strip()!r:.80}."
            )
        ranked.setdefault(question, {})[passage] = score
        digest.update(f"{question} {passage} {score!r}\n".encode())
    if not ranked:
        raise InputError(f"{file} ranks nothing.")
    return ranked, digest.hexdigest()
