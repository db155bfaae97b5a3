"""Each optimizer makes a program better, and by what it changed: the LM answers right only where it sees that."""

import dspy
import pytest
from dspy.lm15 import Message, Request
from learner import EASY, GOLD, LESSON, OnePage, examples, is_easy, is_shown, is_told, learner, reply, writer

from multihop import create
from multihop.evaluation.metrics import F1
from multihop.lms import parse_prompt
from multihop.optimize import variants
from multihop.optimize.compiling import compiled
from multihop.optimize.gold_examples import ExamplePool, StepExample
from multihop.optimize.variants import VARIANTS, Tools, variant_named, variants_named

SMALL = {name: {"iterations": 2, "depth": 2} for name in ("mzqa", "lats-mzqa")}
SMALL |= {name: {"depth": 2} for name in ("tot-bfs", "tot-dfs")}
INSTRUCTED = ("instructions", "instructions-copro", "instructions-gepa")
FOUND = [
    ("tot-bfs", "instructions"),
    ("tor", "instructions-copro"),
    ("tot-dfs", "instructions-gepa"),
    ("lats-mzqa", "bootstrapped"),
    ("tot-dfs", "random-search"),
    ("tor", "simba"),
    ("tor", "instructions+demos"),
]
TRAIN, FEW = list(GOLD)[:8], 4
"""Training questions; where an optimizer asks each of them often, few will do."""
HELD = [question for question in list(GOLD)[30:] if question not in EASY][:3]


@pytest.fixture(autouse=True)
def short(monkeypatch):
    for name, most in (("CANDIDATES", 2), ("TRIALS", 6), ("GEPA_RUNS", 8)):
        monkeypatch.setattr(variants, name, most)


def right(program, lm):
    """The number of right answers to questions that were not trained on."""
    with dspy.context(lm=lm):
        return sum(program(question=question).answer == GOLD[question] for question in HELD)


def make(program, name, lm, **more):
    tools = Tools(metric=F1(), writer=writer(), threads=4)
    asked = examples(TRAIN if name.startswith("bootstrapped") else TRAIN[:FEW])
    with dspy.context(lm=lm):
        return compiled(program, VARIANTS[name], tools=tools, questions=asked, **more)


def knowing(variant):
    """An LM that answers right where its prompt shows what the variant looks for, and else some easy questions."""
    told, shown = "instructions" in variant, variant not in INSTRUCTED

    def knows(prompt, model):
        return (shown and is_easy(prompt)) or ((is_told(prompt) or not told) and (is_shown(prompt) or not shown))

    return learner(knows)


@pytest.mark.parametrize(("name", "variant"), FOUND)
def test_a_search_answers_right_because_of_what_was_found(name, variant):
    program, lm = create(name, OnePage(), **SMALL.get(name, {})), knowing(variant)
    made = make(program, variant, lm)
    if "instructions" in variant:
        assert LESSON in made.read.signature.instructions
    if variant not in INSTRUCTED:
        assert made.read.demos
        assert {demo["question"] for demo in made.read.demos} <= set(TRAIN)
    assert LESSON not in program.read.signature.instructions
    assert made.settings == program.settings
    assert (right(program, lm), right(made, lm)) == (0, len(HELD))


VALUES = {str: "x", int: 2, list[str]: ["x"]}


def step_examples(program, count):
    """For each predictor, what it would answer to so many training questions if it knew how."""
    return {
        name: ExamplePool(
            tuple(StepExample(step_example(predictor.signature, each), "any", each) for each in TRAIN[:count]), ("any",)
        )
        for name, predictor in program.named_predictors()
    }


def step_example(signature, question):
    inputs = {name: VALUES[field.annotation] for name, field in signature.input_fields.items()}
    inputs["question"] = question
    system, user = dspy.ChatAdapter().format(signature, demos=[], inputs=inputs)
    messages = (Message.user(user["content"]),)
    prompt = parse_prompt(Request(model="any", system=system["content"], messages=messages))
    return dspy.Example(**inputs, **reply(prompt, right=True)).with_inputs(*inputs)


@pytest.mark.parametrize(("name", "variant"), [("tor", "instructions-gepa"), ("mzqa", "bootstrapped")])
def test_step_by_step_every_step_answers_right_because_of_what_was_found(name, variant):
    told = "instructions" in variant
    knows = is_told if told else lambda prompt, model: is_easy(prompt) or bool(prompt.demonstrations)
    program, lm = create(name, OnePage(), **SMALL.get(name, {})), learner(knows, everywhere=True)
    made = make(program, variant, lm, steps=step_examples(program, FEW), step_by_step=True)
    for _, predictor in made.named_predictors():
        assert LESSON in predictor.signature.instructions if told else predictor.demos
    assert (right(program, lm), right(made, lm)) == (0, len(HELD))


def test_all_are_those_that_nothing_is_missing_for():
    assert set(VARIANTS) - set(variants_named("all")) == {"given", "finetuned"}
    assert set(variants_named("all", given=True)) == set(VARIANTS) - {"finetuned"}
    assert variant_named("MIPROv2") is VARIANTS["instructions+demos"]  # as DSPy calls it
