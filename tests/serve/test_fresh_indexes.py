"""Programs by name, and indexes that others change while a server searches them."""

import asyncio
import io
import json
import shutil
import sys

import dspy
import pytest
import ujson
from answering import answering
from toys import FakeRetriever

from multihop import InputError, OneStep, Program, create
from multihop.retrieval import BM25, Passage, open_index
from multihop.serve.catalogue import Catalogue, Served, looking, newest_of
from multihop.serve.operation import EventLog
from multihop.serve.replies import Refusal
from multihop.serve.service import IndexService, RetrieveRequest, Service

OLD, NEW = Passage("1", "Po", "The Po is a river."), Passage("2", "Inn", "The Inn is a river.")
ASKED = RetrieveRequest(queries=["river"])


@pytest.fixture
def folder(tmp_path):
    BM25.build([OLD], folder=tmp_path / "index")
    return tmp_path / "index"


def catalogue_of(**programs):
    return Catalogue([Served(name=name, program=program, lm=answering()) for name, program in programs.items()])


def look(catalogue):
    """The log after one look."""
    stream = io.StringIO()
    asyncio.run(catalogue.look(EventLog(stream)))
    return [json.loads(line) for line in stream.getvalue().splitlines()]


class Pause:
    """A pause that all copies of a program share."""

    def __init__(self):
        self.begun, self.over = asyncio.Event(), asyncio.Event()

    async def wait(self):
        self.begun.set()
        await self.over.wait()

    def __deepcopy__(self, memo):
        return self


class TwoHops(Program):
    """Finds rivers twice, with a pause between."""

    def __init__(self, retriever, pause, **limits):
        super().__init__(retriever, **limits)
        self.pause = pause

    async def aforward(self, question):
        first = await self.find("river", 5)
        await self.pause.wait()
        found = (first, await self.find("river", 5))
        return dspy.Prediction(answer=" ".join("".join(sorted(hit.passage.id for hit in hits)) for hits in found))


class Outer(Program):
    """Has another program search."""

    retrieves = True

    def __init__(self, retriever, **limits):
        super().__init__(retriever, **limits)
        self.inner = OneStep(retriever)

    async def aforward(self, question):
        return await self.inner.acall(question=question)


def test_a_question_sees_one_state_of_the_index_and_the_next_one_the_new(folder):
    async def main():
        pause, log = Pause(), io.StringIO()
        catalogue = catalogue_of(hops=TwoHops(open_index(folder), pause))
        service = Service(catalogue, log=EventLog(log))
        early = asyncio.create_task(service.ask(catalogue.get("hops"), "q"))
        await pause.begun.wait()
        open_index(folder).add([NEW])
        await service.look()
        late = asyncio.create_task(service.ask(catalogue.get("hops"), "q"))
        pause.over.set()
        answers = [(await each)["answer"] for each in (early, late)]
        return answers, [json.loads(line) for line in log.getvalue().splitlines()]

    answers, lines = asyncio.run(main())
    assert answers == ["1 1", "12 12"]
    assert [(line["name"], line["passages"]) for line in lines if line["event"] == "index reloaded"] == [("hops", 2)]


def test_programs_that_share_an_index_share_the_new_one(folder):
    index = open_index(folder)
    programs = {"a": OneStep(index), "b": OneStep(index, k=2), "outer": Outer(index)}
    catalogue = catalogue_of(**programs, other=OneStep(FakeRetriever()))
    before = catalogue.get("other")
    assert look(catalogue) == []
    open_index(folder).add([NEW])
    lines = look(catalogue)
    assert [(line["event"], line["name"]) for line in lines] == [("index reloaded", "a, b, outer")]
    newest = catalogue.get("a").program.retriever
    assert (len(index), len(newest)) == (1, 2)
    assert catalogue.get("b").program.retriever is newest
    assert catalogue.get("outer").program.inner.retriever is newest
    assert (catalogue.get("b").program.k, catalogue.get("other")) == (2, before)
    assert look(catalogue) == []


def test_an_index_that_cannot_be_used_changes_nothing_and_is_told(folder):
    catalogue = catalogue_of(a=OneStep(open_index(folder)))
    before, away = catalogue.get("a"), folder.with_name("away")
    folder.rename(away)
    lines = look(catalogue)
    assert [(line["event"], line["name"]) for line in lines] == [("index not reloaded", "a")]
    assert "is not an index" in lines[0]["error"]
    assert catalogue.get("a") is before
    BM25.build([NEW], titles=False, folder=folder)
    lines = look(catalogue)
    assert "now holds an index with other settings" in lines[0]["error"]
    shutil.rmtree(folder)
    open_index(away).add([NEW])
    away.rename(folder)
    assert [line["event"] for line in look(catalogue)] == ["index reloaded"]


@pytest.mark.seconds
def test_a_change_by_another_process_is_seen(folder, tmp_path):
    (tmp_path / "more.jsonl").write_text(ujson.dumps(NEW._asdict()) + "\n")

    async def main():
        service = Service(catalogue_of(a=OneStep(open_index(folder))), log=EventLog(io.StringIO()))
        async with looking(0.01, service.look):
            command = ["-m", "multihop", "index", "add", str(folder), str(tmp_path / "more.jsonl")]
            assert await (await asyncio.create_subprocess_exec(sys.executable, *command)).wait() == 0
            while len(service.catalogue.get("a").program.retriever) == 1:
                await asyncio.sleep(0.01)
        return await service.retrieve(service.catalogue.get("a"), ASKED)

    (hits,) = asyncio.run(asyncio.wait_for(main(), 60))
    assert sorted(hit.passage for hit in hits) == [OLD, NEW]


def test_a_server_of_an_index_searches_what_is_there_now(folder):
    async def main():
        service = IndexService(open_index(folder), log=EventLog(io.StringIO()))
        counts = []
        for _ in range(2):
            counts.append((service.health()["passages"], len((await service.search(ASKED))[0])))
            open_index(folder).exchange([], [NEW] if len(counts) == 1 else [])
            await service.look()
        return counts

    assert asyncio.run(main()) == [(1, 1), (2, 2)]


def test_programs_are_found_by_name_and_the_first_is_meant_without_one():
    catalogue = catalogue_of(b=create("direct", None), a=create("direct", None))
    names = [catalogue.get(None).name, catalogue.get("a").name, *(each.name for each in catalogue)]
    assert names == ["b", "a", "b", "a"]
    with pytest.raises(Refusal, match="unknown program 'c'") as caught:
        catalogue.get("c")
    assert caught.value.status == 404
    with pytest.raises(InputError, match="two programs are called 'a'"):
        Catalogue([catalogue.get("a")] * 2)


def test_nothing_is_looked_at_where_nobody_wants_it():
    async def main():
        looked = []

        async def note():
            looked.append(1)

        async with looking(0.0, note):
            await asyncio.sleep(0)
        retriever = FakeRetriever()
        return looked, await newest_of(retriever, "a", EventLog(io.StringIO())) is retriever

    assert asyncio.run(main()) == ([], True)
