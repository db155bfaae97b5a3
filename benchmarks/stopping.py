"""Calls and answers of every loop and tree with and without the rules that end a search early (the setting `stops`).

Each question is answered once under each set of rules, and each answer is a line of --out, where a further run goes on.

    python benchmarks/stopping.py --out runs/stopping.jsonl --programs ircot,resp,tor
    python benchmarks/stopping.py --out runs/stopping.jsonl --programs self-ask,mzqa --questions 50
    python benchmarks/stopping.py --out runs/train.jsonl --train --questions 48
    python benchmarks/stopping.py --out runs/qwen.jsonl --lm server/MODEL@ADDRESS --questions 30
    python benchmarks/stopping.py --out runs/stopping.jsonl --table
"""

import argparse
import asyncio
import json
from collections import defaultdict
from pathlib import Path

import dspy
import numpy as np

from multihop import BM25, Little, create, open_corpus, open_lm, open_questions
from multihop.evaluation.metrics import F1, ExactMatch
from multihop.evaluation.statistics import bootstrap_means

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
PROGRAMS = ("ircot", "resp", "tor", "cor", "iter-retgen", "self-ask", "react", "decomp", "mzqa")
RULES = {
    "none": (),
    "default": ("repeats", "nothing-new"),
}
SMALL = {"mzqa": {"iterations": 6, "depth": 3, "candidates": 3}}
"""Settings of searches that would take too long as published."""
BATCH = 16


def main() -> None:
    """Answer what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument(
        "--sets", default=",".join(SETS), help='names, separated by commas; "little" comes with the library'
    )
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--lm", default="local")
    parser.add_argument("--questions", type=int, help="of each set; all unless told")
    parser.add_argument("--offset", type=int, default=0, help="questions to pass over")
    parser.add_argument("--train", action="store_true", help="training questions, over their own paragraphs")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--table", action="store_true", help="print the table of what is there, and answer nothing")
    given = parser.parse_args()
    if not given.table:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        with dspy.context(lm=open_lm(given.lm)), given.out.open("a", encoding="utf-8") as out:
            for name in given.sets.split(","):
                questions, retriever = opened(name, given)
                for start in range(0, len(questions), BATCH):
                    for program in given.programs.split(","):
                        asyncio.run(answer(program, name, questions[start : start + BATCH], retriever, given, out))
    print_table([json.loads(line) for line in given.out.open(encoding="utf-8")])


def opened(name, given):
    """The questions of a set and the index of their corpus."""
    last = None if given.questions is None else given.offset + given.questions
    if name == "little":
        return list(Little().questions())[given.offset : last], BM25.build(Little().passages())
    kind = "train" if given.train else "dev"
    questions = list(open_questions(given.shared / f"{name}.{kind}.jsonl.gz"))
    if given.train:
        corpus = {page.id: page for question in questions for page in question.passages}.values()
    else:
        corpus = open_corpus(given.shared / f"{name}.corpus.jsonl.gz")
    return questions[given.offset : last], BM25.build(list(corpus), titles=name != "musique")


async def answer(program, name, questions, retriever, given, out):
    """Each question under each set of rules, as far as it is not answered yet."""
    done = {tuple(json.loads(line)["key"]) for line in given.out.open(encoding="utf-8")}
    for rules in given.rules.split(","):
        made = create(program, retriever, stops=RULES[rules], **SMALL.get(program, {}))
        missing = [each for each in questions if (given.lm, name, program, rules, each.id) not in done]
        answers = await asyncio.gather(*(made.acall(question=each.question) for each in missing))
        for question, prediction in zip(missing, answers, strict=True):
            line = {
                "key": [given.lm, name, program, rules, question.id],
                "em": ExactMatch().measure(question, prediction),
                "f1": F1(rules=name if name in SETS else "hotpotqa").measure(question, prediction),
                "calls": prediction.cost["calls"],
                "tokens": sum(each["in"] + each["out"] for each in prediction.cost["tokens"].values()),
                "stopped": [step["outputs"]["rule"] for step in flat(prediction.trajectory) if step["step"] == "stop"],
            }
            out.write(json.dumps(line) + "\n")
        out.flush()


def flat(steps):
    """All steps, those of branches in the place of the branches."""
    for step in steps:
        yield from (each for branch in step["branches"] for each in flat(branch)) if "branches" in step else (step,)


def print_table(lines):
    """A row for each program, set and set of rules; the interval is that of F1 against no rule, paired by question."""
    found = defaultdict(dict)
    for line in lines:
        lm, name, program, label, question = line["key"]
        for each in (name, "all"):
            found[lm, program, each, label][name, question] = line
    print("| LM | program | set | n | rules | EM | F1 | F1 kept | difference | calls | saved | tokens | ended |")
    print("| --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for lm, program, name, label in sorted(found):
        rows, base = found[lm, program, name, label], found.get((lm, program, name, "none"), {})
        both = [key for key in rows if key in base]
        if not both:
            continue
        mean = {field: np.mean([rows[key][field] for key in both]) for field in ("em", "f1", "calls", "tokens")}
        before = {field: np.mean([base[key][field] for key in both]) for field in ("f1", "calls")}
        gap = bootstrap_means({"f1": np.array([rows[key]["f1"] - base[key]["f1"] for key in both])})["f1"]
        ended = [sum(rule in rows[key]["stopped"] for key in both) for rule in RULES["default"]]
        cells = [lm, program, name, len(both), label, f"{100 * mean['em']:.1f}", f"{100 * mean['f1']:.1f}"]
        cells += [f"{mean['f1'] / (before['f1'] or 1):.1%}"]
        cells += [f"{100 * gap.mean:+.1f} ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"]
        cells += [f"{mean['calls']:.2f}", f"{1 - mean['calls'] / before['calls']:.0%}", f"{mean['tokens']:,.0f}"]
        print(f"| {' | '.join(map(str, cells))} | {', '.join(map(str, ended))} |")


if __name__ == "__main__":
    main()
