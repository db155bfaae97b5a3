"""The inputs of a study: its options, the question sets that it asks, and what searches them, opened once each.

A corpus is refused where it is not the one that a table names; how much gold it lacks is told.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import dspy
import ujson

from ..base import InputError, MismatchError, unknown, write_record
from ..base.texts import say_count
from ..data import (
    Question,
    Reading,
    bring_paragraphs,
    known_set,
    known_sets,
    open_corpus,
    open_questions,
    open_retriever,
)
from ..data.fetching import MANIFEST as SET_RECORD
from ..data.fetching import read_record
from ..data.little import LITTLE, is_little
from ..data.sources import check_source
from ..evaluation.metrics.passages import normal
from ..evaluation.progress import Progress
from ..evaluation.references import GoldPassages, MixedPassages
from ..lms import open_lm
from ..programs.shared.evidence import wording
from ..retrieval import Retriever, is_address, is_index, open_index
from ..retrieval.index_folder import MANIFEST, read_manifest
from ..retrieval.named_retrievers import RETRIEVERS, needs_corpus, retriever_named
from ..runtime import Scope
from .experiment import Experiment, QuestionSet
from .study_lms import StudyLM

Sources = Mapping[str | None, str]
"""Places of questions or passages, by the set's short name; under None, a place for all sets."""
BM25, GOLD, MIXED = "bm25", "gold", "mixed"
"""The default retriever, and the names of those that find the gold passages: alone, or among another's hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """The options of a study."""

    lm: StudyLM | None = None
    """The LM that answers all rows: an LM, its name, or a function that makes one of a set's questions and passages. It
    fills the columns that are its own; of a table whose columns are of several other LMs it fills none, and is shown
    beside them. None where `lms` has all."""
    lms: Mapping[str, StudyLM] = field(default_factory=dict)
    """LMs by the experiment's names for them: those behind its columns and rows, and those of single steps."""
    judge: dspy.LM | None = None
    """The LM that judges answers; nothing is judged without one."""
    rows: Sequence[str] | None = None
    """The rows to run; all by default. Rows that were run before are in the table as well."""
    questions: Sources | str | None = None
    """Other questions than the file's, for all sets or by set, such as "little"."""
    corpus: Sources | str | None = None
    """Another corpus, for all sets or by set."""
    data: str | PathLike[str] | None = None
    """A folder in which the files are that the experiment names."""
    limit: int | None = None
    """Only the first so many questions of each set."""
    sample: int | None = None
    """Draw so many of them, and not what the file says."""
    sample_seed: int | None = None
    """The seed they are drawn with."""
    search: str | None = None
    """The retriever's name; by default BM25, or the one that made the index."""
    train: Sources = field(default_factory=dict)
    """Training questions, from which demonstrations are made; without them, none are shown."""
    weights: Sources = field(default_factory=dict)
    """Folders of weights by the short name of the set that they are trained on, for rows that take such."""
    budget_calls: int | None = None
    """LM calls a question at most."""
    max_calls: int | None = None
    """LM calls that all invocations may make together; the study stops there, and the questions under way are asked
    again when it goes on."""
    concurrency: int = 32
    """Questions in flight at once."""
    repeats: int | None = None
    """The number of times every row is asked, each with another seed; as the experiment says by default."""
    seed: int = 0
    """Another seed draws anew; that of the first time where a row is asked several times."""
    cache: Scope | None = None
    """The kept answers that are used."""
    shows: Callable[[str, int], Progress] | None = None
    """Makes the display of a run's progress, from its name and its number of questions; none by default."""


def parse_sources(option: str, given: Sequence[str], experiment: Experiment) -> Sources:
    """Sources written SOURCE or SET=SOURCE; a set is named by its short name or its title."""
    titles = {each.title.lower(): name for name, each in experiment.sets.items()}
    found: dict[str | None, str] = {}
    for each in given:
        name, equals, source = each.partition("=")
        short = titles.get(name.lower(), name)
        if not equals:
            found[None] = each
        elif short not in experiment.sets:
            raise InputError(f"{option}: {unknown('question set of the experiment', name, experiment.sets)}")
        else:
            found[short] = source
    return found


def asked_sets(experiment: Experiment, options: StudyOptions) -> dict[str, QuestionSet]:
    """The set that is asked for each of the experiment's sets, by its short name; one source for all is one set."""
    questions, corpus = _by_set(options.questions), _by_set(options.corpus)
    chosen = {name: getattr(options, name) for name in ("limit", "sample", "sample_seed")}
    given: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    asked: dict[str, QuestionSet] = {}
    for name, each in experiment.sets.items():
        source, passages = questions.get(name, questions.get(None)), corpus.get(name, corpus.get(None))
        found = _from_folder(each, options.data) if source is None else _from_source(each, source, name in questions)
        if passages is not None:
            found = replace(found, corpus=passages)
        asked[name] = replace(found, **given)
    return asked


def _by_set(given: Sources | str | None) -> Sources:
    return {None: given} if isinstance(given, str) else given or {}


def _from_folder(asked: QuestionSet, folder: str | PathLike[str] | None) -> QuestionSet:
    """The set with those of its files that are in the folder."""
    if folder is None:
        return asked
    places = {name: getattr(asked, name) for name in ("questions", "corpus", "train")}
    found: dict[str, Any] = {
        name: str(Path(folder) / place)
        for name, place in places.items()
        if place is not None and (Path(folder) / place).exists()
    }
    return replace(asked, **found)


def _from_source(asked: QuestionSet, source: str, is_own: bool) -> QuestionSet:
    """The set with other questions; where they are not its own, but given for all sets, nothing else of it is left."""
    over = None if is_little(source) or not is_own else asked.over
    found = replace(asked, questions=source, corpus=None, train=None, size=None, skip_bad=0, over=over)
    if not is_own:
        title = Path(source).name.partition(".")[0] or source
        found = QuestionSet(name=title, title=title, questions=source, asking=asked.asking, titles=asked.titles)
    if not is_little(source):
        check_source(source)
        return found
    return replace(found, asking=(), limit=len(asked.asking) or found.limit)  # it holds other questions, but as many


def questions_asked(asked: QuestionSet) -> Reading[Question]:
    """The questions of a set's source; where the set names some by their words, these alone, in that order."""
    file = Path(asked.questions)
    if file.parent.name in known_sets() and not file.exists():
        name = file.parent.name
        raise InputError(
            f"there is no {file}: multihop data get {name} --to data/{name} gets it, and --data data says where it is."
        )
    if file.suffix and file.name == str(file) and not file.exists():
        raise InputError(
            f"no command fetches {file}, which this table asks: give the folder that has it with --data (docs/data.md "
            "says what is in it), or other questions with --questions."
        )
    questions = open_questions(asked.questions, skip_bad=asked.skip_bad)
    if not asked.asking:
        return questions
    wanted = {wording(text): text for text in asked.asking}
    found = {wording(each.question): each for each in questions if wording(each.question) in wanted}
    for missing in (text for words, text in wanted.items() if words not in found):
        raise InputError(
            f"{asked.questions} has no question '{missing}'; give a file that has it with --questions, or ask "
            f"'{LITTLE}' to try without."
        )
    return Reading(lambda skipped: [found[words] for words in wanted], questions.name)


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


class OpenedSet:
    """One question set, as far as it was needed."""

    def __init__(self, asked: QuestionSet, study: Path, search: str | None) -> None:
        """Read the questions once, so that what is wrong with them is found before anything is asked."""
        self.asked, self._study, self._search = asked, study, search
        self.questions: Reading[Question] = questions_asked(asked)
        self.count = sum(1 for _ in self.questions)
        self._retrievers: dict[str | None, Retriever] = {}
        self._lms: dict[int, dspy.LM] = {}

    @property
    def source(self) -> str:
        """The source that is searched: the corpus, or the questions' own paragraphs."""
        asked = self.asked
        if asked.corpus is not None:
            return asked.corpus
        if not is_little(asked.questions) and not bring_paragraphs(self.questions):
            raise InputError(f"the questions of {asked.questions} bring no paragraphs to search; give --corpus.")
        return asked.questions

    def coverage(self) -> Coverage:
        """The gold that the corpus lacks, kept in the study's folder; another one is refused."""
        versions = "-".join(map(_version, (self.source, self.asked.questions)))
        kept = self._study / "coverage" / f"{self.asked.name}-{versions}.json"
        if not kept.exists():
            write_record(kept, check_corpus(self.asked, self.source, self.questions))
        return Coverage(*ujson.loads(kept.read_bytes()))

    def retriever(self, search: str | None = None) -> Retriever:
        """The retriever over the corpus: the study's, or by name if a row has its own."""
        name = search or self._search
        if name not in self._retrievers:
            self._retrievers[name] = self._opened(name)
        return self._retrievers[name]

    def plain_retriever(self, search: str | None = None) -> Retriever:
        """A retriever that does not know the gold of the questions asked: the row's, the study's, or BM25."""
        own = None if search in (GOLD, MIXED) else search
        return self.retriever(BM25 if (own or self._search) in (GOLD, MIXED) else own)

    def lm(self, lm: StudyLM) -> dspy.LM:
        """The LM for this set."""
        if isinstance(lm, dspy.BaseLM):
            return lm
        key = id(lm) if callable(lm) else hash(lm)
        if key not in self._lms:
            self._lms[key] = lm(self.questions, open_corpus(self.source)) if callable(lm) else open_lm(str(lm))
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
    """A few digits that change when the file does, or the index."""
    path = Path(source, MANIFEST) if is_index(source) else Path(source)
    known = (source, path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else (source,)
    return hashlib.blake2b(repr(known).encode(), digest_size=4).hexdigest()


def check_corpus(asked: QuestionSet, source: str, questions: Iterable[Question]) -> Coverage:
    """Go once through the corpus of a set that names it (`over`), and say what gold it lacks.

    Raises:
        MismatchError: It is another corpus, by its name in set.json or by its number of passages.
    """
    known = known_set(asked.over or "")
    if is_address(source):
        return Coverage(0, 0, known.unanswerable, checked=False)
    beside = Path(source).parent / SET_RECORD
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
    """The gold that the corpus lacks, and its number of passages; it is not read where both are known without."""
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
    """Notes on gold that the corpora lack, which stand before the first figure."""
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
