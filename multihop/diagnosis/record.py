"""The record of a diagnosis, figure by figure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassageLengths:
    """The lengths of the texts in words, titles apart."""

    mean: float
    """The mean."""
    median: float
    """Half of the passages have no more."""
    p95: float
    """19 of 20 passages have no more."""
    longest: int
    """The most."""


@dataclass(frozen=True, slots=True)
class CorpusShape:
    """The shape of a corpus. Titles and texts are compared whatever their case and spaces."""

    passages: int
    """The number of passages."""
    text_bytes: int
    """Their ids, titles and texts in UTF-8."""
    bm25_bytes: int
    """The size of a BM25 index folder, about."""
    dense_bytes: int
    """The size of a dense index folder of the built-in encoder, about."""
    words: PassageLengths
    """Words a passage."""
    empty_texts: int
    """Passages without a text, which have a title only."""
    untitled: int
    """Passages without a title."""
    shared_titles: int
    """Passages whose title another passage has too."""
    repeated_texts: int
    """Passages whose text another passage has too."""
    titles_named: float
    """Other pages that a passage names, in the mean: whole words, whatever the case, brackets of titles left out."""
    naming: float
    """The share of passages that name any other page."""
    looked_at: int
    """Passages from which the two figures above, and the sizes of indexes, were taken: all, or evenly drawn ones."""


@dataclass(frozen=True, slots=True)
class GoldInCorpus:
    """The gold passages of the questions, looked for in the corpus itself; no search is needed for it."""

    pages: int
    """Gold passages of all questions together."""
    found: int
    """The number of them that the corpus holds."""
    matched_by: dict[str, int]
    """Questions by what their gold was recognised by: "id", "text" or "title", or why it was not."""
    pairs: int
    """Pairs of gold passages of one question that the corpus holds."""
    linked_pairs: int
    """The number of these pairs in which one names the other's title."""
    questions_with_pairs: int
    """Questions that have such a pair at all."""
    linked_questions: int
    """The number of these questions in which any gold passage names another's title."""


@dataclass(frozen=True, slots=True)
class RecallAtDepth:
    """The gold among the first k hits for the question itself, over the questions whose gold is known."""

    k: int
    """The number of hits that are looked at."""
    recall: float
    """The mean share of a question's gold: recall@k as `evaluate` measures it for `one-step`."""
    low: float
    """The lower end of its 95 % interval."""
    high: float
    """The upper end."""
    complete: float
    """The share of questions all of whose gold is there."""


@dataclass(frozen=True, slots=True)
class HopRecall:
    """The gold of one hop among the first hits for the question itself."""

    hop: int
    """1 for what can be asked for at once, 2 for what needs the answer of a first hop, and so on."""
    pages: int
    """Gold passages of this hop, of all questions whose hops are known."""
    recall: tuple[float, ...]
    """The share of them among the first k hits, for each k in the order of `depths`."""


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """A pool of candidates and its share of the gold: the ceiling of whatever chooses among them."""

    hits: int
    """Hits for the question that are in it."""
    named: bool
    """True if the pages that the first ten hits name by title are in it too."""
    title_hits: bool
    """True if ten hits for the title of each of the first ten hits are in it too."""
    size: float
    """Passages in the pool, in the mean."""
    recall: float
    """The mean share of a question's gold in it."""
    complete: float
    """The share of questions all of whose gold is in it."""


@dataclass(frozen=True, slots=True)
class RetrievalGain:
    """The gain of `ranked-rag` over one retrieval, on a sample of the questions."""

    questions: int
    """The number of questions that were asked."""
    one_step: float
    """Recall@5 of one retrieval with the question."""
    ranked_rag: float
    """Recall@5 of `ranked-rag` on the same questions."""
    low: float
    """The lower end of the 95 % interval of the paired difference."""
    high: float
    """The upper end."""
    p_value: float
    """The p-value: the probability of a difference this large by chance alone."""


@dataclass(frozen=True, slots=True)
class QuestionShape:
    """The shape of the questions over this corpus."""

    questions: int
    """The number of questions."""
    with_gold: int
    """The number of them that name gold passages."""
    gold: GoldInCorpus
    """Their gold in the corpus."""
    depths: tuple[RecallAtDepth, ...]
    """Recall by depth; empty where no gold was recognised."""
    hops: tuple[HopRecall, ...]
    """Recall by hop; empty where no question's hops are known."""
    hops_told: int
    """Questions whose hops their set tells."""
    hops_by_rule: int
    """Questions whose hops were read from their gold passages by rule."""
    pools: tuple[CandidatePool, ...]
    """Pools of candidates around 20 and 100 hits, each alone and with what titles lead to; empty like `depths`."""
    gain: RetrievalGain | None
    """The gain of `ranked-rag`; None where it was not tried."""
    no_gain: str
    """The reason why it was not tried; empty where it was."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A piece of advice that follows from a figure."""

    rule: str
    """The rule's name; docs/diagnose.md has them all."""
    text: str
    """The figure, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A corpus and its questions, described for multi-hop retrieval."""

    corpus: CorpusShape
    """The corpus."""
    retriever: str | None
    """The fingerprint of what searched it; None where there were no questions."""
    questions: QuestionShape | None
    """The questions over the corpus; None where none were given."""
    advice: tuple[Advice, ...]
    """The advice that follows from the figures."""
