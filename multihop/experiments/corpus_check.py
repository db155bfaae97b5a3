"""The corpus of a question set: refused where it is not the one that a table names, and how much gold it lacks."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..base import MismatchError
from ..base.texts import say_count
from ..data import Question, known_set, open_corpus
from ..data.fetching import MANIFEST, read_record
from ..evaluation.metrics.passages import normal
from ..retrieval import is_address, is_index
from ..retrieval.index_folder import read_manifest
from .experiment import QuestionSet


class Coverage(NamedTuple):
    """The share of a set's gold that its corpus holds."""

    told: int
    """The questions whose gold is known."""
    lacking: int
    """The number of them with a gold paragraph that the corpus holds under no id, title or text of it."""
    unanswerable: int = 0
    """The percentage of sampled questions that cannot be answered from the corpus, as others counted."""
    checked: bool = True
    """True if the corpus is known to be the one that the table names."""

    @property
    def note(self) -> str:
        """A few words to stand beside every figure; empty for a corpus that lacks nothing."""
        if self.lacking:
            return f"{100 * self.lacking / self.told:.1f} % lack gold"
        return f"{self.unanswerable} % unanswerable" if self.unanswerable else ""


def check_corpus(asked: QuestionSet, source: str, questions: Iterable[Question]) -> Coverage:
    """Go once through the corpus of a set that names it (`over`), and say what gold it lacks.

    Raises:
        MismatchError: It is another corpus, by its name in set.json or by its number of passages.
    """
    known = known_set(asked.over or "")
    if is_address(source):
        return Coverage(0, 0, known.unanswerable, checked=False)
    beside = Path(source).parent / MANIFEST
    name = read_record(beside.parent)["name"] if beside.is_file() else None
    count = (read_manifest(source).passages or None) if is_index(source) else None
    if name in (None, known.name) and count in (None, known.passages or count):
        coverage, count = _coverage(source, questions, count)
        if count == (known.passages or count):
            checked = bool(known.passages or name)
            return coverage._replace(unanswerable=known.unanswerable, checked=checked)
    found = f"{source} is of {name}" if name not in (None, known.name) else f"{source} has {count or 0:,}"
    passages = f"{known.passages:,} passages" if known.passages else "passages"
    raise MismatchError(
        f"{asked.title} is asked of the {passages} of {known.name}, and {found}: figures over another corpus do not "
        f"compare; multihop data get {known.name} --to FOLDER gets the right one."
    )


def _coverage(source: str, questions: Iterable[Question], count: int | None) -> tuple[Coverage, int]:
    """What gold the corpus lacks, and its number of passages; it is not read where both are known without."""
    wanted = [{name: _names(question, name) for name in question.supporting} for question in questions]
    missing = {each for gold in wanted for names in gold.values() for each in names}
    held: set[str] = set()
    read = 0
    for passage in open_corpus(source) if missing or count is None else ():
        read += 1
        held |= missing.intersection((passage.id, normal(passage.title or passage.text)))
    told = [gold for gold in wanted if gold]
    lacking = sum(any(held.isdisjoint(names) for names in gold.values()) for gold in told)
    return Coverage(len(told), lacking), count or read


def _names(question: Question, gold: str) -> set[str]:
    """All by which a gold paragraph may be known in a corpus: its id, its title, or its text where there is none."""
    own = next((page for page in question.passages if page.id == gold), None)
    return {gold, normal(gold)} if own is None else {gold, normal(own.title), normal(own.text)} - {""}


def coverage_notes(coverages: Iterable[tuple[QuestionSet, Coverage]]) -> list[str]:
    """What a reader must know of the corpora before the first figure."""
    notes: dict[str, None] = {}
    for asked, found in coverages:
        if found.lacking:
            of = say_count(found.told, "question")
            notes[f"{asked.title}: {found.lacking:,} of {of} have gold that the corpus lacks"] = None
        if found.unanswerable:
            notes[f"{found.unanswerable} % of sampled questions cannot be answered from {asked.over}"] = None
        if not found.checked:
            notes[f"whether what is searched is {asked.over} could not be checked"] = None
    return [*notes]
