"""The options that each kind of index takes."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ...base import InputError
from .amounts import AtMost

READING = ("query_prefix", "passage_prefix")
"""Options for the use of a sentence encoder."""
OPTIONS = {
    "bm25": ("k1", "b"),
    "colbert": ("checkpoint", "bits"),
    "dense": ("encoder", *READING, "one_vector"),
    "hybrid": ("rerank", "encoder", *READING, "one_vector"),
    "opensearch": ("k1", "b", "shards"),
}
"""Of each kind that is ours, the options that are not for all."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """The options that are not for all kinds of index."""

    k1: float | None = None
    """For bm25: how fast repeated words stop counting; 1.2 by default."""
    b: float | None = None
    """For bm25: how much long paragraphs are marked down; 0.75 by default."""
    one_vector: Annotated[bool, Parameter(negative=())] = False
    """For dense and hybrid: a vector for each passage, not for each of its sentences; a fourth of the room, and a
    little less is found. Other sentence encoders have one anyway."""
    rerank: Annotated[int | None, Parameter(validator=Number(gte=0))] = None
    """For hybrid: how many of the first hits the encoder reads again with the question; 0 by default."""
    encoder: str | None = None
    """For dense and hybrid: what makes the vectors in the place of the built-in encoder: the folder of one that
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

    def for_kind(self, kind: str) -> dict[str, Any]:
        """The options that were given, with the encoder opened in the place of what they say of it.

        Raises:
            InputError: An index of this kind takes one of them not; the message says which it takes.
        """
        from ...encoder import open_encoder

        names = OPTIONS.get(kind, ())
        given = {name: value for name, value in asdict(self).items() if value is not None and value is not False}
        for name in given:
            if name not in names:
                listed = ", ".join(f"--{each.replace('_', '-')}" for each in names)
                option = name.replace("_", "-")
                article = "an" if kind[0] in "aeiou" else "a"
                raise InputError(f"{article} {kind} index takes no --{option}; it takes {listed or 'no such option'}.")
        reading = {name: given.pop(name) for name in ("encoder", *READING) if name in given}
        if reading:
            given["encoder"] = open_encoder(reading.pop("encoder", None), **reading)
        return given


def server_kind(address: str, retriever: str) -> str:
    """The kind of index that is made at an address.

    Raises:
        InputError: None is, or the server has no such ranking.
    """
    from ...retrieval.remote import Address

    place = Address.read(address)
    if place.kind != "opensearch":
        raise InputError(f"{place} can only be searched; --to takes a folder or opensearch:https://HOST:9200/INDEX.")
    if retriever not in ("bm25", "dense", "hybrid"):
        raise InputError(f"{place} ranks by bm25, dense or hybrid, not by {retriever}.")
    return "opensearch"
