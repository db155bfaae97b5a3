"""Measures what others get of a server while hostile clients hold its connections, and whether any request fails it.

python benchmarks/hostile_clients.py
"""

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import time

from apart import memory
from serving import Client, Load, Serving, little

HALF = b"POST /ask HTTP/1.1\r\nHost: b\r\nContent-Type: application/js"
PATHS = (
    *("/ask", "/ask/stream", "/retrieve", "/v1/chat/completions", "/v1/models"),
    *("/healthz", "/metrics", "/", "/x"),
)
VALUES = (0, -1, 1e308, None, True, "", "a", "\x00", "é" * 50, [], {}, [None], ["q"], {"type": "text"}, "q" * 4000)
NAMES = (
    *("question", "program", "queries", "topk", "return_scores", "messages", "input", "stream", "model", "tokens", "n"),
)


def retrieval(queries, k):
    body = json.dumps({"queries": ["who directed the film"] * queries, "topk": k}).encode()
    head = b"POST /retrieve HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


async def hold(port, sent):
    """A client that sends this, never reads, and comes back when it is sent away."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(sent)
            if sent is HALF:
                await reader.read(1)
                writer.close()
            else:
                await asyncio.sleep(20)
                writer.transport.abort()
        await asyncio.sleep(0.5)


async def usual_seconds(port, questions, clients=16):
    """The median and the greatest seconds of answers to those who mean well."""
    seconds, rest = [], iter(questions)

    async def client():
        connection = await Client.connect(port)
        for question in rest:
            started = time.perf_counter()
            status, _, record = await connection.ask(question.question)
            assert status == 200, record
            seconds.append(time.perf_counter() - started)

    await asyncio.gather(*(client() for _ in range(clients)))
    return statistics.median(seconds), max(seconds)


async def besieged(serving, questions, half_open, never_reading):
    before = await usual_seconds(serving.port, questions)
    tasks = [asyncio.create_task(hold(serving.port, HALF)) for _ in range(half_open)]
    tasks += [asyncio.create_task(hold(serving.port, retrieval(200, 100))) for _ in range(never_reading)]
    await asyncio.sleep(10)
    during = await usual_seconds(serving.port, questions)
    used = memory("VmHWM", serving.process.pid)
    for task in tasks:
        task.cancel()
    print(
        f"{half_open} clients with half a head, {never_reading} that never read: median {during[0]:.2f} s, longest "
        f"{during[1]:.2f} s; without them {before[0]:.2f} and {before[1]:.2f}; {during[0] / before[0]:.2f} times; "
        f"memory {used:.0f} MiB at most"
    )


def fuzzed(chance):
    """A request of anything."""
    path = chance.choice(PATHS)
    body = json.dumps({name: chance.choice(VALUES) for name in chance.sample(NAMES, chance.randint(0, 5))}).encode()
    if chance.random() < 0.3:
        body = bytes(chance.choices(range(256), k=chance.randint(0, 200)))
    if chance.random() < 0.2:
        body = body[: chance.randint(0, len(body))]
    kind = chance.choice(["application/json"] * 8 + ["text/plain", "", "\x80"])
    head = f"{chance.choice(['POST'] * 6 + ['GET', 'HEAD', 'PUT', 'OPTIONS'])} {path} HTTP/1.1\r\nHost: b\r\n"
    head += f"Content-Type: {kind}\r\n" + chance.choice(["", "", "Origin: null\r\n", "Transfer-Encoding: chunked\r\n"])
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode("latin-1") + body


async def fuzz(port, requests, seed=0):
    """The number of replies by status."""
    chance, counts, rest = random.Random(seed), {}, iter(range(requests))

    async def client():
        for _ in rest:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(fuzzed(chance))
            with contextlib.suppress(OSError):
                async with asyncio.timeout(60):
                    said = await reader.read()
                status = said[9:12].decode("latin-1")
                counts[status] = counts.get(status, 0) + 1
            writer.close()

    await asyncio.gather(*(client() for _ in range(20)))
    print(f"{requests} requests of anything: {dict(sorted(counts.items()))}")
    assert "500" not in counts, counts  # 502 is the LM's, which knows the questions of the little encyclopedia alone


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--half-open", type=int, default=1000)
    parser.add_argument("--never-reading", type=int, default=100)
    parser.add_argument("--fuzzed", type=int, default=20_000)
    arguments = parser.parse_args()
    load = Load("resp", arguments.questions, 0.2, 64)
    _, questions = little(load)
    with Serving(load) as serving:
        asyncio.run(besieged(serving, questions, arguments.half_open, arguments.never_reading))
        asyncio.run(fuzz(serving.port, arguments.fuzzed))


if __name__ == "__main__":
    main()
