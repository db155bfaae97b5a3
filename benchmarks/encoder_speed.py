"""How fast the built-in encoder is: questions a second for EfficientRAG, passages a second encoded, beside PyTorch.

python benchmarks/encoder_speed.py                    # on the generated world
python benchmarks/encoder_speed.py --torch            # beside the same network in PyTorch; needs the extra [train]

Every ratio comes from one run on one machine.
"""

import argparse
import asyncio
import statistics
import time

import dspy

from multihop import BM25, EfficientRAG, Encoder, World, scripted
from multihop.encoder import Pair

LM_CALL = 0.2
"""Seconds that one call of a hosted LM takes, for comparison."""


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def one_by_one(program, questions):
    times = []
    for question in questions:
        started = time.perf_counter()
        program(question=question)
        times.append(time.perf_counter() - started)
    return times


async def all_at_once(program, questions):
    started = time.perf_counter()
    await asyncio.gather(*(program.aforward(question) for question in questions))
    return time.perf_counter() - started


def torch_judge(pairs):
    """Seconds that the same transformer takes in plain PyTorch, one pair at a time."""
    import torch

    from multihop.encoder.layout import layout
    from multihop.optimize.encoder_training import _minilm
    from multihop.optimize.network import Network

    network = Network.start(_minilm()).eval()
    vectors, tokenizer = network.word_vectors(), Encoder.load()._tokenizer
    started = time.perf_counter()
    for pair in pairs:
        for window in layout(tokenizer, [pair])[0]:
            ids = torch.tensor([window.ids])
            types = (torch.arange(ids.shape[1]) >= window.first).long()[None]
            with torch.inference_mode():
                network(torch.nn.functional.embedding(ids, vectors), torch.ones_like(ids), types)
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--torch", action="store_true")
    given = parser.parse_args()
    world, encoder = World(questions=given.questions, seed=0), Encoder.load()
    pages, questions = list(world.passages()), [each.question for each in world.questions()]
    program = EfficientRAG(BM25.build(pages))
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"})):
        program(question=questions[0])
        times = one_by_one(program, questions)
        batch = asyncio.run(all_at_once(program, questions))
    print(f"efficientrag, one by one   {len(times) / sum(times):6.1f} questions/s", end="")
    print(f"   p50 {1000 * statistics.median(times):.0f} ms   p95 {1000 * quantile(times, 0.95):.0f} ms a question")
    print(f"efficientrag, all at once  {len(questions) / batch:6.1f} questions/s")
    ratio = statistics.median(times) / LM_CALL
    print(f"one by one, a question takes {ratio:.2f} x one LM call of {LM_CALL * 1000:.0f} ms")
    texts = [str(page) for page in pages[:600]]
    started = time.perf_counter()
    encoder.embed(texts)
    print(f"\npassages encoded           {len(texts) / (time.perf_counter() - started):6.1f} /s")
    pairs = [Pair(questions[place % len(questions)], text) for place, text in enumerate(texts[:300])]
    started = time.perf_counter()
    encoder.judge(pairs)
    together = time.perf_counter() - started
    started = time.perf_counter()
    for pair in pairs:
        encoder.judge([pair])
    alone = time.perf_counter() - started
    print(f"passages judged, together  {len(pairs) / together:6.1f} /s")
    print(f"passages judged, alone     {len(pairs) / alone:6.1f} /s")
    if given.torch:
        seconds = torch_judge(pairs)
        print(f"the same in PyTorch, alone {len(pairs) / seconds:6.1f} /s: together {seconds / together:.1f} x as fast")


if __name__ == "__main__":
    main()
