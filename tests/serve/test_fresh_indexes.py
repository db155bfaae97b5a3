"""Programs by name, and indexes that others change while a server searches them."""

import asyncio
import io
import json

import dspy
import pytest
from answering import answering
from toys import FakeRetriever

from multihop import OneStep, Program, create
from multihop.retrieval import BM25, Passage, open_index
from multihop.serve.catalogue import Catalogue, Served, looking
from multihop.serve.operation import EventLog
from multihop.serve.replies import Refusal
from multihop.serve.service import IndexService, RetrieveRequest, Service

OLD, NEW = Passage("1", "Po", "The Po is a river."), Passage("2", "Inn", "The Inn is a river.")


@pytest.fixture
def folder(tmp_path):
    BM25.build([OLD], folder=tmp_path / "index")
    return tmp_path / "index"


def catalogue_of(**programs):
    return Catalogue([Served(name=name, program=program, lm=answering()) for name, program in programs.items()])


def lines_of(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def look(catalogue):
    """The log after one look."""
    stream = io.StringIO()
    asyncio.run(catalogue.look(EventLog(stream)))
    return lines_of(stream)


def test_a_question_sees_one_state_of_the_index_and_the_next_one_the_new(folder):
    log = io.StringIO()

    async def main():
        begun, over = asyncio.Event(), asyncio.Event()

        class TwoHops(Program):
            """Finds rivers twice, with a pause between."""

            async def aforward(self, question):
                first = await self.find("river", 5)
                begun.set()
                await over.wait()
                found = (first, await self.find("river", 5))
                names = ["".join(sorted(hit.passage.id for hit in hits)) for hits in found]
                return dspy.Prediction(answer=" ".join(names))

        catalogue = catalogue_of(hops=TwoHops(open_index(folder)))
        service = Service(catalogue, log=EventLog(log))
        early = asyncio.create_task(service.ask(catalogue.get("hops"), "q"))
        await begun.wait()
        open_index(folder).add([NEW])
        await service.look()
        late = asyncio.create_task(service.ask(catalogue.get("hops"), "q"))
        over.set()
        return [(await each)["answer"] for each in (early, late)]

    assert asyncio.run(main()) == ["1 1", "12 12"]
    told = [(line["name"], line["passages"]) for line in lines_of(log) if line["event"] == "index reloaded"]
    assert told == [("hops", 2)]


def test_programs_that_share_an_index_share_the_new_one(folder):
    index = open_index(folder)
    outer = OneStep(index)
    outer.inner = OneStep(index)  # a program that has another one search
    programs = {"a": OneStep(index), "b": OneStep(index, k=2), "outer": outer}
    catalogue = catalogue_of(**programs, other=OneStep(FakeRetriever()))
    before = catalogue.get("other")
    open_index(folder).add([NEW])
    lines = look(catalogue)
    assert [(line["event"], line["name"]) for line in lines] == [("index reloaded", "a, b, outer")]
    newest = catalogue.get("a").program.retriever
    assert (len(index), len(newest)) == (1, 2)
    assert catalogue.get("b").program.retriever is newest
    assert catalogue.get("outer").program.inner.retriever is newest
    assert (catalogue.get("b").program.k, catalogue.get("other")) == (2, before)
    assert look(catalogue) == []


def test_a_server_of_an_index_searches_what_is_there_now(folder):
    async def main():
        service = IndexService(open_index(folder), log=EventLog(io.StringIO()))
        counts = []
        async with looking(0.01, service.look):
            for _ in range(2):
                found = await service.find(service.retriever, RetrieveRequest(queries=["river"]))
                counts.append((service.health()["passages"], len(found[0])))
                open_index(folder).exchange([], [NEW] if len(counts) == 1 else [])
                while service.health()["passages"] == 1:
                    await asyncio.sleep(0.001)
        return counts

    assert asyncio.run(asyncio.wait_for(main(), 60)) == [(1, 1), (2, 2)]


def test_programs_are_found_by_name_and_the_first_is_meant_without_one():
    catalogue = catalogue_of(b=create("direct", None), a=create("direct", None))
    assert [catalogue.get(None).name, catalogue.get("a").name] == ["b", "a"]
    with pytest.raises(Refusal, match="unknown program 'c'") as caught:
        catalogue.get("c")
    assert caught.value.status == 404
