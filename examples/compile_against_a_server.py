"""Compile Tree of Reviews against any OpenAI-compatible server, and save it.

    vllm serve Qwen/Qwen3-8B &
    python examples/compile_against_a_server.py --server http://localhost:8000/v1 --model server/Qwen/Qwen3-8B \
        --corpus indexes/wiki --train train.jsonl --dev dev.jsonl
"""

import argparse

import dspy

from multihop import TreeOfReviews, compile_variants, open_index, open_lm, open_questions


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True, help="address of the server, such as http://localhost:8000/v1")
    parser.add_argument("--model", required=True, help="such as server/Qwen/Qwen3-8B")
    parser.add_argument("--corpus", required=True, help="an index folder made by `multihop index`")
    parser.add_argument("--train", required=True, help="questions to learn from")
    parser.add_argument("--dev", required=True, help="questions to choose by")
    parser.add_argument("--calls", type=int, default=20_000, help="LM calls at most")
    parser.add_argument("--to", default="tor.json")
    given = parser.parse_args()

    program = TreeOfReviews(open_index(given.corpus), depth=2)
    with dspy.context(lm=open_lm(given.model, api_base=given.server, temperature=0.0, max_tokens=1000)):
        study = compile_variants(
            program,
            ["zero-shot", "labeled-3", "bootstrapped"],
            train=open_questions(given.train, limit=100),
            dev=open_questions(given.dev, limit=200),
            to=given.to,
            corpus=given.corpus,
            max_calls=given.calls,
            tell=print,
        )
    for outcome in study.outcomes:
        print(f"{outcome.variant:14} F1 {100 * outcome.f1['mean']:.1f}, {outcome.calls:.1f} calls a question")
    print(f"{study.best} is saved in {study.artefact}")


if __name__ == "__main__":
    main()
