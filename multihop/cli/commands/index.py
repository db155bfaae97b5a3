"""`multihop index`: a corpus, indexed once, then opened in an instant, and passages that come and go."""

import time
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ... import encoder, retrieval
from ...base import InputError
from ...base.texts import clock, say_count
from ..data_options import FileOptions, tell_skipped
from ..output import print_line, tell_result
from ..process import LiveLine, importable_from_here, tell_user, working
from ..shared_options import AsJSON, AtMost, Quiet, Switch

READING = ("query_prefix", "passage_prefix")
"""Options for the use of a sentence encoder."""
OPTIONS = {
    "bm25": ("k1", "b"),
    "colbert": ("checkpoint", "bits"),
    "dense": ("encoder", *READING, "one_vector"),
    "hybrid": ("encoder", *READING, "one_vector"),
    "opensearch": ("k1", "b", "shards"),
}
"""Of each kind that is ours, the options that are not for all."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class BuildingOptions:
    """The options that are not for all kinds of index."""

    k1: float | None = None
    """For bm25: how fast repeated words stop counting; 1.2 by default."""
    b: float | None = None
    """For bm25: how much long paragraphs are marked down; 0.75 by default."""
    one_vector: Switch = False
    """For dense and hybrid: a vector for each passage, not for each of its sentences; a fourth of the room, and a
    little less is found. Other sentence encoders have one anyway."""
    encoder: str | None = None
    """For dense and hybrid: another encoder than the built-in one: the folder of one that
    `multihop train` wrote, or any sentence encoder (the extra [encoders]) by its folder or its name on the hub."""
    query_prefix: str | None = None
    """For such a sentence encoder: the text put before a query, such as "query: ", if its own files do not say it."""
    passage_prefix: str | None = None
    """For such a sentence encoder: the text put before a passage, such as "passage: "."""
    checkpoint: str | None = None
    """For colbert: the folder of a ColBERT checkpoint, or its name on the hub."""
    bits: Literal[1, 2, 4, 8] | None = None
    """For colbert: in how many bits each number of a vector is kept, 1, 2, 4 or 8; 4 by default, and with 2 the index
    is little more than half as large."""
    shards: AtMost = None
    """For OpenSearch: over how many parts it spreads the index; 1 by default."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by their names."""
        given = {each.name: getattr(self, each.name) for each in fields(BuildingOptions)}
        return {name: value for name, value in given.items() if value is not None and value is not False}

    def for_kind(self, kind: str) -> dict[str, Any]:
        """The options that were given, with the encoder opened; one that an index of this kind lacks is refused."""
        names, given = OPTIONS.get(kind, ()), self.given()
        for name in given:
            if name not in names:
                listed = ", ".join(f"--{each.replace('_', '-')}" for each in names)
                option = name.replace("_", "-")
                article = "an" if kind[0] in "aeiou" else "a"
                raise InputError(f"{article} {kind} index takes no --{option}; it takes {listed or 'no such option'}.")
        reading = {name: given.pop(name) for name in ("encoder", *READING) if name in given}
        if reading:
            given["encoder"] = encoder.open_encoder(reading.pop("encoder", None), **reading)
        return given


@dataclass(frozen=True, kw_only=True)
class IndexOptions(BuildingOptions):
    """The options of `index`."""

    to: str
    """The index folder to write; or the address of an index of OpenSearch to fill, as
    opensearch:https://HOST:9200/INDEX (the extra [opensearch]), ranked by bm25."""
    retriever: str = "bm25"
    """"bm25" ranks by words, and indexes thousands of passages a second; "dense" by the built-in encoder's vectors,
    20 to 60 passages of a hundred tokens a second on each core; "hybrid" fuses the two; "colbert" by a vector for
    every token; also one of an installed package, or MODULE:CLASS of your own, with `build(passages, folder=...)`
    and `load(folder)`."""
    titles: Annotated[bool, Parameter(negative="--no-titles")] = True
    """Index titles together with the text."""
    follow_links: Switch = False
    """Of a folder of documents, read files that are links, too, wherever they lead; never folders that are links."""
    files: FileOptions = FileOptions()
    json: AsJSON = False
    quiet: Quiet = False


def index_command(corpus: str, /, *, options: IndexOptions) -> None:
    """Build an index of a corpus: its words, its meaning, or both.

    Of a folder of documents only what changed is read and encoded anew, if the index was made of it before with the
    same options. A document that cannot be read, or takes more than 20 seconds for a page, is passed over, and tried
    again the next time.

    For example:

        multihop index docs --to indexes/docs
        multihop index corpus.jsonl.gz --to indexes/mine
        multihop index psgs_w100.tsv --to indexes/wiki --k1 0.9 --b 0.4
        multihop index corpus.jsonl.gz --retriever hybrid --to indexes/both
        multihop index corpus.jsonl.gz --retriever dense --encoder BAAI/bge-base-en-v1.5 --to indexes/bge
        multihop index corpus.jsonl.gz --retriever colbert --checkpoint colbert-ir/colbertv2.0 --to indexes/late
        multihop index mine.csv --field text=body --field id=pid --skip-bad 10 --to indexes/mine
        multihop index musique.corpus.jsonl.gz --no-titles --to indexes/musique
        multihop index psgs_w100.tsv --to opensearch:https://localhost:9200/wiki --shards 4
        multihop index add indexes/mine new.jsonl
        multihop index serve indexes/mine

    Parameters
    ----------
    corpus
        A folder of documents (.md, .txt, .html, .pdf, .docx, tables among them; hidden ones and links are left out), or
        one of them; "little"; a file of paragraphs (.jsonl, .json, .csv, .tsv, .parquet, text also .gz) with id, title
        and text, a folder of such files, a set on the hub, or questions that bring their own paragraphs.
    """
    from ...base.errors import hide_login
    from ...data.sources import is_documents
    from ...retrieval.following import KINDS

    told = dict[str, list[str]]()
    if options.retriever in KINDS and not retrieval.is_address(options.to) and is_documents(corpus):
        index, told = _follow(corpus, options)
    else:
        index = _build(corpus, options)
    to, count = hide_login(options.to), len(index) if isinstance(index, Sized) else None
    digits = retrieval.fingerprint(index)
    size = "the passages" if count is None else say_count(count, "passage")
    documents = "; documents: " * bool(told) + ", ".join(f"{len(names)} {what}" for what, names in told.items())
    tell_result(
        options.json,
        lambda: {"index": to, "passages": count, **told, "fingerprint": digits},
        lambda _: print_line(f"indexed {size} in {to} (fingerprint {digits}){documents}"),
    )


def _follow(documents: str, options: IndexOptions) -> tuple[Any, dict[str, list[str]]]:
    """The index of a folder of documents, in step with it, and the documents by what became of them."""
    from ...retrieval.following import follow
    from ...retrieval.named_retrievers import retriever_named

    building = options.for_kind(options.retriever) | {"titles": options.titles}
    made = options.given() | {"retriever": options.retriever, "titles": options.titles}
    progress = Indexing(None)
    with LiveLine(progress.line):
        done = follow(
            documents,
            options.to,
            retriever_named(options.retriever),
            building,
            made,
            follow_links=options.follow_links,
            tell=tell_user,
            progress=progress.watch,
        )
    if done.others:
        listed = ", ".join(done.others[:3]) + (", ..." if len(done.others) > 3 else "")
        tell_user(f"left out {say_count(len(done.others), 'file')} of other kinds or linked: {listed}")
    told = {"added": done.added, "changed": done.changed, "removed": done.removed}
    return done.retriever, told | ({"passed over": done.passed_over} if done.passed_over else {})


def _build(corpus: str, options: IndexOptions) -> Any:
    """The index, shown while it is built."""
    from ...retrieval.named_retrievers import RETRIEVERS, build_index, retriever_named
    from ...retrieval.open_search import build_open_search
    from ...retrieval.remote import Address

    to, retriever = options.to, options.retriever
    importable_from_here(retriever)
    kind = retriever_named(retriever)
    if retrieval.is_address(to) and (place := Address.read(to)).kind != "opensearch":
        raise InputError(f"{place} can only be searched; --to takes a folder or opensearch:https://HOST:9200/INDEX.")
    if retrieval.is_address(to) and retriever != "bm25":
        raise InputError(f"{place} ranks by bm25, not by {retriever}, which takes a folder.")
    building = options.for_kind("opensearch" if retrieval.is_address(to) else retriever)
    passages = options.files.passages(corpus)
    # Counting takes far less time than encoding, and finds what is wrong with the file before hours are spent on it.
    total = passages_in(passages, corpus) if retriever in ("colbert", "dense", "hybrid") else None
    progress = Indexing(total)
    building |= {"titles": options.titles, "progress": progress.watch}
    with LiveLine(progress.line):
        if retrieval.is_address(to):
            index: Any = build_open_search(passages, to, **building)
        elif retriever in RETRIEVERS:
            index = kind.build(passages, folder=to, **building)
        else:
            index = build_index(retriever, kind, passages, to)
    tell_skipped(passages)
    return index


def passages_in(passages: "Iterable[retrieval.Passage]", corpus: str) -> int | None:
    """The number of passages, or None where that is known only after all have come from the network or a pipe."""
    from ...data.little import is_little

    if not is_little(corpus) and not Path(corpus).exists():
        return None
    with working(f"counting the passages of {corpus}"):
        return sum(1 for _ in passages)


class Indexing:
    """The progress of an index as a line: passages done, how fast, and the time to go."""

    def __init__(self, total: int | None) -> None:
        """The total is None where it is not known."""
        self.total, self.done, self._began = total, 0, time.monotonic()

    def watch(self, done: int) -> None:
        """Take note of how many passages are done."""
        self.done = done

    def line(self) -> str:
        """The line to show."""
        seconds = time.monotonic() - self._began
        rate = self.done / seconds if seconds > 0 else 0.0
        of = "" if self.total is None else f" of {self.total:,}"
        left = "–" if self.total is None or not rate else clock(max(self.total - self.done, 0) / rate)
        return f"indexing: {self.done:,}{of} passages  {rate:,.0f}/s  {left} to go"


def add_command(
    index: str, /, *corpora: str, files: FileOptions = FileOptions(), json: AsJSON = False, quiet: Quiet = False
) -> None:
    """Add passages to an index, which is written anew with them.

    For example:

        multihop index add indexes/mine new.jsonl more.csv

    Parameters
    ----------
    index
        The index folder. Who searches it meanwhile finds what was there.
    corpora
        Files of paragraphs, or folders of them, as `multihop index` reads them. An id that is in the index already is
        refused, and nothing is added.
    """
    _change(index, lambda opened: opened.add(_passages(corpora, files)), json)


def remove_command(index: str, /, *ids: str, json: AsJSON = False, quiet: Quiet = False) -> None:
    """Remove passages from an index, which is written anew without them.

    For example:

        multihop index remove indexes/mine p17 p18

    Parameters
    ----------
    index
        The index folder, as for `add`.
    ids
        The ids of the passages; those in a file: `xargs multihop index remove indexes/mine < FILE`.
    """
    if not ids:
        raise InputError("name the ids of passages after the index.")
    _change(index, lambda opened: opened.remove(ids), json)


def update_command(
    index: str, /, *corpora: str, files: FileOptions = FileOptions(), json: AsJSON = False, quiet: Quiet = False
) -> None:
    """Replace the passages of an index that have the ids of new ones.

    For example:

        multihop index update indexes/mine corrected.jsonl

    Parameters
    ----------
    index
        The index folder, as for `add`.
    corpora
        Files of paragraphs, or folders of them, as `multihop index` reads them. An id that is not in the index is
        refused, and nothing is changed.
    """
    _change(index, lambda opened: opened.update(_passages(corpora, files)), json)


def _change(index: str, change: Callable[[Any], Any], as_json: bool) -> None:
    """Open the index, change it, and tell what it is now; one that follows documents would never be told of it."""
    from ...base.errors import hide_login
    from ...retrieval.corpus_index import CorpusIndex
    from ...retrieval.following import MEMORY

    if (Path(index) / MEMORY).is_file():
        raise InputError(f"{index} follows a folder of documents: change those, and index the folder again.")
    opened = None if retrieval.is_address(index) else retrieval.open_index(index)
    if not isinstance(opened, CorpusIndex):
        place = hide_login(index)
        raise InputError(f"{place} takes no changes: only folders of kind bm25, dense and hybrid do; rebuild it.")
    changed = change(opened)
    now, before, fingerprint = len(changed), len(opened), changed.fingerprint
    told = f"{index} has {say_count(now, 'passage')}, and had {before:,} (fingerprint {fingerprint})"
    value = {"index": index, "passages": now, "before": before, "fingerprint": fingerprint}
    tell_result(as_json, lambda: value, lambda _: print_line(told))


def _passages(corpora: tuple[str, ...], files: FileOptions) -> list[Any]:
    """The passages of some files, one after the other."""
    if not corpora:
        raise InputError("name a file of paragraphs after the index.")
    found = list[Any]()
    for corpus in corpora:
        passages = files.passages(corpus)
        found += passages
        tell_skipped(passages)
    return found
