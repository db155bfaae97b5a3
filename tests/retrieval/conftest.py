import pytest
from small_corpus import ROWS
from tiny_colbert import write_tiny_colbert

from multihop.retrieval import ColBERT, Passage


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    return write_tiny_colbert(tmp_path_factory.mktemp("checkpoint") / "tiny")


@pytest.fixture(scope="session")
def colbert_folder(checkpoint, tmp_path_factory):
    """An index of ColBERT of three passages, to look at and not to change."""
    folder = tmp_path_factory.mktemp("late") / "index"
    ColBERT.build([Passage(**row) for row in ROWS], checkpoint=checkpoint, folder=folder)
    return folder
