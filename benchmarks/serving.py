"""Measures a server of programs with 200 clients at once and an LM of 200 ms: throughput, latency, memory, overload.

The LM answers in the server's process, and then behind HTTP, from a process of its own.

python benchmarks/serving.py
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import socket
import statistics
import sys
import time
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from apart import memory, percentile

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated import simulated

from multihop import BM25, Little, create, open_lm
from multihop.serve.application import make_application
from multihop.serve.catalogue import Catalogue, Served
from multihop.serve.operation import EventLog, Limits
from multihop.serve.service import Service
from multihop.serve.web_server import WebServer, listening_socket


class Load(NamedTuple):
    """The settings of the server, and of those who ask it."""

    program: str
    questions: int
    latency: float
    in_flight: int
    queued: int = 1000
    hosted: str = ""
    """The address of the LM where it is behind HTTP."""


def little(load):
    made = Little()
    return made, list(islice(cycle(made.questions()), load.questions))


def serve(load, port, log):
    """The server's process."""
    made, questions = little(load)
    if load.hosted:
        lm = open_lm("openai/simulated", api_base=load.hosted, api_key="none")
    else:
        lm = simulated(questions, made.passages(), latency=load.latency)
    program = create(load.program, BM25.build(made.passages()), concurrency=load.in_flight)
    served = Served(name=load.program, program=program, lm=lm)
    with open(log, "w") as stream, listening_socket("127.0.0.1", port) as listener:
        limits = Limits(in_flight=load.in_flight, queued=load.queued)
        service = Service(Catalogue([served]), limits, cache="off", log=EventLog(stream))
        asyncio.run(WebServer(make_application(service), limits).serve_at(listener))


def stand_in(load, port):
    """The process of an LM behind HTTP."""
    made, questions = little(load)
    lm = simulated(questions, made.passages(), latency=load.latency)

    async def answer(reader, writer):
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                status, body = await reply(await reader.readexactly(length))
                writer.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n".encode())
                writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        writer.close()

    async def reply(asked):
        try:
            (said,) = await lm.acall(messages=json.loads(asked)["messages"], cache=False)
        except Exception:  # a look at what the server can do, which it cannot
            return "400 Bad Request", b'{"error": {"message": "1 validation error"}}'
        message = {"role": "assistant", "content": said if isinstance(said, str) else said["text"]}
        made = {"id": "c", "object": "chat.completion", "created": 0, "model": "simulated"}
        made["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        tokens = len(asked) // 4
        made["usage"] = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
        return "200 OK", json.dumps(made).encode()

    async def main():
        await (await asyncio.start_server(answer, "127.0.0.1", port, backlog=1000)).serve_forever()

    asyncio.run(main())


@contextmanager
def standing_in(load):
    """The load with its LM behind HTTP, for the length of a `with` block."""
    with listening_socket("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    process = multiprocessing.get_context("spawn").Process(target=stand_in, args=(load, port), daemon=True)
    process.start()
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.1)
    try:
        yield load._replace(hosted=f"http://127.0.0.1:{port}/v1")
    finally:
        process.terminate()
        process.join()


class Serving:
    """A server in a process of its own, for the length of a `with` block."""

    def __init__(self, load):
        self.load, self.folder = load, TemporaryDirectory()
        with listening_socket("127.0.0.1", 0) as listener:
            self.port = listener.getsockname()[1]
        self.log = Path(self.folder.name) / "log.jsonl"

    def __enter__(self):
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=serve, args=(self.load, self.port, str(self.log)), daemon=True)
        self.process.start()
        asyncio.run(self.ready())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()
        self.folder.cleanup()

    async def ready(self):
        while True:
            try:
                async with asyncio.timeout(60):
                    return await (await Client.connect(self.port)).call(b"GET /readyz HTTP/1.1\r\nHost: b\r\n\r\n")
            except OSError:
                await asyncio.sleep(0.05)

    def processor(self):
        """Seconds of processor that the server has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    """A connection that costs the machine little beside the server."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, port):
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, question):
        body = json.dumps({"question": question}).encode()
        head = b"POST /ask HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
            body
        )
        return await self.call(head + body)

    async def call(self, sent):
        self.writer.write(sent)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        later = head.partition("retry-after: ")[2].partition("\r\n")[0]
        return int(head.split(" ", 2)[1]), float(later or 0), json.loads(await self.reader.readexactly(length))


class Outcome(NamedTuple):
    """One question with its record, its seconds, its refusals and the time when it ended."""

    question: str
    record: dict
    seconds: float
    refusals: int
    ended: float


async def ask_all(serving, questions, clients):
    """Every question once, by so many clients at once; who is refused asks again when told to."""
    rest, outcomes = iter(questions), []

    async def client():
        connection = await Client.connect(serving.port)
        for question in rest:
            refusals, started = 0, time.perf_counter()
            status, later, record = await connection.ask(question.question)
            while status == 429:
                refusals += 1
                await asyncio.sleep(later)
                started = time.perf_counter()
                status, later, record = await connection.ask(question.question)
            assert status == 200, record
            ended = time.perf_counter()
            outcomes.append(Outcome(question.question, record, ended - started, refusals, ended))
        connection.writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return outcomes, time.perf_counter() - started


def check(outcomes, questions):
    """Each question answered once, and each answer that of its question."""
    assert sorted(each.question for each in outcomes) == sorted(question.question for question in questions)
    assert all(each.record["question"] == each.question for each in outcomes)


def share_of_ideal(outcomes, load):
    """Throughput between the first and the last tenth of the answers, as a share of what the LM lets through."""
    skip = len(outcomes) // 10
    middle = outcomes[skip:-skip]
    calls = sum(each.record["cost"]["calls"] for each in middle)
    return calls * load.latency / load.in_flight / (middle[-1].ended - outcomes[skip - 1].ended)


def measure(load, clients, rounds):
    """Rounds of all questions; the ideal is that as many LM calls as are let through are always under way."""
    _, questions = little(load)
    print(
        f"\n{load.program}, {clients} clients, {load.in_flight} questions and LM calls in flight, "
        f"{load.latency * 1e3:.0f} ms a call"
    )
    with Serving(load) as serving:
        for number in range(rounds):
            before = serving.processor()
            outcomes, seconds = asyncio.run(ask_all(serving, questions, clients))
            check(outcomes, questions)
            longest = max(each.record["cost"]["chain"] for each in outcomes) * load.latency
            took = sorted(each.record["cost"]["seconds"] for each in outcomes)
            calls = sum(each.record["cost"]["calls"] for each in outcomes)
            used = serving.processor() - before
            print(
                f"round {number + 1}: {len(outcomes)} answered in {seconds:.1f} s, "
                f"{share_of_ideal(outcomes, load):.0%} of the ideal throughput; "
                f"processor {used / seconds:.0%} of a core, {used / calls * 1e3:.2f} ms a call; "
                f"answering took {statistics.median(took):.2f} s, p99 {percentile(took, 0.99):.2f} s "
                f"= {percentile(took, 0.99) / longest:.2f} x the longest chain ({longest:.1f} s); "
                f"memory {memory(process=serving.process.pid):.0f} MiB"
            )


def overload(load, clients):
    """Far more clients than are let in: all are answered in the end, each once."""
    _, questions = little(load)
    with Serving(load) as serving:
        outcomes, seconds = asyncio.run(ask_all(serving, questions, clients))
        check(outcomes, questions)
        refusals = sum(each.refusals for each in outcomes)
        print(
            f"\noverload: {clients} clients, {load.in_flight} in flight and {load.queued} waiting: "
            f"{refusals} times 429, all {len(outcomes)} answered once in {seconds:.1f} s"
        )
        outcomes, seconds = asyncio.run(ask_all(serving, questions[:20], 20))
        print(f"afterwards: 20 clients, {sum(each.refusals for each in outcomes)} times 429, {seconds:.1f} s")


def leave(load, times):
    """Prints how soon after its client has left a question's calls are cancelled."""
    _, questions = little(load)

    async def main(serving):
        left = []
        for question in islice(cycle(questions), times):
            connection = await Client.connect(serving.port)
            asking = asyncio.create_task(connection.ask(question.question))
            await asyncio.sleep(0.1)
            left.append(time.time())
            connection.writer.transport.abort()
            await asyncio.wait([asking])
            asking.exception()
            await asyncio.sleep(0.1)
        return left

    with Serving(load) as serving:
        left = asyncio.run(main(serving))
        lines = [json.loads(line) for line in serving.log.read_text().splitlines()]
    ends = [datetime.fromisoformat(line["time"]).timestamp() for line in lines if line["event"] == "left"]
    assert len(ends) == times
    late = sorted(max(0.0, (end - begun) * 1e3) for begun, end in zip(left, ends, strict=True))
    print(
        f"\na client leaves: its calls are cancelled after {statistics.median(late):.0f} ms, at most {late[-1]:.0f} ms"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", default="resp")
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hosted-only", action="store_true")
    given = parser.parse_args()
    load = Load(given.program, given.questions, 0.2, 64)
    with standing_in(load) as hosted:
        print("the LM is behind HTTP:")
        measure(hosted, 200, given.rounds)
    if given.hosted_only:
        return
    measure(load, 200, given.rounds)
    measure(load._replace(in_flight=16), 200, 2)
    overload(load._replace(questions=200, in_flight=16, queued=32), 200)
    leave(load._replace(questions=50), 50)


if __name__ == "__main__":
    main()
