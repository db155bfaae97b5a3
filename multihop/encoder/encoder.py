"""The built-in encoder: vectors for texts, judgements for passages, and the words of the next query."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import Context
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar, cast

from ..base import DamagedFileError, MismatchError, NotCopied, ask_together, in_thread
from ..base.concurrency import BatchCache
from ..base.english import Span, sentence_spans
from ..base.imports import NDArray, np, tokenizers
from .judgement import READING_WINDOW, Judgement, Pages, PagesReading, judgement, reading, trim, word_scores
from .layout import OVERLAP, WINDOW, Pair, Window, borders, layout, starts
from .session import Session, Words
from .weights import BUILT_IN, FILTER, JUDGE, LABELER, READER, network_file, read_array, read_encoder_manifest

Number = TypeVar("Number", "np.float32", "np.float64")
KEPT = 0.5
"""From this probability on a word is of the next query."""
TITLE = 0.5
"""The weight of the title beside a sentence."""
HALF = OVERLAP // 2
"""Of the tokens that two windows share, each is taken from the one in which it is further from the edge."""
REMEMBERED = 1 << 12
"""Judgements that are kept: what a program finds is labeled, read after it, and found again by other programs."""


class NextQuery(NamedTuple):
    """The query of the next search, and its words by where they come from."""

    query: str
    asked: str
    """The words of the question that are left."""
    found: str
    """The words of the finding that are new."""


class Encoder(NotCopied):
    """A small transformer that reads a question and a passage together, and one that embeds texts, without PyTorch.

    Examples:
        >>> from multihop.encoder import Encoder, Pair
        >>> encoder = Encoder.load()
        >>> question = "Where was the author of Emma born?"
        >>> first, second = encoder.judge([
        ...     Pair(question, "Emma (novel) | Emma is a novel written by the English author Jane Austen."),
        ...     Pair(question, "Danube | The Danube is a river that flows through Vienna."),
        ... ])
        >>> first.relevant > second.relevant
        True
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """The encoder in a folder; see `load`."""
        self.folder = Path(folder)
        self.judgements: BatchCache[Pair, Judgement] = BatchCache(REMEMBERED)
        self.readings: BatchCache[Pair, Judgement] = BatchCache(REMEMBERED)
        self.labels: BatchCache[Pair, Judgement] = BatchCache(REMEMBERED)
        self.manifest: dict[str, Any] = read_encoder_manifest(folder)
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(self.folder / "tokenizer.json"))
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            rows, scales = (read_array(self.folder / name) for name in ("vectors.npy", "scales.npy"))
            words = Words(rows, np.asarray(scales, np.float32))
            self._embed = Session(self.folder / "embed.onnx", words)
            files = [network_file(self.folder, name) for name in (JUDGE, READER, LABELER, FILTER)]
            networks = {file: Session(self.folder / file, words) for file in files}
            self._judge, self._reader, self._labeler, self._filter = (networks[file] for file in files)
        except Exception as error:  # every library has its own kind for a file it cannot read
            raise DamagedFileError(f"the encoder in {self.folder} cannot be opened: {error}") from error

    @classmethod
    def load(cls, folder: str | os.PathLike[str] | None = None) -> Self:
        """The encoder in a folder, or the built-in one; each is opened once and then shared."""
        return _open(cls, str(Path(folder or BUILT_IN).resolve()))  # type: ignore[return-value, arg-type]

    @property
    def fingerprint(self) -> str:
        """A short text that is the same only for the same weights."""
        files = self.manifest["files"]
        networks = (files.get(name, "")[:8] for name in (JUDGE, "embed.onnx", READER, LABELER, FILTER))
        return f"{self.manifest['name']}-{''.join(networks)}"

    @property
    def embedding(self) -> str:
        """A short text that is the same only for the same weights that embed, on which vectors of passages depend."""
        return f"{self.manifest['name']}-{self.manifest['files']['embed.onnx'][:16]}"

    def embed(self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None) -> "NDArray[np.float32]":
        """A vector of length 1 for each text; that of a text longer than the window is the mean of its windows'.

        `progress` is called now and then with the number of texts whose tokens have been read.
        """
        vectors = np.zeros((len(texts), self.manifest["width"]), np.float32)
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for (text, _), (vector, _) in self._embedded(encodings, progress):
            vectors[text] += vector
        return of_length_1(vectors)

    def embed_passages(
        self, texts: Sequence[str], heads: Sequence[int], *, progress: Callable[[int], None] | None = None
    ) -> "list[NDArray[np.float32]]":
        """For each text vectors of length 1, one for each of its sentences: what its tokens and the title's come to.

        The text is read as a whole, and once. So the vector of a sentence depends on the text around it.

        Args:
            texts: Passages, each beginning with its title.
            heads: The number of characters of each that are the title.
            progress: As for `embed`.
        """
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        made: dict[int, NDArray[np.float32]] = {}
        begun: dict[int, dict[int, list[NDArray[np.float32]]]] = {}
        for (text, start), outputs in self._embedded(encodings, progress):
            begun.setdefault(text, {})[start] = outputs
            offsets = encodings[text].offsets
            if len(begun[text]) == len(starts(len(offsets), WINDOW - 2)):
                made[text] = sentence_vectors(texts[text], heads[text], offsets, begun.pop(text))
        return [made[text] for text in range(len(texts))]

    def _embedded(
        self, encodings: "Sequence[tokenizers.Encoding]", progress: Callable[[int], None] | None
    ) -> "Iterator[tuple[tuple[int, int], list[NDArray[np.float32]]]]":
        """For every window of every text, its text and first token: its vector, and the states of its tokens."""
        cls, sep = borders(self._tokenizer)
        places: list[tuple[int, int]] = []
        windows: list[list[int]] = []
        for text, encoding in enumerate(encodings):
            ids = encoding.ids
            for start in starts(len(ids), WINDOW - 2):
                places.append((text, start))
                windows.append([cls, *ids[start : start + WINDOW - 2], sep])
        tokens, read_so_far = sum(map(len, windows)), 0
        for place, outputs in self._embed.run(windows):
            yield places[place], outputs
            read_so_far += len(windows[place])
            if progress:
                progress(len(encodings) * read_so_far // tokens)

    def embed_queries(self, queries: Sequence[str]) -> "NDArray[np.float32]":
        """A vector of length 1 for each query: this encoder reads queries as it reads passages."""
        return self.embed(queries)

    @property
    def place(self) -> dict[str, Any]:
        """The values by which an index finds its encoder again; empty for the built-in one."""
        return {} if self.folder.resolve() == BUILT_IN.resolve() else {"encoder_folder": str(self.folder)}

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The encoder's judgement of each passage, in the order of the pairs; earlier judgements are looked up."""
        return self.judgements.get(pairs, lambda new: self._run_on(self._judge, new, WINDOW))

    def label(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The labeler's judgement of each passage under the last query; the judge's, until a labeler is trained."""
        if LABELER not in self.manifest["files"]:
            return self.judge(pairs)
        return self.labels.get(pairs, lambda new: self._run_on(self._labeler, new, WINDOW))

    def read(self, asked: Sequence[Pages]) -> list[PagesReading]:
        """The reader's reading of pages that are read together; earlier readings are looked up."""
        pairs = [each.pair() for each in asked]
        judged = self.readings.get(pairs, lambda new: self._run_on(self._reader, new, READING_WINDOW))
        return [reading(each.pages, one) for each, one in zip(asked, judged, strict=True)]

    def _run_on(self, network: Session, pairs: Sequence[Pair], window: int) -> list[Judgement]:
        laid_out = layout(self._tokenizer, pairs, window)
        outputs = _run(network, [window for windows in laid_out for window in windows])
        judged, start = [], 0
        for pair, windows in zip(pairs, laid_out, strict=True):
            judged.append(judgement(pair.passage, windows, outputs[start : start + len(windows)]))
            start += len(windows)
        return judged

    def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[NextQuery]:
        """For each question and the words found for it, the words of both that ask for what is missing.

        Words are only picked, never added or changed. Where no word of the finding is picked, all are.
        """
        return self._pick_queries(self._judge, findings)

    def filter(self, findings: Sequence[tuple[str, str]]) -> list[NextQuery]:
        """The filter's words of each last query and of those marked under it; the judge's until a filter is trained."""
        return self._pick_queries(self._filter, findings)

    def _pick_queries(self, network: Session, findings: Sequence[tuple[str, str]]) -> list[NextQuery]:
        laid_out = layout(self._tokenizer, [Pair(question, found) for question, found in findings])
        windows = [windows[0] for windows in laid_out]
        picked = []
        for (question, finding), window, (_, logits) in zip(findings, windows, _run(network, windows), strict=True):
            question_words = _pick(question, window.asked, logits[1 : 1 + len(window.asked)])
            new = _pick(finding, window.offsets, logits[window.first : window.first + len(window.offsets)]) or finding
            picked.append(NextQuery(f"{question_words or question} {new}".strip(), question_words, new))
        return picked

    def __reduce__(self) -> Any:
        """Pickled as its folder: networks are opened where they are used, the built-in ones wherever multihop is."""
        home = self.folder.resolve()
        return _reopen, (type(self), None if home == BUILT_IN.resolve() else str(home), self.fingerprint)

    def __repr__(self) -> str:
        return f"Encoder({self.manifest['name']})"


@lru_cache(maxsize=4)
def _open(kind: type[Encoder], folder: str) -> Encoder:
    return kind(folder)


def _reopen(kind: type[Encoder], folder: str | None, fingerprint: str) -> Encoder:
    encoder = kind.load(folder)
    if encoder.fingerprint != fingerprint:
        place = folder or "this multihop"
        raise MismatchError(f"{place} holds the encoder {encoder.fingerprint}, and {fingerprint} was saved.")
    return encoder


def _run(network: Session, windows: Sequence[Window]) -> list[list["NDArray[np.float32]"]]:
    logits: list[list[NDArray[np.float32]]] = [[]] * len(windows)
    for place, outputs in network.run([window.ids for window in windows], [window.first for window in windows]):
        logits[place] = outputs
    return logits


def _pick(text: str, offsets: Sequence[tuple[int, int]], logits: "NDArray[np.float32]") -> str:
    scores = word_scores(text, offsets, logits, "kept")
    spans = (trim(text, span) for span, score in scores.items() if score >= KEPT)
    return " ".join(text[start:end] for start, end in spans if start < end)


def sentence_vectors(
    text: str, head: int, offsets: Sequence[Span], windows: "Mapping[int, Sequence[NDArray[np.float32]]]"
) -> "NDArray[np.float32]":
    """A row of length 1 a sentence behind the head: its tokens' mean and half of the head's; else one for all."""
    vectors, states = zip(*windows.values(), strict=True)
    tokens = np.zeros((len(offsets), states[0].shape[1]), np.float32)
    for start, (_, bordered) in windows.items():
        window, end = bordered[1:-1], start + len(bordered) - 2
        first, last = start + (HALF if start else 0), end - (HALF if end < len(offsets) else 0)
        tokens[first:last] = window[first - start : last - start]
    begins = np.array([begin for begin, _ in offsets], np.int64)
    sentences = [(head + start, head + end) for start, end in sentence_spans(text[head:])]
    spans = np.array(sentences, np.int64).reshape(-1, 2)
    firsts, lasts = np.searchsorted(begins, spans[:, 0]), np.searchsorted(begins, spans[:, 1])
    held = lasts > firsts
    if not held.any():
        return of_length_1(np.sum(vectors, axis=0)[None])
    ends = [(0, np.searchsorted(begins, head)), *zip(firsts[held], lasts[held], strict=True)]
    sums = np.stack([tokens[first:last].sum(0, np.float64) for first, last in ends])
    title, own = of_length_1(sums[:1]), of_length_1(sums[1:])
    return of_length_1(own + TITLE * title).astype(np.float32)


def of_length_1(vectors: "NDArray[Number]") -> "NDArray[Number]":
    """Each row divided by its length; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    normal: NDArray[Number] = vectors / np.maximum(lengths, vectors.dtype.type(1e-12))
    return normal


async def judge(encoder: Encoder, pair: Pair) -> Judgement:
    """The judgement of one pair, made in one run with what others on this event loop ask at the same time."""
    return cast(Judgement, await _together(encoder, "judge", pair))


async def label(encoder: Encoder, pair: Pair) -> Judgement:
    """The labeler's judgement of one pair, made in one run with others."""
    return cast(Judgement, await _together(encoder, "label", pair))


async def read(encoder: Encoder, pages: Pages) -> PagesReading:
    """The reader's reading of pages, in one run with others."""
    return cast(PagesReading, await _together(encoder, "read", pages))


async def next_query(encoder: Encoder, question: str, finding: str) -> NextQuery:
    """The next query after one finding, picked in one run with others."""
    return cast(NextQuery, await _together(encoder, "next_queries", (question, finding)))


async def filtered_query(encoder: Encoder, query: str, marked: str) -> NextQuery:
    """The filter's query after a query and the words marked under it, picked in one run with others."""
    return cast(NextQuery, await _together(encoder, "filter", (query, marked)))


async def _together(encoder: Encoder, kind: str, item: Any) -> Any:
    return await ask_together(encoder, kind, item, partial(_work, encoder))


async def _work(encoder: Encoder, kind: str, items: list[Any], context: Context) -> Sequence[Any]:
    return cast(Sequence[Any], await in_thread(context, getattr(encoder, kind), items))
