"""The options that each kind of index takes."""

from typing import Any

from ...base import InputError

READING = ("pooling", "similarity", "query_prefix", "passage_prefix")
"""Options for the use of a sentence encoder."""
OPTIONS = {
    "bm25": ("k1", "b", "shards"),
    "colbert": ("checkpoint", "bits"),
    "dense": ("approximate", "encoder", *READING, "one_vector", "shards"),
    "hybrid": ("rerank", "approximate", "encoder", *READING, "one_vector", "shards"),
    "opensearch": ("k1", "b", "shards"),
    "milvus bm25": ("k1", "b"),
    "milvus dense": ("encoder", *READING),
    "milvus hybrid": ("encoder", *READING),
}
"""Of each kind that is ours, the options that are not for all."""


def chosen_options(kind: str, **options: Any) -> dict[str, Any]:
    """The options that were given, if an index of this kind takes them.

    Raises:
        InputError: It takes one of them not; the message says which it takes.
    """
    names = OPTIONS.get(kind, ())
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in names:
            listed = ", ".join(f"--{each.replace('_', '-')}" for each in names)
            option = name.replace("_", "-")
            article = "an" if kind[0] in "aeiou" else "a"
            raise InputError(f"{article} {kind} index takes no --{option}; it takes {listed or 'no such option'}.")
    return given


def with_encoder(options: dict[str, Any]) -> dict[str, Any]:
    """The options with the encoder that they name, opened, in the place of what they say of it."""
    from ...encoder import open_encoder

    said = {name: value for name, value in options.items() if name in ("encoder", *READING)}
    if not said:
        return options
    others = {name: value for name, value in options.items() if name not in said}
    return {**others, "encoder": open_encoder(said.pop("encoder", None), **said)}


def server_kind(address: str, retriever: str) -> str:
    """The kind of index that is made at an address.

    Raises:
        InputError: None is; or the server ranks in another way than was asked for.
    """
    from ...retrieval.servers.address import MILVUS, Address

    if address.startswith(MILVUS):
        if retriever not in ("bm25", "dense", "hybrid"):
            raise InputError(f"Milvus ranks by bm25, dense or hybrid; it takes no --retriever {retriever}.")
        return f"milvus {retriever}"
    place = Address.read(address)
    if place.kind not in ("opensearch", "elasticsearch"):
        raise InputError(
            f"{place} can only be searched; --to takes a folder, opensearch:https://HOST:9200/INDEX, or "
            "milvus:FILE.db#COLLECTION."
        )
    if retriever != "bm25":
        raise InputError(f"{place} ranks by its own BM25; leave out --retriever {retriever}.")
    return "opensearch"
