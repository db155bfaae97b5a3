"""Demonstrations of every step, of the little encyclopedia and of real training sets: see `lesson_checks`.

A few sizes and one seed each; `benchmarks/demonstrations.py` goes through all sizes from 20 to 500 and ten seeds.
"""

import random
from functools import cache

import dspy
import pytest
from lesson_checks import COUNTS, REAL, Lessons, available, decided, leaks, not_in_inputs, shares, wrong_types

from multihop import InputError
from multihop.optimize.prompts.steps import MAKERS

QUESTIONS = 40
"""Of each set; what they make is made once and shared by all tests."""
SMALL, FEW = 20, 5
SCARCE = {"SplitQuestion", "PickNextQuery", "DecomposeQuestion", "ProposeSubQuestions"}
SCARCE |= {"CompletePath", "CompletePathAloud"}
"""Steps that not every question has an example for: fifteen need more than twenty questions."""


@cache
def lessons(name):
    return Lessons(name, QUESTIONS)


def sets():
    missing = "the real training sets are not here"
    return [
        "little",
        *(pytest.param(each, marks=pytest.mark.skipif(not available(each), reason=missing)) for each in REAL),
    ]


@pytest.mark.grid
@pytest.mark.parametrize("step", MAKERS)
@pytest.mark.parametrize("name", sets())
def test_demonstrations_are_balanced_leak_nothing_and_copy_what_is_there(name, step):
    known = lessons(name)
    for size, seed in ((SMALL, 1), (QUESTIONS, 2)):
        drawn = random.Random(seed).sample(known.questions, size)
        pool = known.pool(step, drawn)
        for count in COUNTS:
            try:
                demos = pool.choose(count, seed=seed, step=step)
            except InputError:
                assert step in SCARCE
                assert pool.questions < count
                continue
            assert known.problems(step, pool, demos) == []


@pytest.mark.parametrize("step", ["JudgePath", "JudgePathAloud", "ReviewPath", "ReviewPathAloud", "ReadEvidence"])
def test_the_same_holds_for_a_chain(step):
    known = lessons("little")
    pool = known.pool(step, known.questions, chain=True)
    for count in COUNTS:
        assert known.problems(step, pool, pool.choose(count, seed=0, step=step)) == []


def row(step):
    """One demonstration, with its scene."""
    known = lessons("little")
    pool = known.pool(step, known.questions)
    example = next(each for each in pool.examples if not known.scenes[each.question].is_yes_or_no)
    return example.shown, known.scenes[example.question]


def test_a_leak_is_found():
    demo, scene = row("CompletePath")
    told = demo.copy(information=f"It is {scene.answer}.", question="Which?", path=["x"]).with_inputs(
        "question", "path"
    )
    assert [each.partition(":")[0] for each in leaks("CompletePath", told, scene)] == ["leak"]
    plan, scene = row("NextSubQuestion")
    told = plan.copy(history=[f"Which? -> {scene.answer}"]).with_inputs("history", "question")
    assert [each.partition(":")[0] for each in leaks("NextSubQuestion", told, scene)] == ["history"]


def test_what_is_copied_from_nowhere_is_found():
    demo, scene = row("AnswerStep")
    changed = demo.copy(sentence="Nobody ever said that.", result="So Zaphod did.").with_inputs(*demo.inputs().keys())
    kinds = [each.partition(":")[0] for each in not_in_inputs("AnswerStep", changed, scene)]
    assert kinds == ["copy", "name"]


def test_a_wrong_type_is_found():
    demo, _ = row("EvaluateHistory")
    assert list(wrong_types("EvaluateHistory", demo.copy(score="much"))) == ["type: score is 'much'"]


def test_one_sided_verdicts_are_found():
    known = lessons("little")
    pool = known.pool("JudgePath", known.questions)
    alike = {each.question: each for each in pool.examples if each.decision == "reject"}
    demos = [each.shown for each in list(alike.values())[:5]]
    assert shares("JudgePath", demos) == {"relevant": 1.0, "enough": 1.0}
    assert [each for each in known.problems("JudgePath", pool, demos) if each.startswith("balance")] == [
        "balance: 100% of relevant alike",
        "balance: 100% of enough alike",
    ]
    twice = [example.shown for example in pool.examples if example.question == pool.examples[0].question][:2]
    assert known.problems("JudgePath", pool, twice)[0].startswith("question: two from")


def test_scores_are_told_apart_by_their_level():
    levels = [decided("RateStep", dspy.Example(score=score).with_inputs())["score"] for score in ("0", "5", "10")]
    assert levels == ["low", "middle", "high"]
