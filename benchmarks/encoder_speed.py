"""Measures the speed of the built-in encoder: RankedRAG's questions a second, passages encoded a second, beside others.

python benchmarks/encoder_speed.py                    # on the little encyclopedia, over BM25
python benchmarks/encoder_speed.py --set hotpotqa     # real questions over hybrid search, answers read by `local`
python benchmarks/encoder_speed.py --against BEFORE   # beside another version of multihop, and how often it agrees
python benchmarks/encoder_speed.py --torch            # beside the same weights in PyTorch; needs the extra [train]
python benchmarks/encoder_speed.py --count            # what each network is asked for, and how long a core takes for it

BEFORE is a folder that holds that version with its weights: `pip install --no-deps --target BEFORE .` in a checkout of
it. Both versions answer the same questions in turns, a question each, and encode the same passages in turns. Every
ratio comes from one run on one machine.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import dspy

from multihop import BM25, Encoder, Hybrid, Little, RankedRAG, local, open_corpus, open_questions, scripted
from multihop.base.concurrency import BatchCache
from multihop.encoder.encoder import REMEMBERED

LM_CALL = 0.2
"""Seconds that one call of a hosted LM takes, for comparison."""
PASSAGES = 300
"""That are encoded."""
DISTRACTORS = 300
"""Passages of a real corpus that are searched besides the questions' own."""
TURN = 20
"""Passages that are encoded in a turn."""


class PlainTorch:
    """The built-in judge as most people would run it: PyTorch, one input after another."""

    def __init__(self, encoder):
        from multihop.training.encoder_folder import Beginning

        self.network = Beginning.open(str(encoder.folder)).network("judge")[0].eval()
        self.vectors = self.network.word_vectors()

    def run(self, inputs, firsts):
        import torch

        for place, (tokens, first) in enumerate(zip(inputs, firsts, strict=True)):
            ids = torch.tensor([tokens])
            types = (torch.arange(len(tokens)) >= first).long()[None]
            with torch.inference_mode():
                words = torch.nn.functional.embedding(ids, self.vectors)
                yield place, [each[0].numpy() for each in self.network(words, types)]


class Ours:
    """This version: a program, its questions, and passages to encode."""

    def __init__(self, given):
        if given.set:
            home = given.shared / f"{given.set}.dev.jsonl.gz"
            self.asked = list(open_questions(home, limit=given.questions))
            gold = {name for question in self.asked for name in question.supporting}
            corpus = list(open_corpus(given.shared / f"{given.set}.corpus.jsonl.gz"))
            step = max(1, len(corpus) // DISTRACTORS)
            pages = [page for place, page in enumerate(corpus) if page.id in gold or place % step == 0]
            retriever, self.lm = Hybrid.build(pages, titles=given.set != "musique"), local()
        else:
            pages, self.asked = list(Little().passages()), list(Little().questions())[: given.questions]
            retriever, self.lm = BM25.build(pages), scripted(lambda prompt: {"answer": "x"})
        self.questions = [each.question for each in self.asked]
        self.program = RankedRAG(retriever)
        self.texts = [str(page) for page in pages[:PASSAGES]]
        self.answer(0)  # opens the networks

    def answer(self, place):
        """Seconds for a question, what was found, and the answer."""
        self.forget()
        with dspy.context(lm=self.lm):
            started = time.perf_counter()
            prediction = self.program(question=self.questions[place])
            seconds = time.perf_counter() - started
        return seconds, [passage.id for passage in prediction.passages], prediction.answer

    def encode(self, start):
        """Seconds for a turn of passages."""
        started = time.perf_counter()
        self.program.encoder.embed(self.texts[start : start + TURN])
        return time.perf_counter() - started

    def forget(self):
        """Judgements that were made before, so that no question gains by having been asked."""
        encoder = self.program.encoder
        encoder.judgements, encoder.readings = BatchCache(REMEMBERED), BatchCache(REMEMBERED)

    async def all_at_once(self):
        """Seconds for all questions, asked at the same time."""
        self.forget()
        with dspy.context(lm=self.lm):
            started = time.perf_counter()
            await asyncio.gather(*(self.program.acall(question=question) for question in self.questions))
            return time.perf_counter() - started


class Counted:
    """A network that counts what it is asked for; its calls come from several threads."""

    def __init__(self, network):
        self.network, self.seen = network, []

    def _ask(self, tokens, first):
        started = time.thread_time()
        said = type(self.network)._ask(self.network, tokens, first)
        self.seen.append((len(tokens), time.thread_time() - started))
        return said

    def tell(self, name, questions):
        tokens, seconds = (sum(each) for each in zip(*self.seen, strict=True)) if self.seen else (0, 0.0)
        inputs, tokens, spent = (each / questions for each in (len(self.seen), tokens, 1000 * seconds))
        print(f"{name:10}{inputs:6.1f} inputs  {tokens:7,.0f} tokens  {spent:6.0f} ms of a core a question", flush=True)


def count(ours):
    """Prints what each network is asked for by all questions, one by one."""
    encoder = ours.program.encoder
    counted = {name: Counted(getattr(encoder, f"_{name}")) for name in ("judge", "reader", "embed")}
    for each in counted.values():
        each.network._ask = each._ask
    for place in range(len(ours.questions)):
        ours.answer(place)
    for name, each in counted.items():
        each.tell(name, len(ours.questions))


class Another:
    """Another version in a process of its own, which runs this script as well."""

    def __init__(self, folder):
        path = os.pathsep.join([str(folder.resolve()), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, __file__, *sys.argv[1:], "--turns"]
        self.process = subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        home = json.loads(self.process.stdout.readline())
        if not Path(home).resolve().is_relative_to(folder.resolve()):
            raise SystemExit(f"{folder} holds no multihop, {home} was found instead; pip install --target it.")

    def ask(self, what, place):
        self.process.stdin.write(json.dumps([what, place]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def answer(self, place):
        return self.ask("answer", place)

    def encode(self, start):
        return self.ask("encode", start)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(ours):
    """Do what the process that compares asks for, line by line."""
    import multihop

    print(json.dumps(multihop.__file__), flush=True)
    for line in sys.stdin:
        what, place = json.loads(line)
        print(json.dumps(getattr(ours, what)(place)), flush=True)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def tell(name, times):
    middle, late = (f"{1000 * quantile(times, share):.0f} ms" for share in (0.5, 0.95))
    print(f"{name:28}{len(times) / sum(times):6.2f} questions/s   p50 {middle}   p95 {late} a question", flush=True)


def compare(name, ours, other, *, passages):
    """Questions and passages in turns: both speeds, their ratio, and how alike the outcomes are."""
    mine, theirs = zip(
        *((ours.answer(place), other.answer(place)) for place in range(len(ours.questions))), strict=True
    )
    times, before = ([each[0] for each in all_of_them] for all_of_them in (mine, theirs))
    tell("ranked-rag, one by one", times)
    tell(f"  {name}", before)
    middle = quantile(before, 0.5) / quantile(times, 0.5)
    print(f"{name} takes {sum(before) / sum(times):.2f} x as long, {middle:.2f} x at p50;", end=" ")
    same = [sum(one[place] == other[place] for one, other in zip(mine, theirs, strict=True)) for place in (1, 2)]
    print(f"of {len(times)} questions {same[0]} rankings and {same[1]} answers are the same", flush=True)
    for kind, rows in (("here", mine), (name, theirs)):
        found = [
            len(set(row[1][:5]) & set(question.supporting)) / len(set(question.supporting))
            for question, row in zip(ours.asked, rows, strict=True)
            if question.supporting
        ]
        print(f"  recall@5 {kind}: {100 * sum(found) / max(1, len(found)):.1f}")
    if passages:
        turns = [(ours.encode(start), other.encode(start)) for start in range(0, len(ours.texts), TURN)]
        new, old = (sum(each) for each in zip(*turns, strict=True))
        print(
            f"{'passages encoded':28}{len(ours.texts) / new:6.1f} /s, {name} {len(ours.texts) / old:.1f} /s:", end=" "
        )
        print(f"{old / new:.2f} x", flush=True)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--set", help="real questions instead: hotpotqa, 2wikimultihopqa or musique")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--against", type=Path, help="a folder that holds another version, to measure it too")
    parser.add_argument("--torch", action="store_true", help="measure plain PyTorch too")
    parser.add_argument("--count", action="store_true", help="count inputs, tokens and core time, and nothing else")
    parser.add_argument("--turns", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    ours = Ours(given)
    if given.turns:
        return take_turns(ours)
    if given.count:
        return count(ours)
    if given.against:
        other = Another(given.against)
        times = compare("the other version", ours, other, passages=True)
        other.close()
    elif given.torch:
        other = Ours(given)
        other.program.encoder = Encoder(other.program.encoder.folder)
        other.program.encoder._judge = PlainTorch(other.program.encoder)
        times = compare("plain PyTorch", ours, other, passages=False)
    else:
        times = [ours.answer(place)[0] for place in range(len(ours.questions))]
        tell("ranked-rag, one by one", times)
        seconds = sum(ours.encode(start) for start in range(0, len(ours.texts), TURN))
        print(f"{'passages encoded':28}{len(ours.texts) / seconds:6.1f} /s")
    batch = asyncio.run(ours.all_at_once())
    print(f"{'ranked-rag, all at once':28}{len(times) / batch:6.2f} questions/s")
    ratio = quantile(times, 0.5) / LM_CALL
    print(f"one by one, a question takes {ratio:.2f} x one LM call of {1000 * LM_CALL:.0f} ms")
    return None


if __name__ == "__main__":
    main()
