"""All programs on the real dev sets with the lexical engine: a floor for quality, and what each method costs.

python benchmarks/dev_sets.py                              # every program
python benchmarks/dev_sets.py --programs one-step,resp     # some
"""

import argparse
import time
from pathlib import Path

import dspy

from multihop import BM25, PROGRAMS, create, evaluate, lexical, open_corpus, open_questions
from multihop.evaluation import default_metrics


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="names, separated by commas")
    parser.add_argument("--questions", type=int, help="of each set; all unless told")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    for name in ("hotpotqa", "2wikimultihopqa", "musique"):
        retriever = BM25.build(open_corpus(given.shared / f"{name}.corpus.jsonl.gz"), titles=name != "musique")
        questions = list(open_questions(given.shared / f"{name}.dev.jsonl.gz", limit=given.questions))
        print(f"\n{name} ({len(questions)})\n\n| program | EM | F1 | recall@5 | recall@15 | calls | seconds |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for program in given.programs.split(","):
            made = create(program, retriever if PROGRAMS[program].retrieves else None)
            started = time.perf_counter()
            with dspy.context(lm=lexical()):
                summary = evaluate(made, questions, metrics=default_metrics(rules=name)).summary
            seconds = time.perf_counter() - started
            cells = [f"{100 * summary['metrics'][m]['mean']:.1f}" for m in ("em", "f1", "recall@5", "recall@15")]
            calls = summary["cost"]["calls"]["mean"]
            print(f"| {program} | {' | '.join(cells)} | {calls:.1f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
