"""Tasks, asked for with the protocol's own client, which is taught them by an extension as its package wants it."""

import asyncio
from types import SimpleNamespace
from typing import Literal

import pytest
from mcp import Client, MCPError
from mcp.client import ClientExtension, ResultClaim, UnexpectedClaimedResult, advertise
from mcp.types import INVALID_PARAMS, MISSING_REQUIRED_CLIENT_CAPABILITY, CallToolResult, Request, RequestParams, Result
from mcp_service import mcp_over_http
from never_ending import never_ending
from time_limit import in_loop
from toys import Steps, echo
from web_service import service_of

from multihop import scripted
from multihop.serve.mcp import long_calls
from multihop.serve.mcp.long_calls import TASKS, LongCalls
from multihop.serve.mcp.mcp_server import make_mcp_server


class Handle(Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    ttl_ms: int
    poll_interval_ms: int


class Told(Handle):
    result_type: str
    result: CallToolResult | None = None
    error: dict | None = None


class TaskParams(RequestParams):
    task_id: str


class Ask(Request[TaskParams, str]):
    name_param = "taskId"


async def ask_for(session, verb, task_id):
    request = Ask(method=f"tasks/{verb}", params=TaskParams(task_id=task_id))
    return await session.send_request(request, Told if verb == "get" else Result)


class Tasks(ClientExtension):
    """Asks for a task until it is done."""

    identifier = TASKS

    def __init__(self):
        self.handles, self.told = [], []

    def claims(self):
        return [ResultClaim(result_type="task", model=Handle, resolve=self.resolve)]

    async def resolve(self, handle, context):
        self.handles.append(handle)
        while (told := await ask_for(context.session, "get", handle.task_id)).status == "working":
            self.told.append(told)
            await asyncio.sleep(0.001)
        self.told.append(told)
        return told.result


def asked(main, served, extensions=(), mode="auto", patience=0.0):
    service, log = service_of(served)

    async def work():
        async with Client(make_mcp_server(service, patience=patience), extensions=extensions, mode=mode) as client:
            return await main(client)

    return in_loop(work), log


STEPS = {"steps": (Steps(rounds=2), scripted(echo))}


def ask(client, question="a"):
    return client.call_tool("ask", {"question": question})


def test_a_long_question_is_a_task_and_its_result_the_answer():
    tasks = Tasks()
    said, _ = asked(ask, STEPS, [tasks])
    assert said.structured_content["answer"] == "a a"
    (handle,) = tasks.handles
    assert (handle.status, handle.ttl_ms, handle.poll_interval_ms) == ("working", 3_600_000, 1000)
    last = tasks.told[-1]
    assert (last.task_id, last.result_type, last.status) == (handle.task_id, "complete", "completed")
    assert (last.created_at, last.status_message) == (handle.created_at, "step 3: read")
    assert handle.last_updated_at <= last.last_updated_at


def test_over_http_every_request_for_a_task_stands_alone():
    service, _ = service_of(STEPS)
    tasks = Tasks()

    async def main():
        async with mcp_over_http(service, patience=0.0) as url, Client(url, extensions=[tasks]) as client:
            return (await ask(client)).structured_content["answer"]

    assert in_loop(main) == "a a"
    assert (len(tasks.handles), tasks.told[-1].status) == (1, "completed")


def test_a_refusal_is_the_result_of_a_task():
    tasks = Tasks()
    said, _ = asked(lambda client: ask(client, " "), STEPS, [tasks])
    assert (said.is_error, tasks.told[-1].status) == (True, "completed")
    assert "the question is empty." in said.content[0].text


@pytest.mark.parametrize(
    ("extensions", "mode", "patience"),
    [((), "auto", 0.0), ((), "legacy", 0.0), ([advertise(TASKS)], "legacy", 0.0), ([Tasks()], "auto", 60.0)],
)
def test_who_takes_no_tasks_or_is_answered_soon_gets_the_answer_itself(extensions, mode, patience):
    said, _ = asked(ask, STEPS, extensions, mode, patience)
    assert said.structured_content["answer"] == "a a"
    assert not [each.handles for each in extensions if isinstance(each, Tasks) and each.handles]


def test_other_tools_are_answered_at_once():
    said, _ = asked(lambda client: client.call_tool("retrieve", {"query": "q"}), STEPS, [Tasks()])
    assert "the program 'steps' searches nothing." in said.content[0].text


@pytest.mark.at_once
def test_a_task_that_is_given_up_cancels_its_calls():
    lm, engine = never_ending()

    async def main(client):
        with pytest.raises(UnexpectedClaimedResult) as caught:
            await client.session.call_tool("ask", {"question": "q"})
        id_ = caught.value.result.task_id
        await engine.begun.wait()
        before = await ask_for(client.session, "get", id_)
        await ask_for(client.session, "update", id_)
        await ask_for(client.session, "cancel", id_)
        await engine.cancelled.wait()
        while (after := await ask_for(client.session, "get", id_)).status == "working":
            await asyncio.sleep(0)
        return before.status, after.status

    states, _ = asked(main, {"stuck": (Steps(rounds=0), lm)}, [Tasks()])
    assert states == ("working", "cancelled")
    assert engine.under_way == 0


@pytest.mark.at_once
def test_who_leaves_before_there_is_a_task_cancels_the_call():
    lm, engine = never_ending()

    async def main(client):
        asking = asyncio.create_task(ask(client))
        await engine.begun.wait()
        asking.cancel()
        await engine.cancelled.wait()

    asked(main, {"stuck": (Steps(rounds=0), lm)}, [Tasks()], patience=60.0)
    assert engine.under_way == 0


@pytest.mark.parametrize("verb", ["get", "update", "cancel"])
def test_a_task_that_is_not_there_and_a_client_without_tasks_are_told_so(verb):
    async def main(client):
        with pytest.raises(MCPError) as caught:
            await ask_for(client.session, verb, "nothing")
        return caught.value

    unknown, _ = asked(main, STEPS, [Tasks()])
    assert (unknown.code, str(unknown)) == (INVALID_PARAMS, "there is no task 'nothing' here; ask the question again.")
    assert asked(main, STEPS)[0].code == MISSING_REQUIRED_CLIENT_CAPABILITY


CONTEXT = SimpleNamespace(
    protocol_version="2026-07-28",
    session=SimpleNamespace(client_capabilities=SimpleNamespace(extensions={TASKS: {}})),
)


def test_old_tasks_are_forgotten(monkeypatch):
    calls = LongCalls("ask", patience=0.0)
    get = calls.methods()[0].handler

    async def main():
        over = asyncio.Event()

        async def call(_):
            await over.wait()
            return CallToolResult(content=[])

        async def fail(_):
            await over.wait()
            raise ValueError("secret")

        handles = [
            await calls.intercept_tool_call(SimpleNamespace(name="ask"), CONTEXT, each) for each in (call, call, fail)
        ]
        over.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        states = [await get(CONTEXT, long_calls.TaskParams(task_id=each["taskId"])) for each in handles]
        monkeypatch.setattr(long_calls, "_MOST", 2)
        calls._tidy()
        kept = [each["taskId"] in calls._kept for each in handles]
        monkeypatch.setattr(long_calls, "KEPT", -1.0)
        calls._tidy()
        return states, kept, calls._kept

    states, kept, left = in_loop(main)
    assert [state["status"] for state in states] == ["completed", "completed", "failed"]
    assert states[2]["error"] == {"code": -32603, "message": "the call failed; the server's log says where."}
    assert (kept, left) == ([False, True, True], {})
