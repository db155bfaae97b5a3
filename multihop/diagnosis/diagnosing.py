"""The diagnosis as a whole: the corpus alone, then the questions over it, then what follows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ..base import InputError
from ..data import Question, as_questions
from ..evaluation.matching import KINDS, NO_GOLD, match_passages
from ..evaluation.runner import QuestionLike
from ..retrieval import BM25, Passage, Retriever, RetrieverLike, as_retriever, fingerprint
from .advice import advise
from .corpus_shape import measure_corpus
from .depths import DEPTHS, recall_by_depth, recall_by_hop
from .gain import measure_gain, too_large_for_gain
from .gold_pages import describe_gold, find_gold
from .named_pages import NamedPages
from .pools import measure_pools
from .record import CorpusShape, Diagnosis, QuestionShape
from .searching import search_all

SAMPLE = 50


def diagnose(
    corpus: Iterable[Passage],
    questions: Iterable[QuestionLike] = (),
    *,
    retriever: RetrieverLike | None = None,
    sample: int = SAMPLE,
    deep: bool = False,
    watch: Callable[[str], None] = lambda doing: None,
) -> Diagnosis:
    """Describe a corpus and its questions for multi-hop retrieval, with advice. No LM is called.

    Args:
        corpus: Passages, gone through several times, or an index, which then also searches.
        questions: The questions: `Question`, `dspy.Example` or dicts; without any, the corpus alone is looked at.
        retriever: The retriever that searches; the index, or else BM25 over the passages, unless given.
        sample: Questions on which `ranked-rag` is compared with one retrieval; 0 leaves that out.
        deep: Compare them even where it takes more than about a minute.
        watch: Called with what is being done.

    Raises:
        InputError: The corpus is empty or gives no passages, or `sample` is below 0.

    Examples:
        >>> from multihop import Passage, Question
        >>> from multihop.diagnosis import diagnose
        >>> pages = [
        ...     Passage("1", "Emma (novel)", "Emma is a novel by Jane Austen."),
        ...     Passage("2", "Jane Austen", "Jane Austen was born in Steventon."),
        ... ]
        >>> question = Question(
        ...     id="q", question="Where was the author of Emma born?", answers=("Steventon",), supporting=("1", "2")
        ... )
        >>> found = diagnose(pages, [question], sample=0)
        >>> found.corpus.titles_named, found.questions.gold.linked_questions, found.questions.depths[1].recall
        (0.5, 1, 1.0)
    """
    if sample < 0:
        raise InputError(f"sample is a number of questions, 0 or more, not {sample}.")
    passages = _lasting(corpus)
    asked = list(as_questions(questions))
    if not asked:
        watch("reading the corpus")
        shape, _ = measure_corpus(passages)
        return Diagnosis(shape, None, None, advise(shape, None))
    searching: Retriever
    if retriever is not None:
        searching = as_retriever(retriever)
    elif isinstance(passages, Retriever):
        searching = passages
    else:
        watch("indexing the corpus")
        passages = searching = BM25.build(passages)
    watch("reading the corpus")
    shape, names = measure_corpus(passages)
    found = _look_at_questions(asked, passages, searching, shape, names, sample, deep, watch)
    return Diagnosis(shape, fingerprint(searching), found, advise(shape, found))


def _look_at_questions(
    questions: list[Question],
    passages: Iterable[Passage],
    retriever: Retriever,
    corpus: CorpusShape,
    names: NamedPages,
    sample: int,
    deep: bool,
    watch: Callable[[str], None],
) -> QuestionShape:
    watch("looking for the gold")
    gold = find_gold(questions, passages)
    pairs = [(question, each) for question, each in zip(questions, gold, strict=True) if each.match.by != NO_GOLD]
    known, pages = [question for question, _ in pairs], [each for _, each in pairs]
    shape = QuestionShape(
        questions=len(questions),
        with_gold=len(known),
        gold=describe_gold(gold),
        depths=(),
        hops=(),
        hops_told=0,
        hops_by_rule=0,
        pools=(),
        gain=None,
        no_gain="no gold passage was recognised" if known else "the questions name no gold passages",
    )
    if not any(shape.gold.matched_by.get(kind) for kind in KINDS):
        return shape
    watch(f"searching for {len(known):,} questions")
    rankings = search_all(retriever, [question.question for question in known], DEPTHS[-1])
    found = [[hit.passage for hit in ranking] for ranking in rankings]
    matches = [match_passages(*each) for each in zip(known, found, strict=True)]
    hops = recall_by_hop(known, pages, matches)
    watch("following titles")
    pools = measure_pools(known, rankings, retriever, passages, names)
    sample = min(sample, len(known))
    too_large = "" if deep else too_large_for_gain(corpus, sample)
    no_gain = too_large if sample else "no sample was asked for"
    if not no_gain:
        watch(f"asking ranked-rag {sample:,} questions")
    return replace(
        shape,
        depths=recall_by_depth(matches),
        **hops._asdict(),
        pools=pools,
        gain=None if no_gain else measure_gain(known, matches, retriever, sample=sample),
        no_gain=no_gain,
    )


def _lasting(corpus: Iterable[Passage]) -> Iterable[Passage]:
    """The corpus as something that can be gone through several times."""
    if isinstance(corpus, str | bytes) or not isinstance(corpus, Iterable):
        searches = " It searches, but does not give its passages." if isinstance(corpus, Retriever) else ""
        raise InputError(
            f"the corpus must be passages, or an index that gives its passages back, not {type(corpus).__name__}."
            f"{searches or ' Open a file with open_corpus.'}"
        )
    return list(corpus) if isinstance(corpus, Iterator) else corpus
