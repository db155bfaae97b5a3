"""The speed of a training on this machine: rows packed against rows one by one, in 16 and in 32 bits, in one run.

    multihop clone mzqa -q little -c little --lm local --out clones/mzqa
    python benchmarks/clone_training.py HuggingFaceTB/SmolLM2-135M-Instruct clones/mzqa/plan.jsonl
    python benchmarks/clone_training.py FOLDER clones/mzqa/plan.jsonl --rows 32 --precisions fp32

Each setting learns from the same rows twice, forward and backward; the second time is counted. Memory is the most that
the process ever had until then. Needs the extra [train].
"""

import argparse
import resource
import time
from pathlib import Path

import ujson

from multihop.optimize.finetuning.training.base_model import open_base
from multihop.optimize.finetuning.training.conversations import make_examples
from multihop.optimize.finetuning.training.losses import Losses, answer_tokens
from multihop.optimize.finetuning.training.packing import pack, packs


def main() -> None:
    """A line for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("conversations", type=Path)
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--tokens", type=int, nargs="+", default=[2048], help="the most of a pack")
    parser.add_argument("--precisions", nargs="+", choices=["bf16", "fp32"], default=["bf16", "fp32"])
    given = parser.parse_args()
    base = open_base(given.base)
    with given.conversations.open(encoding="utf-8") as file:
        conversations = [ujson.loads(line) for line in file]
    rows = list(make_examples(base, conversations, longest=4096, held_out=0.0).trained[: given.rows])
    network = base.network.float().train()
    whole = sum(len(row.tokens) for row in rows)
    print(
        f"{len(rows)} rows, {whole / len(rows):.0f} tokens each, {answer_tokens(rows) / len(rows):.0f} of them learned"
    )
    for precision in given.precisions:
        for tokens in (0, *given.tokens):
            losses = Losses(network, precision=precision, tokens=tokens)
            groups = packs(rows, tokens)
            computed = sum(len(pack(group).tokens) for group in groups)
            learn(losses, groups)
            began = time.perf_counter()
            learn(losses, groups)
            speed = len(rows) / (time.perf_counter() - began)
            how = f"packs of {tokens:,} tokens" if tokens else "one by one"
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"{precision}, {how}: {speed:.2f} rows/s, {computed / whole:.2f} of the tokens, {memory:.1f} GiB")


def learn(losses: Losses, groups) -> None:
    """The gradients of all rows, and no step."""
    losses.network.zero_grad(set_to_none=True)
    for group in groups:
        with losses.rounding():
            loss = losses.of_pack(group)
        loss.backward()


if __name__ == "__main__":
    main()
