"""Gold as the encoder learns from it: paragraph by paragraph, with what in each brings the answer closer."""

from collections.abc import Iterator
from typing import NamedTuple

from ...data import Question
from ...data.gold import GoldHop, GoldPath
from ...data.gold.given_hops import read_hop
from ...data.gold.gold_passages import PassageLookup, supporting_sentences
from ...data.gold.whole_words import as_written, occurrences
from ...retrieval import Passage


class Finding(NamedTuple):
    """One gold paragraph, and what it contributes."""

    passage: str
    """The paragraph as a prompt shows it, "title | text"."""
    useful: tuple[str, ...]
    """The words in it that answer its part of the question: a name that leads on, or the answer."""
    sub_question: str = ""
    """The single question it answers, where the set tells."""
    sentences: tuple[str, ...] = ()
    """Its supporting sentences, where the set tells."""


def findings_of(path: GoldPath) -> list[Finding]:
    """The gold paragraphs of a path, each with what it contributes."""
    return [_found(path, passage) for passage in path.passages]


def hops_at_hand(question: Question, lookup: PassageLookup) -> Iterator[tuple[int, GoldHop]]:
    """Each hop that the set tells and that can be read, with its place; others may lack their paragraphs."""
    for place in range(len(question.decomposition)):
        hop = read_hop(question, place, lookup)
        if isinstance(hop, GoldHop):
            yield place, hop


def _found(path: GoldPath, passage: Passage) -> Finding:
    question = path.question
    hops = [hop for hop in path.hops if hop.passage == passage and not hop.by_rule]
    whole = question.question.lower()
    links = [page.name for page in path.passages if page != passage and page.name.lower() not in whole]
    useful = [hop.answer for hop in hops] + links + list(question.answers)
    written = [as_written(passage.text, each) for each in useful if occurrences(passage.text, [each])]
    return Finding(
        str(passage),
        tuple(dict.fromkeys(each for each in written if each)),
        hops[0].sub_question if hops else "",
        tuple(supporting_sentences(question, passage)),
    )
