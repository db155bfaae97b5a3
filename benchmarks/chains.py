"""ReSP's two claims against IRCoT, and the wall clock of every chain and single round.

The LM is simulated: it knows the gold and errs at a given rate, so these numbers are about control flow, not quality.

    python benchmarks/chains.py                     # the little encyclopedia, and the real sets in --shared
    python benchmarks/chains.py --questions 30      # a quick look
"""

import asyncio

from simulation import as_published, ask_sets, run, simulated, time_run

SINGLE_ROUNDS = ("one-step", "recomp", "replug", "sure", "decompose")
CHAINS = ("iter-retgen", "self-ask", "react", "ircot", "decomp", "cor", "resp")


def planning(name, retriever, questions):
    """Rounds made after all gold was found, and sub-questions asked again."""
    print(f"\n{name}: {len(questions)} questions; over-planning: rounds after all gold passages were found")
    for rate in (0.1, 0.2, 0.3):
        lm = simulated(questions, iter(retriever), error_rate=rate, distraction=0.1, known=0.0)
        for program in ("ircot", "resp"):
            summary = run(program, retriever, questions, lm)
            counts = summary["counts"]
            print(
                f"  error rate {rate:.1f}  {program:6} rounds {counts['rounds']:.2f}  "
                f"over-planning {counts['over_planning']:.2f}  repeated {counts['repeated']:.2f}  "
                f"refused {counts.get('refused', 0):.2f}  "
                f"calls {summary['cost']['calls']['mean']:5.2f}  F1 {100 * summary['metrics']['f1']['mean']:5.1f}"
            )


def context(name, retriever, questions):
    """Answer F1 as more passages are retrieved, when every passage beside the gold raises the error rate."""
    print(f"\n{name}: F1 as k grows; each passage beside the gold raises the error rate of 0.1 by a tenth of itself")
    lm = simulated(questions, iter(retriever), error_rate=0.1, distraction=0.1, known=0.0)
    for program in ("one-step", "ircot", "resp"):
        scores = []
        for k in (3, 5, 10, 15):
            summary = run(program, retriever, questions, lm, k=k)
            scores.append(f"k={k}: {100 * summary['metrics']['f1']['mean']:5.1f}")
        print(f"  {program:9} {'   '.join(scores)}")


async def clock(retriever, questions, latency=0.2):
    """Seconds against the longest chain of dependent calls, question by question and 32 at once."""
    lm = simulated(questions, iter(retriever), error_rate=0.1, known=0.0, latency=latency)
    print(f"\nwall clock, LM of {latency * 1e3:.0f} ms")
    for name in (*SINGLE_ROUNDS, *CHAINS):
        spent = await time_run(as_published(name, retriever, concurrency=256), questions, lm, latency)
        print(
            f"  {name:12} calls {spent.calls:5.2f}  chain {spent.chain:5.2f}  one by one {spent.alone_ratio:.2f} x the "
            f"longest chain  32 at once {spent.crowd_ratio:.2f} x the longest of all"
        )


def main():
    for name, retriever, questions in ask_sets(__doc__.splitlines()[0]):
        planning(name, retriever, questions)
        context(name, retriever, questions)
        if name == "little":
            asyncio.run(clock(retriever, questions))


if __name__ == "__main__":
    main()
