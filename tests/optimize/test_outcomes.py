import dspy
import pytest
from learner import GOLD, OnePage, learner

from multihop import InputError, compile_variants, create, load
from multihop.data import Question
from multihop.optimize.gold_examples import ExamplePool, StepExample

DEV = list(GOLD)[10:22]
KINDS = ("zero-shot", "labeled-1", "given")


def strong_in_two_of_three(prompt, model):
    """Each set of demonstrations makes another third of the questions wrong."""
    shown = len(prompt.demonstrations)
    return int(prompt.inputs["question"].removesuffix("?").rpartition(" ")[2]) % 3 != min(shown, 2)


def studied(to, variants=KINDS, demos=2):
    shots = {"answer": [{"passages": ["x"], "question": f"{n}?", "answer": "y"} for n in range(demos)]}
    train, dev = (
        [Question(id=each, question=each, answers=(GOLD[each],)) for each in asked] for asked in (list(GOLD)[:2], DEV)
    )
    with dspy.context(lm=learner(strong_in_two_of_three)):
        return compile_variants(create("one-step", OnePage()), variants, train=train, dev=dev, to=to, demos=shots)


def test_dspy_votes_alike_with_the_programs_that_were_kept_and_other_demonstrations_are_other_work(
    tmp_path, monkeypatch
):
    # these questions have no supporting passages to make the demonstration from
    example = dspy.Example(passages=["x"], question="q", answer="y").with_inputs("passages", "question")
    pools = {"answer": ExamplePool((StepExample(example, "an answer", "q"),), ("an answer",))}
    monkeypatch.setattr("multihop.optimize.study._Compiling.make_examples", lambda *_: pools)
    done = studied(tmp_path / "p.json")
    assert [outcome.f1["mean"] for outcome in done.outcomes] == [pytest.approx(2 / 3)] * 3
    programs = [load(tmp_path / "p.json.work" / "variants" / f"{name}.json", OnePage()) for name in KINDS]
    with dspy.context(lm=learner(strong_in_two_of_three)):
        together = dspy.Ensemble(reduce_fn=dspy.majority).compile(programs)
        answers = [together(question=question).answer for question in DEV]
        alone = [programs[0](question=question).answer for question in DEV]
    assert answers == [GOLD[question] for question in DEV]
    assert alone != answers
    assert studied(tmp_path / "p.json").outcomes == done.outcomes
    with pytest.raises(InputError, match=r"given.json was made with other demonstrations; choose another file"):
        studied(tmp_path / "p.json", demos=3)


def test_own_demonstrations_must_be_given_and_an_ensemble_is_made_by_dspy(tmp_path):
    with pytest.raises(InputError, match=r"'ensemble' is gone: load the files in FILE\.work/variants and give them to"):
        studied(tmp_path / "p.json", variants=["zero-shot", "ensemble"])
    with pytest.raises(InputError, match="'given' needs demonstr"):
        compile_variants(create("one-step", OnePage()), ["given"], train=[], dev=[], to=tmp_path / "p.json")
