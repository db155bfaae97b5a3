"""How fast the built-in encoder is: questions a second for EfficientRAG, passages a second encoded, beside PyTorch.

python benchmarks/encoder_speed.py                    # on the generated world
python benchmarks/encoder_speed.py --torch            # beside the same weights in PyTorch; needs the extra [train]

Every ratio comes from one run on one machine.
"""

import argparse
import asyncio
import time

import dspy

from multihop import BM25, EfficientRAG, Encoder, World, scripted

LM_CALL = 0.2
"""Seconds that one call of a hosted LM takes, for comparison."""


class PlainTorch:
    """The built-in judge as most people would run it: PyTorch, one input after another."""

    def __init__(self, encoder):
        from multihop.optimize.training.encoder_training import minilm
        from multihop.optimize.training.network import Network
        from multihop.optimize.training.restore import restore

        self.network = Network.start(minilm())
        restore(self.network, encoder.folder)
        self.network.eval()
        self.vectors = self.network.word_vectors()

    def run(self, inputs, firsts):
        import torch

        for place, (tokens, first) in enumerate(zip(inputs, firsts, strict=True)):
            ids = torch.tensor([tokens])
            types = (torch.arange(len(tokens)) >= first).long()[None]
            with torch.inference_mode():
                words = torch.nn.functional.embedding(ids, self.vectors)
                yield place, [each[0].numpy() for each in self.network(words, torch.ones_like(ids), types)]


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def one_by_one(program, questions):
    """Seconds for each question, and what was found for it."""
    times, found = [], []
    for question in questions:
        started = time.perf_counter()
        found.append([passage.id for passage in program(question=question).passages])
        times.append(time.perf_counter() - started)
    return times, found


async def all_at_once(program, questions):
    started = time.perf_counter()
    await asyncio.gather(*(program.acall(question=question) for question in questions))
    return time.perf_counter() - started


def tell(name, times):
    middle, late = (f"{1000 * quantile(times, share):.0f} ms" for share in (0.5, 0.95))
    print(f"{name:28}{len(times) / sum(times):6.2f} questions/s   p50 {middle}   p95 {late} a question", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--torch", action="store_true", help="measure plain PyTorch too")
    given = parser.parse_args()
    world, encoder = World(questions=given.questions, seed=0), Encoder.load()
    pages, questions = list(world.passages()), [each.question for each in world.questions()]
    program = EfficientRAG(BM25.build(pages))
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"})):
        program(question=questions[0])
        times, found = one_by_one(program, questions)
        batch = asyncio.run(all_at_once(program, questions))
        tell("efficientrag, one by one", times)
        print(f"{'efficientrag, all at once':28}{len(questions) / batch:6.2f} questions/s")
        ratio = quantile(times, 0.5) / LM_CALL
        print(f"one by one, a question takes {ratio:.2f} x one LM call of {1000 * LM_CALL:.0f} ms")
        if given.torch:
            program.encoder = Encoder(encoder.folder)
            program.encoder._judge = PlainTorch(encoder)
            plain, same = one_by_one(program, questions)
            tell("  in plain PyTorch", plain)
            one, all_of_them = sum(plain) / sum(times), sum(plain) / batch
            print(f"PyTorch takes {one:.2f} x as long one by one, {all_of_them:.2f} x as long as all at once;", end=" ")
            print(f"{sum(map(list.__eq__, found, same))} of {len(found)} rankings are the same")
    texts = [str(page) for page in pages[:600]]
    started = time.perf_counter()
    encoder.embed(texts)
    print(f"{'passages encoded':28}{len(texts) / (time.perf_counter() - started):6.1f} /s")


if __name__ == "__main__":
    main()
