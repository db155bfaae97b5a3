import asyncio
import io
import json
import os

import pytest
from answering import answering

from multihop import InputError, OneStep, create, load, save
from multihop.optimize.saved_program import digest_of
from multihop.retrieval import BM25, Passage
from multihop.serve.catalogue import Catalogue, ProgramSource, Served
from multihop.serve.log import EventLog, Metrics
from multihop.serve.refusal import Refusal


@pytest.fixture
def saved(tmp_path):
    """A saved program, and a catalogue that serves it."""
    index = tmp_path / "index"
    retriever = BM25.build([Passage("1", "Po", "A river.")], folder=index)
    path = tmp_path / "one.json"
    save(OneStep(retriever, k=2), path, corpus=index)
    source = ProgramSource("one", lambda: Served(name="one", program=load(path), lm=answering()), path)
    return path, retriever, Catalogue([source])


def reload(catalogue):
    """The log and the counts after one look at the files."""
    stream, metrics = io.StringIO(), Metrics()
    asyncio.run(catalogue.reload(EventLog(stream), metrics))
    return [json.loads(line) for line in stream.getvalue().splitlines()], metrics.text()


def test_a_file_that_changed_is_taken_and_one_that_did_not_is_left(saved):
    path, retriever, catalogue = saved
    before = catalogue.get("one")
    assert reload(catalogue)[0] == []
    assert catalogue.get("one") is before
    save(OneStep(retriever, k=7), path, corpus=path.parent / "index")
    lines, counts = reload(catalogue)
    assert [(line["event"], line["program"]) for line in lines] == [("reloaded", "one")]
    assert 'multihop_reloads_total{program="one",result="taken"} 1.0' in counts
    assert (before.program.k, catalogue.get("one").program.k) == (2, 7)
    assert reload(catalogue)[0] == []


def test_a_file_that_cannot_be_used_changes_nothing_and_is_told_once(saved):
    path, _, catalogue = saved
    before, whole = catalogue.get("one"), path.read_bytes()
    path.write_bytes(whole.replace(b'"k": 2', b'"k": 3'))
    lines, counts = reload(catalogue)
    assert [line["event"] for line in lines] == ["not reloaded"]
    assert lines[0]["error"].endswith(
        "was changed after it was saved; save the program again instead of editing the file."
    )
    assert 'multihop_reloads_total{program="one",result="refused"} 1.0' in counts
    assert reload(catalogue)[0] == []
    path.unlink()
    assert reload(catalogue)[0] == []
    assert catalogue.get("one") is before
    path.write_bytes(whole)
    os.utime(path, ns=(1, 1))
    assert [line["event"] for line in reload(catalogue)[0]] == ["reloaded"]


def test_programs_are_found_by_name_and_the_first_is_meant_without_one():
    programs = {name: Served(name=name, program=create("direct", None), lm=answering()) for name in ("b", "a")}
    catalogue = Catalogue([ProgramSource(name, lambda name=name: programs[name]) for name in programs])
    assert [catalogue.get(None).name, catalogue.get("a").name, *(each.name for each in catalogue)] == [
        "b",
        "a",
        "b",
        "a",
    ]
    with pytest.raises(Refusal, match="unknown program 'c'") as caught:
        catalogue.get("c")
    assert caught.value.status == 404
    with pytest.raises(InputError, match="two programs are called 'a'"):
        Catalogue([ProgramSource("a", lambda: programs["a"])] * 2)


def test_a_program_whose_prompts_cannot_be_written_is_not_taken(saved):
    path, _, catalogue = saved
    before, content = catalogue.get("one"), json.loads(path.read_text())
    content["answer"]["signature"]["instructions"] = 5
    del content["metadata"]["multihop"]["digest"]
    content["metadata"]["multihop"]["digest"] = digest_of(content)
    path.write_text(json.dumps(content))
    lines, _ = reload(catalogue)
    assert [line["event"] for line in lines] == ["not reloaded"]
    assert "holds a state that DSPy cannot load" in lines[0]["error"]
    assert catalogue.get("one") is before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_a_pipe_in_the_place_of_a_file_is_not_opened(saved):
    path, _, catalogue = saved
    before = catalogue.get("one")
    path.unlink()
    os.mkfifo(path)
    assert reload(catalogue)[0] == []
    assert catalogue.get("one") is before
