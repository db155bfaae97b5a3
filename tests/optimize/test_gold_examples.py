"""The choice of the examples that become demonstrations."""

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import InputError
from multihop.optimize.gold_examples import ExamplePool, StepExample

DECISIONS = ("accept", "reject", "search on")


def example(question, decision, *, length=10):
    return StepExample(dspy.Example(text="x" * length, decision=decision), decision, question)


def pool(count, decisions=DECISIONS, **more):
    """For each of so many questions an example of each decision, shorter from question to question."""
    made = [example(f"q{number}", decision, length=200 - number) for number in range(count) for decision in decisions]
    return ExamplePool(tuple(made), tuple(decisions), **more)


def decisions_of(demos):
    return [demo.decision for demo in demos]


@given(st.integers(15, 60), st.integers(0, 10**6))
def test_the_decisions_take_turns_each_of_another_question_and_fewer_are_the_first_of_more(questions, seed):
    made = pool(questions)
    most = made.choose(15, seed=seed)
    assert decisions_of(most) == list(DECISIONS) * 5
    for count in (1, 3, 5):
        assert made.choose(count, seed=seed) == most[:count]
    by_text = {id(each.shown): each.question for each in made.examples}
    assert len({by_text[id(demo)] for demo in most}) == 15


def test_of_one_question_the_shortest_is_taken_and_of_those_that_are_as_good_a_short_one():
    long, short = example("q", "a", length=90), example("q", "a", length=20)
    assert ExamplePool((long, short), ("a",)).choose(1, seed=0) == [short.shown]
    made = ExamplePool(tuple(example(f"q{n}", "a", length=n) for n in range(1, 401)), ("a",))
    lengths = [len(made.choose(1, seed=seed)[0].text) for seed in range(200)]
    assert sum(lengths) / len(lengths) < 130


def test_too_few_questions_and_decisions_that_too_few_show_are_named():
    with pytest.raises(InputError) as error:
        pool(4).choose(5, seed=0, step="review")
    assert str(error.value) == (
        "5 demonstrations of step 'review' need as many training questions, with examples of each decision; there are "
        "12 examples from 4 questions: give more training questions, or take a variant with fewer demonstrations."
    )
    one_sided = ExamplePool(pool(20, decisions=("accept", "search on")).examples, DECISIONS)
    with pytest.raises(InputError, match="40 examples from 20 questions, too few of them of 'reject': give more"):
        one_sided.choose(3, seed=0, step="review")
    assert decisions_of(one_sided.choose(1, seed=0)) == ["accept"]
    few = ExamplePool((*pool(20, decisions=("enough",)).examples, example("z", "not enough")), ("enough", "not enough"))
    assert decisions_of(few.choose(3, seed=0)) == ["enough", "not enough", "enough"]
    with pytest.raises(InputError, match="too few of them of 'not enough'"):
        few.choose(5, seed=0, step="judge")


def test_states_that_a_set_lacks_may_be_missing_and_verdicts_are_balanced_beside_them():
    alike = ExamplePool(pool(20, decisions=("first",)).examples, ("later", "first"), frozenset({"later", "first"}))
    assert decisions_of(alike.choose(5, seed=0)) == ["first"] * 5
    made = pool(20, decisions=("enough", "later", "first"), optional=frozenset({"later", "first"}))
    assert decisions_of(made.choose(5, seed=0)) == ["enough", "later", "first", "enough", "later"]
    without = ExamplePool(tuple(e for e in made.examples if e.kind != "enough"), made.kinds, made.optional)
    with pytest.raises(InputError, match="too few of them of 'enough'"):
        without.choose(3, seed=0)
