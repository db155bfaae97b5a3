"""`multihop index`: a corpus, indexed once, then opened in an instant."""

from collections.abc import Sized
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.corpus import FileOptions
from ..options.single import AsJSON, Quiet


def index_command(
    corpus: str,
    /,
    *,
    to: str,
    retriever: str = "bm25",
    k1: float | None = None,
    b: float | None = None,
    titles: Annotated[bool, Parameter(negative="--no-titles")] = True,
    one_vector: Annotated[bool, Parameter(negative=())] = False,
    rerank: Annotated[int | None, Parameter(validator=Number(gte=0))] = None,
    approximate: Literal["hnsw", "ivf-pq"] | None = None,
    encoder: str | None = None,
    checkpoint: str | None = None,
    bits: Literal[1, 2, 4, 8] | None = None,
    pooling: str | None = None,
    similarity: str | None = None,
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
    shards: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    files: FileOptions = FileOptions(),
    ray: str | None = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Build an index of a corpus: of its words, of its meaning, or of both.

    For example:

        multihop index corpus.jsonl.gz --to indexes/mine
        multihop index psgs_w100.tsv --to indexes/wiki --k1 0.9 --b 0.4
        multihop index corpus.jsonl.gz --retriever hybrid --rerank 20 --to indexes/both
        multihop index corpus.jsonl.gz --retriever dense --encoder BAAI/bge-base-en-v1.5 --to indexes/bge
        multihop index corpus.jsonl.gz --retriever colbert --checkpoint colbert-ir/colbertv2.0 --to indexes/late
        multihop index mine.csv --field text=body --field id=pid --skip-bad 10 --to indexes/mine
        multihop index musique.corpus.jsonl.gz --no-titles --to indexes/musique
        multihop index psgs_w100.tsv --to opensearch:https://localhost:9200/wiki --shards 4
        multihop index corpus.jsonl.gz --shards 4 --to indexes/parts

    Parameters
    ----------
    corpus
        "world", a file of paragraphs (.jsonl, .json, .csv, .tsv, .parquet, text also .gz) with id, title and text, a
        folder of such files, a set on the hub, or questions that bring their own paragraphs.
    to
        The index folder to write; or the address of an index of OpenSearch or Elasticsearch to fill, as
        opensearch:https://HOST:9200/INDEX; or a collection of Milvus, as milvus:FILE.db#COLLECTION in a file (the extra
        [milvus]) or milvus:https://HOST:19530#COLLECTION in a cluster, with its key in MILVUS_TOKEN. Both may be done
        again after they were interrupted.
    retriever
        "bm25" ranks by words, and indexes thousands of passages a second; "dense" by the built-in encoder's vectors,
        20 to 60 passages of a hundred tokens a second on each core; "hybrid" fuses the two; "colbert" by a vector for
        every token; also one of an installed package, or MODULE:CLASS of your own, with `build(passages, folder=...)`
        and `load(folder)`.
    k1
        For bm25: how fast repeated words stop counting; 1.2 by default.
    b
        For bm25: how much long paragraphs are marked down; 0.75 by default.
    titles
        Index titles together with the text.
    one_vector
        For dense and hybrid: a vector for each passage, not for each of its sentences; a fourth of the room, and a
        little less is found. Other sentence encoders, and Milvus, have one anyway.
    rerank
        For hybrid: how many of the first hits the encoder reads again with the question; 0 by default.
    approximate
        For dense and hybrid, and millions of passages: compare a query with likely candidates alone, found by FAISS
        (the extra [faiss]) in a graph ("hnsw") or, with less memory, in lists ("ivf-pq").
    encoder
        For dense and hybrid: what makes the vectors in the place of the built-in encoder: the folder of one that
        `multihop train` wrote, or any sentence encoder by its folder or its name on the hub.
    pooling
        For such a sentence encoder: "mean", "cls", "max" or "last", where it is not to be what its own files say.
    similarity
        The same: "cosine" or "dot".
    query_prefix
        The same: what is put before a query, such as "query: ".
    passage_prefix
        The same: what is put before a passage, such as "passage: ".
    checkpoint
        For colbert: the folder of a ColBERT checkpoint, or its name on the hub.
    bits
        For colbert: in how many bits each number of a vector is kept, 1, 2, 4 or 8; 4 by default, and with 2 the index
        is little more than half as large.
    shards
        For OpenSearch and Elasticsearch: over how many parts the index is spread; 1 by default. For bm25, dense and
        hybrid: build the folder in so many parts, which rank as the whole does and can be searched on a Ray cluster;
        with --ray one for each CPU of the cluster by default.
    ray
        The address of a Ray cluster whose nodes share the work (the extra [ray]): HOST:PORT of its head node, or "auto"
        for the one that runs on this machine.
    """
    from rich.console import Console

    from ...base.plurals import say_count
    from ...retrieval import Milvus, fingerprint, is_address
    from ...retrieval.named_retrievers import RETRIEVERS, build_index, retriever_named
    from ...retrieval.servers.address import hide_login
    from ...retrieval.servers.open_search_building import build_open_search
    from ..opening.indexing import Indexing, build_in_shards, passages_in
    from ..opening.inputs import tell_skipped
    from ..opening.own_code import importable_from_here
    from ..options.index_options import chosen_options, server_kind, with_encoder
    from ..showing.as_json import print_json

    importable_from_here(retriever)
    name = server_kind(to, retriever) if is_address(to) else retriever
    kind = retriever_named(retriever)
    given = {"k1": k1, "b": b, "rerank": rerank, "checkpoint": checkpoint, "bits": bits, "shards": shards}
    given["one_vector"] = one_vector or None
    reading = {
        "pooling": pooling,
        "similarity": similarity,
        "query_prefix": query_prefix,
        "passage_prefix": passage_prefix,
    }
    reading |= {"approximate": approximate, "encoder": encoder}
    options = with_encoder(chosen_options(name, **given, **reading))
    passages = files.inputs().passages(corpus)
    # Counting takes far less time than encoding, and finds what is wrong with the file before hours are spent on it.
    total = passages_in(passages, corpus) if retriever in ("colbert", "dense", "hybrid") else None
    with Indexing(total) as progress:
        options |= {"titles": titles, "progress": progress.watch}
        if ray is not None or (shards is not None and not is_address(to)):
            index: Any = build_in_shards(passages, to, retriever, ray=ray, **options)
        elif name.startswith("milvus "):
            options |= {"retriever": retriever}
            index = Milvus.build(passages, to, **options)
        elif is_address(to):
            index = build_open_search(passages, to, **options)
        elif retriever in RETRIEVERS:
            index = kind.build(passages, folder=to, **options)
        else:
            index = build_index(retriever, kind, passages, to)
    tell_skipped(passages)
    if json:
        count = len(index) if isinstance(index, Sized) else None
        print_json({"index": hide_login(to), "passages": count, "fingerprint": fingerprint(index)})
        return
    size = say_count(len(index), "passage") if isinstance(index, Sized) else "the passages"
    Console().print(
        f"indexed {size} in {hide_login(to)} (fingerprint {fingerprint(index)})", soft_wrap=True, highlight=False
    )
