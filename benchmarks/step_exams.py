"""How well an LM answers single steps, in states of training questions for which gold tells what is right.

python benchmarks/step_exams.py --lm server/NAME@http://localhost:8080/v1 --out before.json
python benchmarks/step_exams.py --lm server/NAME@http://localhost:8080/v1 --out after.json --against before.json

A run of a program costs minutes a question on a small machine, a step in one state seconds. Made before and after
prompts are changed, the records tell state by state what the change did. A verdict is read up to `enough`, and what
would come after it is not written; of an answer, EM and F1 are taken.
"""

import argparse
import json
import re
import time
from math import comb
from pathlib import Path
from statistics import fmean
from zlib import crc32

import dspy

from multihop import BM25, create, open_lm
from multihop.data import open_corpus, open_questions
from multihop.evaluation.intervals import interval_of
from multihop.evaluation.metrics.answer import exact_match, f1
from multihop.optimize.gold_examples import searched_gold, step_examples
from multihop.runtime.adapters import adapter_of

STEPS = {"review": ("tor", 15), "judge": ("resp", 12), "answer": ("one-step", 6)}
"""Each step with its program, and its states of each set."""
SETS = ("hotpotqa", "2wikimultihopqa", "musique")
LATER = ['"analysis"', '"query"', "[[ ## analysis", "[[ ## query"]
"""What is written after the verdict, where a reply is ended."""
_ENOUGH = re.compile(r"\benough\W+(true|false)", re.IGNORECASE)


def states_of(shared, questions, before):
    """By step, the predictor with the name and the example of each state; those of a record where one is given."""
    found = {step: [] for step in STEPS}
    for name in SETS:
        retriever = BM25.build(open_corpus(str(shared / f"{name}.corpus.jsonl.gz")))
        train = list(open_questions(str(shared / f"{name}.train.jsonl.gz")))[:questions]
        for step, (program, count) in STEPS.items():
            program = create(program, retriever)
            pool = step_examples(program, searched_gold(program, train))[step]
            named = {f"{name} {name_of(each)}": each.shown for each in pool.examples}
            drawn = {id(shown) for shown in pool.sample(count, seed=0)}
            chosen = [state for state, shown in named.items() if id(shown) in drawn]
            if before:
                chosen = [row["state"] for row in before.get(step, ()) if row["state"] in named]
            predictor = dict(program.named_predictors())[step]
            found[step] += [(predictor, state, named[state]) for state in chosen]
    return found


def name_of(example):
    """The name of a state: its question, what is right there, and a hash of what is shown."""
    shown = json.dumps(example.shown.inputs().toDict(), sort_keys=True)
    return f"{example.question} {example.kind} {crc32(shown.encode()):08x}"


def ask(lm, predictor, shown):
    """What the LM says to a state: the reply as it is, and its tokens."""
    stop = {} if "answer" in shown.labels() else {"stop": LATER}
    try:
        with dspy.context(lm=lm, adapter=adapter_of(0, lm)):
            predictor(**shown.inputs(), config=stop)
    except dspy.utils.exceptions.AdapterParseError:
        pass  # a reply that was ended early
    reply, usage = lm.history[-1]["outputs"][0], lm.history[-1]["usage"]
    return reply if isinstance(reply, str) else reply["text"], usage["prompt_tokens"], usage["completion_tokens"]


def row_of(name, shown, reply, prompt, written):
    """A state's row: what was right, what was said, and how good that is."""
    row = {"state": name, "reply": reply, "prompt": prompt, "written": written}
    if "answer" in shown:
        return {**row, "right": exact_match(reply, shown.answer), "f1": f1(reply, shown.answer)}
    said = _ENOUGH.search(reply)
    verdict = None if said is None else said[1].lower() == "true"
    return {**row, "wanted": shown.enough, "said": verdict, "right": float(verdict == shown.enough)}


def show(step, rows, before):
    """One line for a step, and one for what differs from the rows of before in the same states."""
    total = len(rows)
    prompt, written, right = ([row[name] for row in rows] for name in ("prompt", "written", "right"))
    tokens = f"{fmean(prompt):.0f} + {fmean(written):.0f} tokens"
    low, high = interval_of("share", total, sum(right), sum(right)) or (0.0, 1.0)
    share = f"right {sum(right):.0f} of {total} [{100 * low:.0f}, {100 * high:.0f}]"
    if "f1" in rows[0]:
        print(f"{step:8} {share}  F1 {100 * fmean(row['f1'] for row in rows):.1f}  {tokens}")
    else:
        found = [row["right"] for row in rows if not row["wanted"]]
        print(f"{step:8} {share}  not enough: {sum(found):.0f} of {len(found)} found  {tokens}")
    known = {row["state"]: row["right"] for row in before}
    pairs = [(known[row["state"]], row["right"]) for row in rows if row["state"] in known]
    better, worse = sum(new > old for old, new in pairs), sum(new < old for old, new in pairs)
    if pairs:
        less = sum(comb(better + worse, k) for k in range(min(better, worse) + 1)) / 2 ** (better + worse)
        print(f"         of {len(pairs)} before: {better} better, {worse} worse; sign test p = {min(1, 2 * less):.2f}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lm", required=True)
    parser.add_argument("--structured", default="auto", help="the form in which the LM is asked")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--questions", type=int, default=100, help="training questions of each set")
    parser.add_argument("--minutes", type=float, default=60, help="after these no state is begun")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args(arguments)
    lm = open_lm(options.lm, structured=options.structured, cache=False, temperature=0.0)
    before = json.loads(options.against.read_text()) if options.against else {}
    states = states_of(options.shared, options.questions, before)
    end, made = time.monotonic() + 60 * options.minutes, {}
    for step, asked in states.items():
        for predictor, name, shown in asked:
            if time.monotonic() < end:
                made.setdefault(step, []).append(row_of(name, shown, *ask(lm, predictor, shown)))
                options.out.write_text(json.dumps(made, indent=1))
    for step, rows in made.items():
        show(step, rows, before.get(step, []))


if __name__ == "__main__":
    main()
