"""A collection of Milvus as a retriever, in this process over a file or on a cluster."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, Self, get_args

from ...base import InputError, MismatchError, unknown
from ...base.batch_cache import BatchCache
from ...encoder import TextEncoder, open_encoder
from ..bm25 import BM25
from ..changeable import Changeable
from ..dense import open_encoder_of
from ..fusion import CONSTANT, fuse
from ..hybrid import DEPTH
from ..index_folder import index_fingerprint
from ..living.corpus import check_ids
from ..passage import Hit, Passage
from ..retriever import check_search
from ..words.analyzer import DESCRIPTION
from .milvus_building import CollectionBuilder, check_whole
from .milvus_calls import MilvusCalls, open_pymilvus
from .milvus_changes import CollectionChanges, seen_filter
from .milvus_layout import ENCODER_PLACE, MEANING, PLACE, TEXTS, WORDS, Notes, term_place
from .milvus_place import MilvusPlace
from .milvus_terms import TermNote, Weights, stems_of

KIND = "milvus"
FORMAT = 1
Ranks = Literal["bm25", "dense", "hybrid"]
MOST = 16_384
"""Hits that Milvus returns for a query at most."""
_NO_RANKING = frozenset({"length", "stored_length", "stored_passages", "changes", "changing"})
"""The notes on how a corpus has changed; its identity tells that it has."""
_QUERIES_AT_ONCE = 64
_REMEMBERED = 1 << 18
"""Terms whose numbers are kept."""


class Milvus(Changeable):
    """A retriever that ranks as `BM25`, `Dense` or `Hybrid` does, over passages that lie in Milvus.

    The weights of terms are computed here, from the statistics of the whole corpus, and kept as sparse vectors: hits
    and scores are `BM25`'s, but for the last places where more passages have the same score than are asked for.
    `Dense`'s vectors are compared with all others, and two rankings are fused as `Hybrid` does.

    Examples:
        >>> from multihop.retrieval import Milvus
        >>> Milvus.open("milvus:indexes/none.db#wiki")
        Traceback (most recent call last):
        multihop.base.errors.InputError: ...none.db is not there; build it with `multihop index`.
    """

    def __init__(self, calls: MilvusCalls, about: dict[str, Any], encoder: TextEncoder | None) -> None:
        """The parts of what is open; use `build` or `open` instead."""
        self._calls, self._about, self._encoder = calls, about, encoder
        self._notes = Notes(calls)
        self._terms: BatchCache[str, TermNote | None] = BatchCache(_REMEMBERED)

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        address: str,
        *,
        retriever: Ranks = "bm25",
        k1: float = 1.2,
        b: float = 0.75,
        titles: bool = True,
        encoder: TextEncoder | None = None,
        progress: Callable[[int], None] | None = None,
        timeout: float = 60.0,
        attempts: int = 4,
    ) -> "Milvus":
        """The collection at an address such as milvus:indexes/mine.db#wiki, filled with the passages.

        Doing it again changes nothing, and finishes what was interrupted. A second collection, its name with _multihop
        behind it, says what the first is. Nothing is ever deleted.

        Args:
            passages: The corpus; it is read once, and kept in a temporary folder until all is sent.
            address: The place of the collection, there or to be made; for a cluster, the key is in MILVUS_TOKEN.
            retriever: The way to find passages: by their words, by their meaning, or by both.
            k1: As for `BM25.build`.
            b: The same.
            titles: True to count the title together with the text.
            encoder: The encoder that makes vectors; the built-in one if not given.
            progress: Called now and then with the number of passages that are there.
            timeout: Seconds that one answer may take.
            attempts: The number of times that a server is asked if it is busy or cannot be reached.

        Raises:
            InputError: The corpus is empty, has an id twice or a text that Milvus does not keep, or a setting is out of
                range.
            MismatchError: The collection is of another corpus or encoder, or somebody else's.
            MissingExtraError: Milvus's client is not installed.
            RunFailed: Milvus cannot be reached, or refuses.
        """
        if retriever not in get_args(Ranks):
            raise unknown("retriever in Milvus", retriever, get_args(Ranks))
        calls = MilvusCalls(MilvusPlace.read(address), timeout=timeout, attempts=attempts)
        open_pymilvus()  # before minutes are spent
        with_vectors = retriever != "bm25"
        encoder = (encoder or open_encoder()) if with_vectors else None
        with TemporaryDirectory(prefix="multihop-milvus-") as scratch:
            corpus = BM25.build(passages, k1=k1, b=b, titles=titles, folder=Path(scratch) / "corpus")
            about = _describe(corpus, retriever, encoder)
            if calls.place.embedded:
                Path(calls.place.uri).parent.mkdir(parents=True, exist_ok=True)
            CollectionBuilder(calls, corpus, about, encoder).run(progress)
        return cls(calls, about, encoder)

    @classmethod
    def open(
        cls, address: str, *, encoder: TextEncoder | None = None, timeout: float = 30.0, attempts: int = 4
    ) -> Self:
        """The collection at an address that `build` has filled.

        Args:
            address: As for `build`.
            encoder: The one that made the vectors, where it does not lie where it lay then.
            timeout: Seconds that one answer may take.
            attempts: The number of times that a server is asked if it is busy or cannot be reached.

        Raises:
            InputError: There is no such collection.
            MismatchError: It was not filled to its end, is somebody else's, or of another encoder or version.
            MissingExtraError: Milvus's client is not installed.
            RunFailed: Milvus cannot be reached, or refuses.
        """
        place = MilvusPlace.read(address)
        if place.embedded and not Path(place.uri).exists():
            raise InputError(f"{place.uri} is not there; build it with `multihop index`.")
        calls = MilvusCalls(place, timeout=timeout, attempts=attempts)
        about = Notes(calls).read_about()
        if about is None:
            raise InputError(f"{place} is no collection that multihop has made; build one with `multihop index`.")
        if about.get("format") != FORMAT or about.get("analyzer") != DESCRIPTION:
            raise MismatchError(f"{place} was made by another version of multihop; build it anew under another name.")
        check_whole(calls, about)
        if about["retriever"] == "bm25":
            return cls(calls, about, None)
        return cls(calls, about, open_encoder_of(place, about, "build it anew under another name.", encoder))

    @property
    def fingerprint(self) -> str:
        """Stands for the corpus and the settings; by words it is `BM25`'s, which has the same scores."""
        if self._about["retriever"] == "bm25":
            names = ("analyzer", "k1", "b", "titles", "corpus")
            return index_fingerprint(BM25.kind, {name: self._about[name] for name in names})
        ranking = {name: self._about[name] for name in self._about.keys() - ENCODER_PLACE - _NO_RANKING}
        fused = {"constant": CONSTANT, "depth": DEPTH} if self._about["retriever"] == "hybrid" else {}
        return index_fingerprint(KIND, {**ranking, **fused})

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries.

        It waits for Milvus: call it in a thread, as `find` does, where an event loop runs.
        """
        check_search(queries, k)
        kind = self._about["retriever"]
        depth = max(k, DEPTH) if kind == "hybrid" else k
        rankings = []
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            block = queries[start : start + _QUERIES_AT_ONCE]
            by_words = self._by_words(block, depth) if kind != "dense" else []
            by_meaning = self._by_meaning(block, depth) if kind != "bm25" else []
            if kind == "hybrid":
                rankings += [fuse(*both)[:k] for both in zip(by_words, by_meaning, strict=True)]
            else:
                rankings += by_words or by_meaning
        return rankings

    def _by_words(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        about = self._about
        stems = [stems_of(query) for query in queries]
        asked = list(dict.fromkeys(stem for of in stems for stem in of))
        notes = {
            stem: note
            for stem, note in zip(asked, self._terms.get(asked, self._notes.of_terms), strict=True)
            if note is not None
        }
        terms = [[stem for stem in of if stem in notes] for of in stems]
        if about.get("changes") is None:
            places = [[term_place(notes[stem].number) for stem in of] for of in terms]
            vectors = [{place: float(of.count(place)) for place in of} for of in places]
            return [hits for hits, _ in self._nearest(WORDS, vectors, [n for n, of in enumerate(places) if of], k)]
        return self._weighed_anew(Weights(about), terms, notes, k)

    def _weighed_anew(
        self, weights: Weights, terms: list[list[str]], notes: Mapping[str, TermNote], k: int
    ) -> list[list[Hit]]:
        """Rankings by words of a corpus that has changed: of likely passages, which are scored here, from their texts.

        More of them are asked for until no other can be among the first `k`.
        """
        change = self._about["changes"]["number"]
        now = {stem: weights.now(note, change) for stem, note in notes.items()}
        weighed = [[(stem, now[stem]) for stem in of if now[stem]] for of in terms]
        vectors = []
        for of in weighed:
            vector: dict[int, float] = {}
            for stem, weight in of:
                place = term_place(notes[stem].number)
                vector[place] = vector.get(place, 0.0) + weight / weights.stored(notes[stem])
            vectors.append(vector)
        rankings: list[list[Hit]] = [[] for _ in terms]
        left, count = [number for number, of in enumerate(weighed) if of], 2 * k + 20
        while left:
            found = self._nearest(WORDS, vectors, left, count)
            for number in list(left):
                hits, places = found[number]
                scored = [hit._replace(score=float(weights.score(hit.passage, weighed[number]))) for hit in hits]
                order = sorted(range(len(hits)), key=lambda at: (-scored[at].score, places[at]))
                rankings[number] = [scored[at] for at in order[:k] if scored[at].score > 0]
                full = len(hits) == min(count, MOST) and count < MOST
                if not full or scored[order[k - 1]].score * weights.slack >= min(hit.score for hit in hits):
                    left.remove(number)
            count *= 4
        return rankings

    def _by_meaning(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        assert self._encoder is not None
        vectors = self._encoder.embed_queries(queries).tolist()
        asked = [number for number, query in enumerate(queries) if query.strip()]
        return [hits for hits, _ in self._nearest(MEANING, vectors, asked, k)]

    def _nearest(
        self, field: str, vectors: Sequence[Any], asked: Sequence[int], k: int
    ) -> list[tuple[list[Hit], list[int]]]:
        """A ranking for every vector, with the places of its hits; an empty one for those that are not asked for."""
        rankings: list[tuple[list[Hit], list[int]]] = [([], []) for _ in vectors]
        if asked:
            found = self._calls.ask(
                "search",
                self._calls.place.collection,
                data=[vectors[number] for number in asked],
                anns_field=field,
                limit=min(k, MOST),
                search_params={"metric_type": "IP", "params": {}},
                output_fields=list(TEXTS),
                filter=seen_filter(self._about),
            )
            for number, hits in zip(asked, found, strict=True):
                ordered = sorted(hits, key=lambda hit: (-hit["distance"], hit[PLACE]))
                rankings[number] = [_hit(hit) for hit in ordered], [hit[PLACE] for hit in ordered]
        return rankings

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        found = CollectionChanges(self._calls, self._about, self._encoder).find(list(ids))
        return {id_: passage for id_, (_, passage) in found.items()}

    def count(self) -> int:
        """The number of passages."""
        return len(self)

    def compact(self) -> None:
        """Nothing: what was removed is deleted at once, and Milvus merges its own files."""

    def reload(self) -> bool:
        """Take over what others have changed; returns True if they had."""
        before, about = self._about, self._notes.read_about()
        if about is None:
            raise InputError(f"{self._calls.place} is no longer there.")
        self._about = about
        self._terms.forget()
        return about != before

    def _change(self, ids: Iterable[str], added: list[Passage]) -> None:
        listed = check_ids(ids)
        self.reload()
        try:
            CollectionChanges(self._calls, self._about, self._encoder).change(listed, added)
        finally:
            self.reload()

    def __len__(self) -> int:
        """The number of passages."""
        passages: int = self._about["passages"]
        return passages

    def __deepcopy__(self, memo: dict[int, Any]) -> "Milvus":
        return self  # optimizers copy programs

    def __repr__(self) -> str:
        return f"Milvus({self._calls.place}, {len(self)} passages, {self._about['retriever']})"


def _describe(corpus: BM25, retriever: Ranks, encoder: TextEncoder | None) -> dict[str, Any]:
    """Everything that decides which passages a collection finds, and by which it is known to be whole."""
    about = {"format": FORMAT, "retriever": retriever, "passages": len(corpus), **corpus.settings, "terms": 0}
    about["length"] = about["stored_length"] = corpus.length
    about["stored_passages"] = len(corpus)
    if retriever != "dense":
        about["terms"] = len(corpus.stems)
    if encoder is not None:
        about |= {"encoder": encoder.embedding, **encoder.place}
    return about


def _hit(found: Mapping[str, Any]) -> Hit:
    texts = found["entity"]
    return Hit(Passage(texts["id"], texts["title"], texts["text"]), found["distance"])
