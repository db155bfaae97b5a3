"""`most_calls` is never too little, whatever an LM answers."""

import random

import dspy
import pytest

from multihop import PROGRAMS, create, scripted
from multihop.retrieval import Passage

SMALL = {
    "tor": {"depth": 2, "widths": (3, 2)},
    **{name: {"iterations": 4, "depth": 3, "candidates": 2} for name in ("mzqa", "rap", "lats", "lats-mzqa")},
    "tot-bfs": {"depth": 3, "candidates": 2, "breadth": 2},
    "tot-dfs": {"depth": 3, "candidates": 2, "expansions": 4},
}
PAGES = [Passage(f"p{n}", f"Page {n}", f"This is page {n}.") for n in range(40)]


def finds(query, k):
    first = sum(map(ord, query)) % len(PAGES)
    return [(PAGES[(first + place) % len(PAGES)], 1.0) for place in range(k)]


def answering(dice):
    """An LM that says anything: every field of its type, at random."""
    made = {
        "str": lambda: dice.choice(["", f"word {dice.randrange(99)}", f"search: thing {dice.randrange(99)}", "7"]),
        "bool": lambda: dice.random() < 0.3,
        "list[str]": lambda: [f"search: part {dice.randrange(999)}" for _ in range(3)],
        "int": lambda: dice.randrange(11),
        "float": lambda: dice.random(),
    }

    def answer(prompt):
        values = {}
        for field in prompt.output_fields:
            kind = field.type.removeprefix("Union[").split(",")[0].rstrip("]")
            known = field.type if field.type in made else kind
            values[field.name] = (
                dice.choice(["search", "finish"]) if field.name == "action" else made.get(known, made["str"])()
            )
        if "score" in values:
            values["score"] = dice.randrange(11)
        return values

    return scripted(answer)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_question_takes_more(name):
    settings = SMALL.get(name, {})
    if name in ("mzqa", "rap", "lats", "lats-mzqa", "mzqa-bc", "lats-bc", "tot-bfs", "tot-dfs"):
        settings = {**settings, "reuse": "none"}
    dice, taken = random.Random(name), []
    program = create(name, finds, retries=0, **settings)
    for number in range(4):
        with dspy.context(lm=answering(dice)):
            cost = program(question=f"What is thing {number}?").cost
        taken.append(cost["calls"])
    assert max(taken) <= program.most_calls()
    if name in ("direct", "one-step", "recomp", "decompose", "replug", "mzqa-bc"):
        assert max(taken) == program.most_calls()


def test_the_papers_own_settings():
    counted = {name: create(name, finds).most_calls() for name in ("tor", "resp", "mzqa", "mzqa-bc", "react", "sure")}
    assert counted == {"tor": 5 + 15 + 45 + 20 + 1, "resp": 12, "mzqa": 821, "mzqa-bc": 13, "react": 5, "sure": 7}
    assert create("tor", finds, expansion="direct").most_calls() == 66
    assert create("lats", finds, reflections=0).most_calls() < create("lats", finds).most_calls()
