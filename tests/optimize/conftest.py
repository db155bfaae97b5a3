import pytest

from multihop import BM25, Little


@pytest.fixture(scope="module")
def little():
    pages = list(Little().passages())
    return BM25.build(pages), list(Little().questions()), {page.id: page for page in pages}
