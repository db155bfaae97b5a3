"""The shape of a corpus: sizes, titles and texts that come twice, and the pages that its pages name."""

from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..encoder.weights import BUILT_IN, read_encoder_manifest
from ..english.sentences import sentence_spans
from ..evaluation.matching import normal
from ..retrieval import Passage
from ..retrieval.corpus_check import CorpusCheck
from ..retrieval.words.analyzer import STOP_WORDS, words
from .named_pages import NamedPages, name_of
from .record import CorpusShape, PassageLengths

if TYPE_CHECKING:
    import numpy as np

LOOKED_AT = 2000
"""Passages that are looked at more closely, at most; evenly drawn where there are more."""
BLOCK = 4096
LINE_BYTES = 31
"""The bytes of a line of an index's passages file besides the passage: names of fields, quotes, commas."""
OFFSET_BYTES = 8
POSTING_BYTES = 8
"""A passage's number and the term's score in it, in single precision."""
HALF_PRECISION = 2


def measure_corpus(passages: Iterable[Passage]) -> tuple[CorpusShape, NamedPages]:
    """The corpus in figures, and the names of its pages; the passages are gone through once.

    Raises:
        InputError: There are none, or something among them is no passage.
    """
    import numpy as np

    lengths, titles, texts = array("q"), array("q"), array("q")
    names, drawn, text_bytes = NamedPages(), _EvenlyDrawn(), 0
    for block in CorpusCheck().blocks(passages, BLOCK):
        for passage in block:
            names.add(passage)
            drawn.offer(passage)
            text_bytes += sum(len(field.encode("utf-8", "surrogatepass")) for field in passage)
            lengths.append(len(passage.text.split()))
            for hashes, text in ((titles, normal(passage.title)), (texts, normal(passage.text))):
                if text:
                    hashes.append(hash(text))
    count = len(lengths)
    named = [len(names.names_in(page.text, besides=name_of(page))) for page in drawn.passages]
    on_disk = text_bytes + count * (LINE_BYTES + OFFSET_BYTES)
    shape = CorpusShape(
        passages=count,
        text_bytes=text_bytes,
        bm25_bytes=on_disk + round(count * _terms(drawn.passages) * POSTING_BYTES),
        dense_bytes=on_disk
        + count * OFFSET_BYTES
        + round(count * _sentences(drawn.passages) * _width() * HALF_PRECISION),
        words=_lengths(np.frombuffer(lengths, np.int64)),
        empty_texts=count - len(texts),
        untitled=count - len(titles),
        shared_titles=_shared(titles),
        repeated_texts=_shared(texts),
        titles_named=sum(named) / len(named),
        naming=sum(map(bool, named)) / len(named),
        looked_at=len(named),
    )
    return shape, names


@cache
def _width() -> int:
    """Numbers in a vector of the built-in encoder, whose files are checked when its manifest is read."""
    return int(read_encoder_manifest(BUILT_IN)["width"])


class _EvenlyDrawn:
    """Every passage until there are too many; then every second, every fourth, and so on."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._seen, self._step = 0, 1

    def offer(self, passage: Passage) -> None:
        if self._seen % self._step == 0:
            self.passages.append(passage)
            if len(self.passages) > LOOKED_AT:
                del self.passages[1::2]
                self._step *= 2
        self._seen += 1


def _terms(passages: Sequence[Passage]) -> float:
    """Different words a passage, in the mean, without those that are never searched for."""
    different = [len(set(words(f"{page.title} {page.text}")) - STOP_WORDS) for page in passages]
    return sum(different) / len(different)


def _sentences(passages: Sequence[Passage]) -> float:
    """Vectors a passage, in the mean: one for each sentence, and one for a passage that has none."""
    return sum(max(1, len(sentence_spans(page.text))) for page in passages) / len(passages)


def _lengths(lengths: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> PassageLengths:
    import numpy as np

    median, p95 = np.percentile(lengths, [50, 95], method="higher")
    return PassageLengths(float(lengths.mean()), float(median), float(p95), int(lengths.max()))


def _shared(hashes: "array[int]") -> int:
    """The number of entries that have a twin."""
    import numpy as np

    counts = np.unique(np.frombuffer(hashes, np.int64), return_counts=True)[1] if hashes else np.zeros(0, np.int64)
    return int(counts[counts > 1].sum())
