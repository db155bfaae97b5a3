"""`multihop index`: a corpus, indexed once and opened in an instant ever after."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from pydantic import Field

Kind = Literal["bm25", "dense", "hybrid"]


def index(
    corpus: str,
    /,
    *,
    to: Path,
    retriever: Kind = "bm25",
    k1: float | None = None,
    b: float | None = None,
    titles: Annotated[bool, Parameter(negative="--no-titles")] = True,
    rerank: Annotated[int | None, Field(ge=0)] = None,
    weights: Path | None = None,
) -> None:
    """Build an index of a corpus: of its words, of its meaning, or of both.

    For example:

        multihop index corpus.jsonl.gz --to indexes/mine
        multihop index psgs_w100.tsv --to indexes/wiki --k1 0.9 --b 0.4
        multihop index corpus.jsonl.gz --retriever hybrid --rerank 20 --to indexes/both
        multihop index musique.corpus.jsonl.gz --no-titles --to indexes/musique

    Parameters
    ----------
    corpus
        "world", or a file of paragraphs (.jsonl, .tsv, .parquet, also .gz) with id, title and text.
    to
        The index folder to write.
    retriever
        "bm25" ranks by words; "dense" by the built-in encoder's vectors, some hundred passages a second to encode;
        "hybrid" fuses the two.
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

    from ..data import open_corpus
    from ..encoder import Encoder
    from ..errors import InputError
    from ..retrieval import BM25, Dense, Hybrid
    from .sources import counting

    kinds: dict[str, Any] = {"bm25": BM25, "dense": Dense, "hybrid": Hybrid}
    given: dict[str, Any] = {"k1": k1, "b": b, "rerank": rerank, "weights": weights}
    taken = {"bm25": ("k1", "b"), "dense": ("weights",), "hybrid": ("rerank", "weights")}[retriever]
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in taken:
            raise InputError(
                f"a {retriever} index takes no --{name}; it takes {', '.join(f'--{each}' for each in taken)}."
            )
    if "weights" in options:
        options["encoder"] = Encoder.load(options.pop("weights"))
    with counting("indexing", open_corpus(corpus)) as passages:
        made = kinds[retriever].build(passages, titles=titles, folder=to, **options)
    Console().print(
        f"indexed {len(made):,} passages in {to} (fingerprint {made.fingerprint})", soft_wrap=True, highlight=False
    )
