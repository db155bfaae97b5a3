"""Who builds an application: a question, a program in a process, servers, agents, documents."""

import asyncio
import json
import shutil
import sys

import dspy
import pytest
from contract.commands import LIMIT, LITTLE, served, wait_for

from multihop import (
    BM25,
    Budget,
    Little,
    MismatchError,
    OneStep,
    TreeOfReviews,
    load,
    local,
    open_index,
    save,
    scripted,
)

QUESTION = "Which river flows through the city where Albert Einstein was born?"
BORN = "Where was Albert Einstein born?"


@pytest.fixture
def retriever():
    return BM25.build(Little().passages())


@pytest.fixture
def one(here, multihop):
    """A saved program, whose file names its index."""
    multihop("index", "little", "--to", "pages")
    save(OneStep(open_index("pages")), "one.json", corpus="pages")
    return "one.json"


def test_ask_answers_with_its_pages_and_its_cost(multihop):
    said = multihop("ask", QUESTION, "-p", "tor", *LITTLE)
    assert "Danube" in said.out
    assert "Albert Einstein" in said.out
    assert "Ulm" in said.out
    told = multihop("ask", QUESTION, "-p", "tor", *LITTLE, "--json").json
    assert told["answer"] == "Danube"
    assert [page["title"] for page in told["passages"]] == ["Albert Einstein", "Ulm"]
    assert told["cost"]["calls"] == sum(count(step) for step in told["trajectory"]) > 1
    assert told["over_budget"] is False


def count(step):
    """LM calls of a step and of the branches in it."""
    if step["step"] == "branches":
        return sum(count(inner) for branch in step["branches"] for inner in branch)
    return int("outputs" in step and step["step"] not in ("stop",))


def test_the_ten_lines_of_python(retriever):
    program = TreeOfReviews(retriever)
    with dspy.context(lm=local()):
        prediction = program(question=QUESTION)
    assert prediction.answer == "Danube"
    assert [passage.title for passage in prediction.passages] == ["Albert Einstein", "Ulm"]
    assert (prediction.over_budget, prediction.cost["calls"] > 1) == (False, True)


def test_many_questions_at_once_and_steps_as_they_are_taken(retriever):
    program = OneStep(retriever, k=2)
    answering = scripted(lambda prompt: {"answer": prompt.inputs["question"][::-1]})

    async def both():
        answers = await asyncio.gather(*(program.acall(question=f"word{i}?") for i in range(20)))
        seen = [item async for item in program.stream(BORN)]
        return [prediction.answer for prediction in answers], seen

    with dspy.context(lm=answering):
        answers, seen = asyncio.run(both())
    assert answers == [f"word{i}?"[::-1] for i in range(20)]
    assert [item["step"] for item in seen[:-1]] == ["find", "answer"]
    assert seen[-1].answer == BORN[::-1]


def test_a_budget_ends_the_search_and_what_was_found_is_read(retriever):
    for calls in (1, 2, 5):
        program = TreeOfReviews(retriever, budget=Budget(calls=calls))
        with dspy.context(lm=local()):
            prediction = program(question=QUESTION)
        assert prediction.cost["calls"] <= calls
        assert prediction.over_budget is True


def test_the_wrappers_of_dspy_take_a_program(retriever):
    program = OneStep(retriever, k=1)
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ulm"})):
        assert asyncio.run(dspy.asyncify(program)(question=BORN)).answer == "Ulm"
        run = dspy.Parallel(num_threads=2, disable_progress_bar=True)
        done = run([(program, {"question": BORN}), (program, {"question": QUESTION})])
        assert [prediction.answer for prediction in done] == ["Ulm", "Ulm"]
        best = dspy.BestOfN(program, N=2, reward_fn=lambda inputs, prediction: 1.0, threshold=1.0)
        assert best(question=BORN).answer == "Ulm"


def test_a_file_loads_with_its_corpus_and_refuses_another(here, one, multihop):
    program = load(one)
    with dspy.context(lm=local()):
        assert program(question=BORN).answer == "Ulm"
    (here / "few.jsonl").write_text(json.dumps({"id": "a", "title": "Ada", "text": "Ada lives in Oslo."}) + "\n")
    shutil.rmtree("pages")
    multihop("index", "few.jsonl", "--to", "pages")
    with pytest.raises(MismatchError, match=r"one\.json"):
        load(one)
    multihop("ask", BORN, "-p", one, "--lm", "local", code=2)
    (here / "cut.json").write_text((here / one).read_text()[:-20])
    assert "cut.json" in multihop("ask", BORN, "-p", "cut.json", "--lm", "local", code=2).err


@pytest.mark.seconds
def test_a_server_for_programs_and_for_chat_clients(one):
    from openai import OpenAI

    with served("serve", one, "--lm", "local") as client:
        reply = client.post("/ask", json={"question": BORN}).json()
        assert (reply["answer"], reply["program"], reply["cost"]["calls"]) == ("Ulm", "one-step", 1)
        assert reply["passages"][0]["title"] == "Albert Einstein"
        assert client.post("/ask", json={"question": ""}).status_code == 422

        text = client.post("/ask/stream", json={"question": BORN}).text
        events = [event.split("\n") for event in text.split("\n\n") if event]
        told = [(name[7:], json.loads(data[6:])) for name, data in events]
        assert [data["step"] for name, data in told if name == "step"] == ["find", "answer"]
        assert told[-1][0] == "result"
        assert told[-1][1]["answer"] == "Ulm"

        found = client.post("/retrieve", json={"queries": [BORN, "Danube"], "topk": 2, "return_scores": True}).json()
        assert [len(hits) for hits in found["result"]] == [2, 2]
        assert "Albert Einstein" in json.dumps(found["result"][0][0])

        chat = OpenAI(base_url=f"{client.base_url}/v1", api_key="none")
        (model,) = chat.models.list().data
        asked = [{"role": "user", "content": BORN}]
        reply = chat.chat.completions.create(model=model.id, messages=asked)
        assert reply.choices[0].message.content == "Ulm"
        assert reply.usage.total_tokens > 0
        chunks = chat.chat.completions.create(model=model.id, messages=asked, stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Ulm"
        followed = [
            *asked,
            {"role": "assistant", "content": "Ulm"},
            {"role": "user", "content": "On which river is it?"},
        ]
        reply = chat.chat.completions.create(model=model.id, messages=followed)
        assert reply.choices[0].message.content == "Danube"
        assert client.get("/").headers["content-type"].startswith("text/html")


@pytest.mark.seconds
def test_a_key_is_asked_for(one, monkeypatch):
    monkeypatch.setenv("OUR_KEY", "a-long-enough-key-of-ours")
    with served("serve", one, "--lm", "local", "--token-env", "OUR_KEY") as client:
        assert client.post("/ask", json={"question": BORN}).status_code == 401
        given = {"Authorization": "Bearer a-long-enough-key-of-ours"}
        assert client.post("/ask", json={"question": BORN}, headers=given).json()["answer"] == "Ulm"


@pytest.mark.seconds
def test_the_tools_of_an_agent(one):
    from mcp import Client, StdioServerParameters, stdio_client

    async def talk():
        command = StdioServerParameters(command=sys.executable, args=["-m", "multihop", "mcp", one, "--lm", "local"])
        async with asyncio.timeout(LIMIT), Client(stdio_client(command, errlog=sys.__stderr__)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            found = (await client.call_tool("search", {"query": "Albert Einstein"})).structured_content["results"]
            page = (await client.call_tool("fetch", {"id": found[0]["id"]})).structured_content
            answer = (await client.call_tool("ask", {"question": BORN})).structured_content["answer"]
            return names, found, page, answer

    names, found, page, answer = asyncio.run(talk())
    assert {"ask", "search", "fetch"} <= names
    assert (found[0]["title"], page["title"], answer) == ("Albert Einstein", "Albert Einstein", "Ulm")
    assert "Ulm" in page["text"]


@pytest.mark.seconds
def test_documents_become_an_index_and_a_server_sees_what_changes(multihop, here):
    notes = here / "notes"
    notes.mkdir()
    (notes / "films.md").write_text("# Night Train\n\nNight Train is a 1959 film directed by Jerzy Kowal.\n")
    (notes / "people.html").write_text("<h1>Jerzy Kowal</h1><p>Jerzy Kowal was born in Torun.</p>")
    (notes / "plain.txt").write_text("Torun\n\nTorun is a city on the Vistula.\n")
    multihop("index", "sync", "notes", "--to", "ix")
    assert (
        multihop("ask", "Where was Jerzy Kowal born?", "-c", "ix", "-p", "one-step", "--lm", "local", "--json").json[
            "answer"
        ]
        == "Torun"
    )
    with served("serve", "one-step", "-c", "ix", "--lm", "local") as client:

        def answer(question):
            return client.post("/ask", json={"question": question}).json()["answer"]

        assert answer("Who directed Last Bus?") != "Maria Wolf"
        (notes / "bus.md").write_text("# Last Bus\n\nLast Bus is a 1971 film directed by Maria Wolf.\n")
        multihop("index", "sync", "notes", "--to", "ix")
        wait_for(lambda: answer("Who directed Last Bus?") == "Maria Wolf")
        (notes / "bus.md").unlink()
        multihop("index", "sync", "notes", "--to", "ix")
        wait_for(lambda: answer("Who directed Last Bus?") != "Maria Wolf")


def test_pages_are_added_to_an_index_and_removed_from_it(multihop, here):
    multihop("index", "little", "--to", "pages")
    size = len(open_index("pages"))
    (here / "new.jsonl").write_text(json.dumps({"id": "x", "title": "Zyx", "text": "Zyx lies in Xanadu."}) + "\n")
    multihop("index", "add", "pages", "new.jsonl")
    assert len(open_index("pages")) == size + 1
    assert open_index("pages").search(["Where does Zyx lie?"], 1)[0][0].passage.id == "x"
    multihop("index", "remove", "pages", "x")
    assert len(open_index("pages")) == size
    assert all(hit.passage.id != "x" for hit in open_index("pages").search(["Zyx Xanadu"], 5)[0])


def test_a_search_of_ones_own_is_a_function():
    def search(query, k):
        return ["Ulm | Albert Einstein was born in Ulm."][:k]

    with dspy.context(lm=local()):
        prediction = OneStep(search, k=1)(question=BORN)
    assert (prediction.answer, prediction.passages[0].title) == ("Ulm", "Ulm")
