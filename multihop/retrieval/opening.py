"""Any index folder, opened as the retriever it was built for."""

import os

from .index_folder import read_manifest
from .named_retrievers import class_for_index
from .retriever import Index


def open_index(folder: str | os.PathLike[str]) -> Index:
    """The retriever in an index folder.

    Examples:
        >>> import tempfile
        >>> from multihop.retrieval import BM25, Passage, open_index
        >>> folder = tempfile.mkdtemp()
        >>> _ = BM25.build([Passage("p1", "Po", "A river in Italy.")], folder=folder)
        >>> open_index(folder).search(["Italian rivers"], k=1)[0][0].passage.id
        'p1'
    """
    folder = os.path.expanduser(folder)
    opened: Index = class_for_index(read_manifest(folder)["kind"], folder).load(folder)
    return opened
