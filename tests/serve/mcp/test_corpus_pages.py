import asyncio

import pytest
from small_corpus import ROWS
from toys import FakeRetriever, Steps, echo
from web_service import service_of

from multihop import OneStep, scripted
from multihop.retrieval import BM25, Passage, open_index
from multihop.serve.mcp.corpus_pages import CorpusPages
from multihop.serve.refusal import Refusal

CORPUS = [Passage(**row) for row in ROWS]


def pages_of(*retrievers):
    programs = {"steps": (Steps(), scripted(echo))}
    programs |= {f"p{number}": (OneStep(each), scripted(echo)) for number, each in enumerate(retrievers)}
    return CorpusPages(service_of(programs)[0])


class Around:
    """Searches by another retriever."""

    def __init__(self, retriever):
        self.retriever = retriever

    def search(self, queries, k):
        return self.retriever.search(queries, k)


@pytest.mark.parametrize("wrap", [lambda index: index, Around])
def test_any_passage_of_an_index_is_fetched_by_its_id(wrap):
    pages = pages_of(wrap(BM25.build(CORPUS)), FakeRetriever())

    async def main():
        found = await pages.search("Where is Torun?")
        return found, [await pages.fetch(passage.id) for passage in CORPUS]

    found, fetched = asyncio.run(main())
    assert found[0] == CORPUS[2]
    assert fetched == CORPUS
    with pytest.raises(Refusal, match="there is no passage with the id 'p9'; `search` gives the ids there are."):
        asyncio.run(pages.fetch("p9"))


def test_of_a_retriever_that_only_searches_what_was_found_is_fetched(monkeypatch):
    monkeypatch.setattr("multihop.serve.mcp.corpus_pages._REMEMBERED", 11)
    pages = pages_of(FakeRetriever())
    with pytest.raises(Refusal, match="there is no passage with the id 'one-0'; search for it again."):
        asyncio.run(pages.fetch("one-0"))
    asyncio.run(pages.search("one"))
    assert asyncio.run(pages.fetch("one-0")) == Passage("one-0", "About one", "text 0")
    asyncio.run(pages.search("two"))
    assert asyncio.run(pages.fetch("one-9")).text == "text 9"
    with pytest.raises(Refusal, match="search for it again"):
        asyncio.run(pages.fetch("one-8"))


def test_where_no_program_searches_there_are_no_pages():
    for asked in (lambda pages: pages.search("q"), lambda pages: pages.fetch("q")):
        with pytest.raises(Refusal, match=r"no program here searches anything\."):
            asyncio.run(asked(pages_of()))


def test_ids_stay_while_the_index_changes(tmp_path):
    BM25.build(CORPUS[:2], folder=tmp_path / "index")
    pages = pages_of(open_index(tmp_path / "index"))

    async def main():
        open_index(tmp_path / "index").add(CORPUS[2:])
        before = await pages.search("Vistula")
        await pages._service.look()
        return before, await pages.search("Vistula"), await pages.fetch("p1")

    assert asyncio.run(main()) == ([], [CORPUS[2]], CORPUS[0])
