"""Advice from the figures of a diagnosis, each piece by a rule with a name; here the rules for the corpus alone."""

from collections.abc import Callable, Sequence

from ..evaluation.matching import KINDS
from .in_words import percent
from .question_advice import GOLD_RULES, RECALL_RULES
from .record import Advice, CorpusShape, QuestionShape

SMALL = 1000
"""Passages up to which nearly every one is among the first hits."""
LONG_WORDS = 300
"""Words a passage, in the mean, from which passages should be cut."""
REPEATED_TEXTS = 0.01
UNTITLED = 0.5
SHARED_TITLES = 0.1


def advise(corpus: CorpusShape, questions: QuestionShape | None) -> tuple[Advice, ...]:
    """The advice of all rules that apply, on the corpus first."""
    ways = [way for way in KINDS if questions is not None and questions.gold.matched_by.get(way)]
    found = {name: rule(corpus) for name, rule in CORPUS_RULES.items()}
    found["shared titles"] = shared_titles(corpus, ways)
    if questions is not None:
        rules = {**GOLD_RULES, **(RECALL_RULES if questions.depths else {})}
        found |= {name: rule(questions) for name, rule in rules.items()}
    return tuple(Advice(name, text) for name, text in found.items() if text)


def _small_corpus(corpus: CorpusShape) -> str:
    if corpus.passages >= SMALL:
        return ""
    return f"there are only {corpus.passages:,} passages: over a larger corpus, recall is lower than here"


def _long_passages(corpus: CorpusShape) -> str:
    if corpus.words.mean < LONG_WORDS:
        return ""
    return (
        f"passages have {corpus.words.mean:,.0f} words: cut them into pieces of 100 to 200, since a hit should be "
        "about one thing and the encoder reads about 150 words at a time"
    )


def _empty_texts(corpus: CorpusShape) -> str:
    if not corpus.empty_texts:
        return ""
    passages = f"{corpus.empty_texts:,} passage{' has' if corpus.empty_texts == 1 else 's have'}"
    return f"{passages} no text: leave out what can be found and says nothing"


def _repeated_texts(corpus: CorpusShape) -> str:
    share = corpus.repeated_texts / corpus.passages
    if share < REPEATED_TEXTS:
        return ""
    return (
        f"{percent(share)} of the passages repeat the text of another: keep one of each, since copies take the places "
        "of other hits"
    )


def _untitled(corpus: CorpusShape) -> str:
    share = corpus.untitled / corpus.passages
    if share < UNTITLED:
        return ""
    return f"{percent(share)} of the passages have no title: no method can follow titles from page to page"


def shared_titles(corpus: CorpusShape, ways: Sequence[str]) -> str:
    """Advice on titles that come twice, where the gold of questions was recognised in these ways."""
    share = corpus.shared_titles / corpus.passages
    if share < SHARED_TITLES:
        return ""
    if "title" in ways:
        then = "recall is matched by title, so that one passage may be taken for another: give corpus and questions ids"
    else:
        then = f"recall is matched by {' and '.join(ways)}" if ways else "a title alone does not tell them apart"
    return f"{percent(share)} of the passages share their title with another: {then}"


CORPUS_RULES: dict[str, Callable[[CorpusShape], str]] = {
    "small corpus": _small_corpus,
    "long passages": _long_passages,
    "empty texts": _empty_texts,
    "repeated texts": _repeated_texts,
    "untitled": _untitled,
}
"""Each rule by its name: what to do about a figure, or nothing where the figure is as it should be."""
