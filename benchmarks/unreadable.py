"""Counts the completions of an LM that no step could read: of every program in its smallest settings, in turns.

    python benchmarks/unreadable.py server/MODEL@http://localhost:8080/v1 --calls 2000
    python benchmarks/unreadable.py server/MODEL@http://localhost:8080/v1 --structured text --calls 200 --to counts.json
    python benchmarks/unreadable.py server/MODEL@http://localhost:8000/v1 --at-once 16

The questions are of the little encyclopedia, searched with BM25. Each program answers a question in its turn until so
many calls are made; what is counted is kept in the file, and the same command goes on from it.
"""

import argparse
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from pathlib import Path

import dspy

from multihop import Little, create, open_lm
from multihop.data import open_retriever
from multihop.programs import PROGRAMS
from multihop.runtime import Budget

MOST = Budget(calls=25)
"""The budget of one question."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lm", help="such as server/MODEL@http://localhost:8000/v1")
    parser.add_argument("--structured", default="auto", choices=("auto", "schema", "json", "text"))
    parser.add_argument("--programs", help="such as rap,lats; all but cloned ones by default")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=1, help="questions in flight; several only for a server")
    parser.add_argument("--max-tokens", type=int, default=300, help="of one answer; small models repeat themselves")
    parser.add_argument("--to", type=Path, default=Path("runs/unreadable.json"))
    given = parser.parse_args()
    lm = open_lm(given.lm, structured=given.structured, max_tokens=given.max_tokens)
    key = f"{lm.model} {lm.structured}"
    kept = json.loads(given.to.read_text()) if given.to.exists() else {}
    state = kept.setdefault(key, {"turns": 0, "calls": {}, "unreadable": {}})
    calls, unreadable = Counter(state["calls"]), Counter(state["unreadable"])
    questions = [each.question for each in Little().questions()]
    retriever = open_retriever("little")
    names = given.programs.split(",") if given.programs else [name for name in PROGRAMS if not name.endswith("-bc")]

    def ask(turn: int) -> tuple[str, dict]:
        name = names[turn % len(names)]
        kind = PROGRAMS[name]
        program = create(name, retriever if kind.retrieves else None, budget=MOST, **kind.small)
        with dspy.context(lm=lm):
            try:
                return name, program(question=questions[turn % len(questions)]).cost
            except dspy.utils.exceptions.AdapterParseError as error:
                return name, error.cost

    turns = count(state["turns"])
    with ThreadPoolExecutor(given.at_once) as pool:
        while calls.total() < given.calls:
            for name, cost in pool.map(ask, islice(turns, given.at_once)):
                calls[name] += cost["calls"]
                unreadable[name] += cost["parse_failures"]
                state |= {"turns": state["turns"] + 1, "calls": calls, "unreadable": unreadable}
            given.to.parent.mkdir(parents=True, exist_ok=True)
            given.to.write_text(json.dumps(kept, indent=1))
            print(f"{calls.total():5} calls, {unreadable.total()} unreadable; {name}", flush=True)
    print(f"{key}: {unreadable.total()} of {calls.total()} completions could not be read")
    for name, number in unreadable.items():
        if number:
            print(f"  {name}: {number} of {calls[name]}")


if __name__ == "__main__":
    main()
