"""A program as a runnable of LangChain, as a node of LangGraph, and behind LangChain's ChatOpenAI."""

import asyncio
import re
from pathlib import Path

import dspy
import pytest
from toys import FakeRetriever, Steps, echo
from web_service import web_service

from multihop import InputError, OneStep, as_runnable, scripted

pytest.importorskip("langchain_core", reason="a runnable needs the extra [langchain], which is not installed")


def one_step(latency=0.0):
    return as_runnable(OneStep(FakeRetriever(), k=2), lm=scripted(echo, latency=latency))


def test_a_runnable_gives_the_record_of_ask_json():
    runnable = one_step()
    record = runnable.invoke("Where is Torun?")
    assert (record["answer"], record["question"]) == ("Where is Torun?", "Where is Torun?")
    assert (record["program"], record["lm"]) == ("one-step", "multihop/scripted")
    assert len(record["passages"]) == 2
    assert [step["step"] for step in record["trajectory"]] == ["find", "answer"]
    again = asyncio.run(runnable.ainvoke({"question": "Where is Torun?"}))
    assert (again["answer"], again["trajectory"]) == (record["answer"], record["trajectory"])
    assert dspy.settings.lm is None, "the LM is the runnable's alone"


def test_a_stream_gives_steps_and_the_record_last():
    runnable = one_step()

    async def streamed():
        return [item async for item in runnable.astream("Who?")]

    for items in (list(runnable.stream("Who?")), asyncio.run(streamed())):
        assert [(item.get("step"), item.get("answer")) for item in items] == [
            ("find", None),
            ("answer", None),
            (None, "Who?"),
        ]


@pytest.mark.at_once
def test_batches_keep_their_order():
    runnable, questions = one_step(latency=0.002), [f"word{n}" for n in range(8)]
    assert [record["answer"] for record in runnable.batch(questions)] == questions
    assert [record["answer"] for record in asyncio.run(runnable.abatch(questions))] == questions


def test_a_chain_and_what_it_may_hand_on():
    from langchain_core.runnables import RunnableLambda

    chain = RunnableLambda(lambda topic: f"Where is {topic}?") | one_step() | (lambda record: record["answer"])
    assert chain.invoke("Torun") == "Where is Torun?"
    assert asyncio.run(chain.ainvoke("Torun")) == "Where is Torun?"
    for wrong, said in ((3, "not with a int"), ({"query": "?"}, "not with a mapping without one")):
        with pytest.raises(InputError, match=said):
            one_step().invoke(wrong)


def test_who_leaves_a_stream_cancels_its_calls():
    async def leave():
        lm = scripted(echo, latency=60)
        async for _ in as_runnable(Steps(rounds=1), lm=lm).astream("Who?"):
            raise AssertionError("no step can be finished")

    async def main():
        task = asyncio.create_task(leave())
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1


def test_the_page_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "langchain.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    exec(compile(block, "docs/langchain.md", "exec"), {})
    assert capsys.readouterr().out == "Vistula\n"


def test_a_node_of_langgraph():
    graphs = pytest.importorskip("langgraph.graph", reason="a graph needs langgraph, which is not installed")
    graph = graphs.StateGraph(dict)
    graph.add_node("ask", one_step())
    graph.add_edge(graphs.START, "ask")
    graph.add_edge("ask", graphs.END)
    assert graph.compile().invoke({"question": "Who?"})["answer"] == "Who?"


def test_chat_openai_asks_a_served_program():
    chats = pytest.importorskip("langchain_openai", reason="ChatOpenAI needs langchain-openai, which is not installed")
    with web_service({"one-step": (OneStep(FakeRetriever(), k=2), scripted(echo))}) as web:
        chat = chats.ChatOpenAI(model="one-step", base_url=f"{web.url}/v1", api_key="none", stream_usage=True)
        reply = chat.invoke("Where is Torun?")
        chunks = list(chat.stream("Where is Torun?"))
        later = asyncio.run(chat.ainvoke("Where is Torun?"))
    assert reply.content == later.content == "Where is Torun?"
    assert "".join(chunk.content for chunk in chunks) == "Where is Torun?"
    assert reply.usage_metadata["output_tokens"] > 0
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert whole.usage_metadata == reply.usage_metadata
