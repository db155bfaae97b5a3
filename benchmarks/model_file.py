"""Measures how fast a model file reads prompts and writes answers here, beside llama.cpp alone.

Needs the extra [llama]. Prints tokens a second of llama.cpp computing bare tokens, as its own benchmark does, then of
the same number through `multihop.lms.gguf`, and their ratio; then what calls at once and shared beginnings are worth.

    python benchmarks/model_file.py MODEL.gguf
"""

import argparse
import asyncio
import ctypes
import time

import dspy
from dspy.lm15 import Config, Message, Request

from multihop.lms import gguf
from multihop.lms.gguf_engine.model import llama

PROMPT = "Tell a long story about {topic}, with every detail that you can think of. " + "The river was wide. " * 90
TOPICS = ("a lighthouse", "a night train", "an old atlas", "a composer", "a bridge", "two cities", "a glacier", "a map")


def bare(worker, prompt: int, answer: int) -> tuple[float, float]:
    """Tokens a second that llama.cpp alone reads and writes, in a context of its own with the same settings."""
    lib = llama()
    parameters = lib.llama_context_default_params()
    parameters.n_ctx, parameters.n_batch, parameters.n_ubatch = 4096, worker.chunk, worker.chunk
    parameters.n_threads = parameters.n_threads_batch = worker.threads
    context = lib.llama_init_from_model(worker.model.pointer, parameters)
    tokens = (ctypes.c_int32 * worker.chunk)(*([100] * worker.chunk))
    started = time.perf_counter()
    for first in range(0, prompt, worker.chunk):
        lib.llama_decode(context, lib.llama_batch_get_one(tokens, min(worker.chunk, prompt - first)))
    lib.llama_synchronize(context)
    read = prompt / (time.perf_counter() - started)
    started = time.perf_counter()
    for _ in range(answer):
        lib.llama_decode(context, lib.llama_batch_get_one(tokens, 1))
        lib.llama_synchronize(context)
    written = answer / (time.perf_counter() - started)
    lib.llama_free(context)
    return read, written


def ours(engine, topic: str, answer: int) -> tuple[float, float, int, int]:
    """Seconds until the first token and from there to the last, and the tokens of both."""
    request = Request(
        model="m",
        messages=(Message.user(PROMPT.format(topic=topic)),),
        config=Config(max_tokens=answer),
    )
    started, first = time.perf_counter(), None
    usage = None
    for event in engine.stream(request):
        if event.type == "delta" and first is None:
            first = time.perf_counter()
        usage = getattr(event, "usage", usage)
    ended = time.perf_counter()
    return first - started, ended - first, usage.input_tokens - usage.cache_read_tokens, usage.output_tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="a GGUF file")
    parser.add_argument("--answer", type=int, default=96, help="tokens of an answer at most")
    arguments = parser.parse_args()
    lm = gguf(arguments.path, cache=False)
    engine, worker = lm.engine, lm.engine.worker
    ours(engine, "nothing", 8)
    read_seconds, write_seconds, prompt, answer = ours(engine, TOPICS[0], arguments.answer)
    read, written = bare(worker, prompt, answer)
    print(f"{'':24}llama.cpp alone    here    ratio")
    for name, alone, here in (
        ("prompt tokens a second", read, prompt / read_seconds),
        ("answer tokens a second", written, (answer - 1) / write_seconds),
    ):
        print(f"{name:24}{alone:15.1f}{here:8.1f}{here / alone:9.2f}")

    async def at_once() -> None:
        await asyncio.gather(*(lm.acall(PROMPT.format(topic=topic), max_tokens=32) for topic in TOPICS[1:]))

    started = time.perf_counter()
    with dspy.context(lm=lm):
        asyncio.run(at_once())
    usages = [entry["usage"] for entry in lm.history]
    taken = sum(each["prompt_tokens"] for each in usages)
    cached = sum(each["prompt_tokens_details"]["cached_tokens"] for each in usages)
    wrote = sum(each["completion_tokens"] for each in usages)
    seconds = time.perf_counter() - started
    shared = f"{cached / taken:.0%} of {taken} prompt tokens shared"
    print(f"{len(usages)} calls at once: {seconds:.1f} s, {shared}, {wrote} written")


if __name__ == "__main__":
    main()
