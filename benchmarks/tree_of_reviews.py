"""The shape of the paper's tables 4 to 6, `tor` against `cor` as errors grow, and the two orders.

The LM is simulated: it knows the gold and errs at a given rate, so these numbers are about control flow, not quality.

    python benchmarks/tree_of_reviews.py                     # the little encyclopedia, and the real sets in --shared
    python benchmarks/tree_of_reviews.py --questions 30      # a quick look
"""

from simulation import ask_sets, run, simulated

PAPER = {
    "as in the paper": ({}, "16.9 calls, 15.7 paragraphs, 2.9 pieces, R@15 79.3, F1 63.7"),
    "no repetition pruning": ({"pruning": ["relevance"]}, "33.5, 18.3, 3.7, 76.4, 63.8"),
    "no relevance pruning": ({"pruning": ["repetition"]}, "29.1, 24.6, 3.3, 73.2, 59.3"),
    "no pruning": ({"pruning": []}, "65.0, 31.8, 4.4, 72.9, 59.4"),
    "depth 2": ({"depth": 2, "widths": [5, 3]}, "10.3, 10.0, 1.8, 69.7, 55.6"),
    "depth 4": ({"depth": 4, "widths": [5, 3, 3, 3]}, "36.3, 27.6, 4.7, 79.7, 64.4"),
    "widths 10, 5, 3": ({"widths": [10, 5, 3]}, "41.3, 39.2, 6.8, 75.4, 66.0"),
    "direct": ({"expansion": "direct"}, "R@15 58.8, F1 53.6 (table 4)"),
    "cot": ({"expansion": "cot"}, "R@15 62.8, F1 56.9 (table 4)"),
    "depth-first": ({"order": "depth-first"}, "the paper's own order"),
}


def line(label, summary, note=""):
    metrics, counts = summary["metrics"], summary["counts"]
    print(
        f"  {label:24} calls {summary['cost']['calls']['mean']:5.1f}  paragraphs {counts.get('documents', 0):5.1f}  "
        f"pieces {counts.get('evidence', 0):4.1f}  R@15 {100 * metrics['recall@15']['mean']:5.1f}  "
        f"F1 {100 * metrics['f1']['mean']:5.1f}  {note}"
    )


def tables(name, retriever, questions):
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0)
    print(f"\n{name}: {len(questions)} questions, error rate 0.1 (beside it, 2WikiMultiHopQA in the paper)")
    for label, (settings, paper) in PAPER.items():
        line(label, run("tor", retriever, questions, lm, **settings), paper)


def errors(name, retriever, questions):
    print(f"\n{name}: as errors grow, each passage beside the gold raising the rate by half of itself")
    for rate in (0.0, 0.05, 0.1, 0.2, 0.3):
        lm = simulated(questions, iter(retriever), error_rate=rate, distraction=0.5, known=0.0)
        for program, settings in (("tor", {}), ("tor", {"pruning": []}), ("cor", {})):
            label = f"{program}{', no pruning' if settings else ''}, rate {rate:.2f}"
            line(label, run(program, retriever, questions, lm, **settings))


def main():
    for name, retriever, questions in ask_sets(__doc__.splitlines()[0]):
        tables(name, retriever, questions)
        errors(name, retriever, questions)


if __name__ == "__main__":
    main()
