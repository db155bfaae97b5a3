"""`multihop index`: a corpus, indexed once, then opened in an instant."""

from collections.abc import Sized
from typing import Annotated, Any, cast

from cyclopts import Parameter

from ..options.corpus import FileOptions
from ..options.index_options import IndexOptions, server_kind
from ..options.single import AsJSON, Quiet


def index_command(
    corpus: str,
    /,
    *,
    to: str,
    retriever: str = "bm25",
    titles: Annotated[bool, Parameter(negative="--no-titles")] = True,
    options: IndexOptions = IndexOptions(),
    files: FileOptions = FileOptions(),
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Build an index of a corpus: its words, its meaning, or both.

    For example:

        multihop index corpus.jsonl.gz --to indexes/mine
        multihop index psgs_w100.tsv --to indexes/wiki --k1 0.9 --b 0.4
        multihop index corpus.jsonl.gz --retriever hybrid --rerank 20 --to indexes/both
        multihop index corpus.jsonl.gz --retriever dense --encoder BAAI/bge-base-en-v1.5 --to indexes/bge
        multihop index corpus.jsonl.gz --retriever colbert --checkpoint colbert-ir/colbertv2.0 --to indexes/late
        multihop index mine.csv --field text=body --field id=pid --skip-bad 10 --to indexes/mine
        multihop index musique.corpus.jsonl.gz --no-titles --to indexes/musique
        multihop index psgs_w100.tsv --to opensearch:https://localhost:9200/wiki --shards 4
        multihop index add indexes/mine new.jsonl

    Parameters
    ----------
    corpus
        "little", a file of paragraphs (.jsonl, .json, .csv, .tsv, .parquet, text also .gz) with id, title and
        text, a folder of such files, a set on the hub, or questions that bring their own paragraphs.
    to
        The index folder to write; or the address of an index of OpenSearch to fill, as
        opensearch:https://HOST:9200/INDEX (the extra [opensearch]), ranked by bm25, dense or hybrid.
    retriever
        "bm25" ranks by words, and indexes thousands of passages a second; "dense" by the built-in encoder's vectors,
        20 to 60 passages of a hundred tokens a second on each core; "hybrid" fuses the two; "colbert" by a vector for
        every token; also one of an installed package, or MODULE:CLASS of your own, with `build(passages, folder=...)`
        and `load(folder)`.
    titles
        Index titles together with the text.
    """
    from ...base.texts import say_count
    from ...retrieval import fingerprint, is_address
    from ...retrieval.named_retrievers import RETRIEVERS, build_index, retriever_named
    from ...retrieval.open_search import build_open_search
    from ...retrieval.remote import hide_login
    from ..opening.indexing import Indexing, passages_in
    from ..opening.inputs import tell_skipped
    from ..opening.this_process import importable_from_here
    from ..showing.output import print_json, print_line

    importable_from_here(retriever)
    name = server_kind(to, retriever) if is_address(to) else retriever
    kind = retriever_named(retriever)
    building = options.for_kind(name)
    passages = files.inputs().passages(corpus)
    # Counting takes far less time than encoding, and finds what is wrong with the file before hours are spent on it.
    total = passages_in(passages, corpus) if retriever in ("colbert", "dense", "hybrid") else None
    with Indexing(total) as progress:
        building |= {"titles": titles, "progress": progress.watch}
        if is_address(to):
            index: Any = build_open_search(passages, to, ranked_by=cast(Any, retriever), **building)
        elif retriever in RETRIEVERS:
            index = kind.build(passages, folder=to, **building)
        else:
            index = build_index(retriever, kind, passages, to)
    tell_skipped(passages)
    if json:
        count = len(index) if isinstance(index, Sized) else None
        print_json({"index": hide_login(to), "passages": count, "fingerprint": fingerprint(index)})
        return
    size = say_count(len(index), "passage") if isinstance(index, Sized) else "the passages"
    print_line(f"indexed {size} in {hide_login(to)} (fingerprint {fingerprint(index)})")
