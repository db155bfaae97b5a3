"""Measures the processor time that logging and tracing take, beside a run that does neither.

python benchmarks/tracing.py [questions]

The LM is a server in another process, which answers at once over the OpenAI protocol; only this process's time counts,
so that other work on the machine does not. Each round asks the same questions in all ways, in another order.
"""

import asyncio
import json
import logging
import multiprocessing
import os
import random
import statistics
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROUNDS = 5
CALL = 200
"""Milliseconds that an LM takes."""
WAYS = ("off", "logged", "traced", "traced with texts")


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        fields = {"summary": "A town.", "enough": "True", "next_question": "", "answer": "Po", "reasoning": "So it is."}
        text = "".join(f"[[ ## {name} ## ]]\n{value}\n\n" for name, value in fields.items()) + "[[ ## completed ## ]]"
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        usage = {"prompt_tokens": 700, "completion_tokens": 30, "total_tokens": 730}
        reply = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": choices, "usage": usage}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(pipe):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    pipe.send(server.server_port)
    server.serve_forever()


def milliseconds(program, questions):
    """Of this process's time, a question."""

    async def main():
        for first in range(0, questions, 8):
            await asyncio.gather(*(program.acall(question=f"What is {n}?") for n in range(first, first + 8)))

    started = time.process_time()
    asyncio.run(main())
    return (time.process_time() - started) * 1000 / questions


def surroundings_of(way, provider):
    from contextlib import nullcontext

    from multihop import start_tracing

    logging.getLogger("multihop").setLevel(logging.INFO if way == "logged" else logging.WARNING)
    return start_tracing(texts=way.endswith("texts"), provider=provider) if way.startswith("traced") else nullcontext()


def main():
    import dspy
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    from multihop import BM25, OneStep, World, caching, open_lm

    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    with open(os.devnull, "w") as nowhere:
        logging.getLogger("multihop").addHandler(logging.StreamHandler(nowhere))
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(out=nowhere, formatter=lambda span: "")))
        program = OneStep(BM25.build(World(questions=20, seed=1).passages()))
        lm, found = open_lm("openai/m", api_base=f"http://127.0.0.1:{here.recv()}/v1"), {way: [] for way in WAYS}
        with dspy.context(lm=lm, disable_history=True), caching("off"):
            milliseconds(program, questions)  # connections, imports
            for _ in range(ROUNDS):
                for way in random.sample(WAYS, len(WAYS)):
                    with surroundings_of(way, provider):
                        found[way].append(milliseconds(program, questions))
        provider.shutdown()
    server.kill()
    base = statistics.median(found["off"])
    print(f"{ROUNDS} rounds of {questions} questions, an LM call and a retrieval each; milliseconds of processor time")
    print(f"beside an LM call of {CALL} ms: what a question takes longer, where it has the processor to itself")
    for way, times in found.items():
        share = (CALL + statistics.median(times)) / (CALL + base)
        ratios = [mine / off for mine, off in zip(times, found["off"], strict=True)]
        print(f"{way:18} {statistics.median(times):6.2f} ms  {statistics.median(times) / base:5.3f} x "
              f"({min(ratios):.3f} to {max(ratios):.3f})  {share:5.3f} x beside the call")  # fmt: skip


if __name__ == "__main__":
    main()
