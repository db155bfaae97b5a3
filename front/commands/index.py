"""`multihop index`: a corpus, indexed once, then opened in an instant."""

from collections.abc import Sized
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from ..terminal.options import CorpusFields, SkipBad


def index_command(
    corpus: str,
    /,
    *,
    to: Path,
    retriever: str = "bm25",
    k1: float | None = None,
    b: float | None = None,
    titles: Annotated[bool, Parameter(negative="--no-titles")] = True,
    rerank: Annotated[int | None, Parameter(validator=Number(gte=0))] = None,
    weights: Path | None = None,
    field: CorpusFields = None,
    skip_bad: SkipBad = 0,
) -> None:
    """Build an index of a corpus: of its words, of its meaning, or of both.

    For example:

        multihop index corpus.jsonl.gz --to indexes/mine
        multihop index psgs_w100.tsv --to indexes/wiki --k1 0.9 --b 0.4
        multihop index corpus.jsonl.gz --retriever hybrid --rerank 20 --to indexes/both
        multihop index mine.csv --field text=body --field id=pid --skip-bad 10 --to indexes/mine
        multihop index musique.corpus.jsonl.gz --no-titles --to indexes/musique

    Parameters
    ----------
    corpus
        "world", a file of paragraphs (.jsonl, .json, .csv, .tsv, .parquet, text also .gz) with id, title and text, a
        folder of such files, a set on the hub, or questions that bring their own paragraphs.
    to
        The index folder to write.
    retriever
        "bm25" ranks by words, and indexes thousands of passages a second; "dense" by the built-in encoder's vectors,
        20 to 60 passages of a hundred tokens a second on each core; "hybrid" fuses the two; also one of an installed
        package, or MODULE:CLASS of your own, with `build(passages, folder=...)` and `load(folder)`.
    k1
        For bm25: how fast repeated words stop counting; 1.2 by default.
    b
        For bm25: how much long paragraphs are marked down; 0.75 by default.
    titles
        Index titles together with the text.
    rerank
        For hybrid: how many of the first hits the encoder reads again with the question; 0 by default.
    weights
        For dense and hybrid: the folder of an encoder of your own (`multihop train`).
    """
    from rich.console import Console

    from ..base import InputError
    from ..encoder import Encoder
    from ..retrieval import fingerprint
    from ..retrieval.named_retrievers import RETRIEVERS, build_index, retriever_named
    from ..terminal.indexing import Indexing, passages_in
    from ..terminal.inputs import Inputs, tell_skipped
    from ..terminal.own_code import importable_from_here

    importable_from_here(retriever)
    kind = retriever_named(retriever)
    all_options: dict[str, Any] = {"k1": k1, "b": b, "rerank": rerank, "weights": weights}
    names = {"bm25": ("k1", "b"), "dense": ("weights",), "hybrid": ("rerank", "weights")}.get(retriever, ())
    options = {name: value for name, value in all_options.items() if value is not None}
    for name in options:
        if name not in names:
            raise InputError(
                f"a {retriever} index takes no --{name}; "
                f"it takes {', '.join(f'--{each}' for each in names) or 'no such option'}."
            )
    if "weights" in options:
        options["encoder"] = Encoder.load(options.pop("weights"))
    passages = Inputs(field, skip_bad).passages(corpus)
    # Counting takes far less time than encoding, and finds what is wrong with the file before hours are spent on it.
    total = passages_in(passages, corpus) if retriever in ("dense", "hybrid") else None
    with Indexing(total) as progress:
        options |= {"titles": titles, "progress": progress.watch}
        index = (
            kind.build(passages, folder=to, **options)
            if retriever in RETRIEVERS
            else build_index(retriever, kind, passages, to)
        )
    tell_skipped(passages)
    size = f"{len(index):,} passages" if isinstance(index, Sized) else "the passages"
    Console().print(f"indexed {size} in {to} (fingerprint {fingerprint(index)})", soft_wrap=True, highlight=False)
