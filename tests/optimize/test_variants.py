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
from multihop.optimize.variants import VARIANTS, Tools, variants_named

SEARCHES = {
    "tor": {},
    "mzqa": {"iterations": 3, "depth": 3},
    "lats": {"iterations": 3, "depth": 3},
    "lats-mzqa": {"iterations": 3, "depth": 3},
    "rap": {"iterations": 3, "depth": 3, "retrieval": True},
    "tot-bfs": {"depth": 3},
    "tot-dfs": {"depth": 3},
}
INSTRUCTED = ("instructions", "instructions-copro", "instructions-gepa")
SHOWN = ("bootstrapped", "random-search", "simba")
TRAIN = [question for place, question in enumerate(GOLD) if place < 12]
FEWER = {"instructions-copro": 2, "simba": 4, "instructions": 4}
"""Training questions of the optimizers that ask each of them the most often."""
HELD = [question for place, question in enumerate(GOLD) if place >= 30 and question not in EASY]


@pytest.fixture(autouse=True)
def short(monkeypatch):
    for name, most in (("CANDIDATES", 2), ("TRIALS", 6), ("GEPA_RUNS", 8)):
        monkeypatch.setattr(variants, name, most)


def right(program, lm):
    """The number of right answers to questions that were not trained on."""
    with dspy.context(lm=lm):
        return sum(program(question=question).answer == GOLD[question] for question in HELD)


def make(program, name, lm, lesson=LESSON, **more):
    tools = Tools(metric=F1(), writer=writer(lesson), threads=4)
    asked = examples(TRAIN[: FEWER.get(name)])
    with dspy.context(lm=lm):
        return compiled(program, VARIANTS[name], tools=tools, questions=asked, **more)


@pytest.mark.grid(most=4)
@pytest.mark.parametrize("variant", INSTRUCTED)
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_answers_right_because_of_the_instruction_that_was_found(name, variant):
    program, lm = create(name, OnePage(), **SEARCHES[name]), learner(is_told)
    made = make(program, variant, lm)
    assert LESSON in made.read.signature.instructions
    assert LESSON not in program.read.signature.instructions
    assert made.settings == program.settings
    assert (right(program, lm), right(made, lm)) == (0, len(HELD))


@pytest.mark.grid(most=4)
@pytest.mark.parametrize("variant", SHOWN)
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_answers_right_because_of_the_demonstrations_that_were_found(name, variant):
    lm = learner(lambda prompt, model: is_easy(prompt) or is_shown(prompt))
    program = create(name, OnePage(), **SEARCHES[name])
    made = make(program, variant, lm)
    assert made.read.demos
    assert {demo["question"] for demo in made.read.demos} <= set(TRAIN)
    assert made.settings == program.settings
    assert (right(program, lm), right(made, lm)) == (0, len(HELD))


@pytest.mark.parametrize("name", ["tor", "mzqa"])
def test_instructions_and_demonstrations_are_found_together(name):
    lm = learner(lambda prompt, model: is_easy(prompt) or (is_told(prompt) and is_shown(prompt)))
    program = create(name, OnePage(), **SEARCHES[name])
    made = make(program, "instructions+demos", lm)
    assert made.read.demos
    assert LESSON in made.read.signature.instructions
    assert (right(program, lm), right(made, lm)) == (0, len(HELD))


@pytest.mark.parametrize("variant", INSTRUCTED)
def test_another_instruction_makes_nothing_better(variant):
    program, lm = create("tor", OnePage()), learner(is_told)
    assert right(make(program, variant, lm, lesson="Answer it."), lm) == 0


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


@pytest.mark.grid
@pytest.mark.parametrize("variant", [*INSTRUCTED, *SHOWN])
@pytest.mark.parametrize("name", ["tor", "mzqa"])
def test_step_by_step_every_step_answers_right_because_of_what_was_found(name, variant):
    told = variant in INSTRUCTED
    knows = is_told if told else lambda prompt, model: is_easy(prompt) or bool(prompt.demonstrations)
    program, lm = create(name, OnePage(), **SEARCHES[name]), learner(knows, everywhere=True)
    made = make(program, variant, lm, steps=step_examples(program, FEWER.get(variant)), step_by_step=True)
    for _, predictor in made.named_predictors():
        assert LESSON in predictor.signature.instructions if told else predictor.demos
    assert (right(program, lm), right(made, lm)) == (0, len(HELD))


def test_all_are_those_that_nothing_is_missing_for():
    assert set(VARIANTS) - set(variants_named("all")) == {"given", "finetuned"}
    assert set(variants_named("all", given=True)) == set(VARIANTS) - {"finetuned"}
