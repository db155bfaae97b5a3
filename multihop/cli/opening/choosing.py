"""The corpus that a method is chosen for: how many passages, and what searches an index."""

from typing import TYPE_CHECKING

from .inputs import tell_skipped

if TYPE_CHECKING:
    from .inputs import Inputs


def count_passages(corpus: str, inputs: "Inputs") -> int | None:
    """The passages of a corpus, told by an index's own file or else counted; None for a server, which does not tell."""
    from ...retrieval import is_address, is_index
    from ...retrieval.index_folder import read_manifest

    if is_address(corpus):
        return None
    if is_index(corpus) and isinstance(known := read_manifest(corpus).get("passages"), int):
        return known
    passages = inputs.passages(corpus)
    count = sum(1 for _ in passages)
    tell_skipped(passages)
    return count


def kind_of_index(corpus: str) -> str | None:
    """The kind of an index folder, if it is one whose rows were measured; else None."""
    from ...experiments.choosing.measured import measured_rows
    from ...retrieval import is_index
    from ...retrieval.index_folder import read_manifest

    if not is_index(corpus):
        return None
    kind = str(read_manifest(corpus)["kind"])
    return kind if any(row.retriever == kind for row in measured_rows()) else None
