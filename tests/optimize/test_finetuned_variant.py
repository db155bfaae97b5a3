"""The variant `finetuned`: DSPy's BootstrapFinetune over right runs, and the program that asks the result."""

from itertools import islice

import dspy
import pytest
from simulated import simulated

from multihop import BM25, InputError, Little, create, load, save
from multihop.evaluation.metrics import F1
from multihop.optimize import finetuning
from multihop.optimize.compiling import compiled
from multihop.optimize.finetuning import FinetuneProvider, Tuned
from multihop.optimize.variants import VARIANTS, Tools


@pytest.fixture(scope="module")
def little():
    retriever, questions = BM25.build(Little().passages()), list(islice(Little().questions(), 4))
    return retriever, questions, simulated(questions, iter(retriever), known=0.0, error_rate=0.0)


def compile_it(program, little, lm):
    examples = [question.to_example() for question in little[1]]
    with dspy.context(lm=lm):
        return compiled(program, VARIANTS["finetuned"], tools=Tools(metric=F1(), threads=2), questions=examples)


def trainable(lm):
    lm = lm.copy()
    lm.provider = FinetuneProvider()
    return lm


def test_the_lm_learns_every_call_of_right_runs_and_every_step_asks_it(little, tmp_path, monkeypatch):
    program, told, lm = create("ircot", little[0]), [], trainable(little[2])

    def tune(model, rows, **_):
        told.append((model, rows))
        return Tuned(lm=f"{model}-tuned", base=model)

    monkeypatch.setattr(finetuning, "finetune", tune)
    made = compile_it(program, little, lm)
    ((model, rows),) = told
    assert model == lm.model
    with dspy.context(lm=little[2]):
        runs = [program(question=question.question) for question in little[1]]
    pairs = zip(runs, little[1], strict=True)
    right = [run for run, question in pairs if float(F1()(question.to_example(), run)) == 1.0]
    assert len(rows) == sum(run.cost["calls"] + run.cost["cached"] for run in right) > 0
    assert made.cloned == tuple(program.steps)
    assert {each.model for each in made.step_lms.values()} == {f"{model}-tuned"}
    assert program.step_lms == {}
    save(made, tmp_path / "p.json")
    assert load(tmp_path / "p.json", little[0]).settings["lms"] == dict.fromkeys(program.steps, f"{model}-tuned")


def test_an_lm_that_nobody_fine_tunes_and_steps_with_their_own_are_refused_before_a_call(little):
    with pytest.raises(InputError, match="there is no conversation to fine-tune"):  # no run of it is right
        compile_it(create("one-step", little[0]), little, trainable(little[2]))
    asked = len(little[2].history)
    with pytest.raises(InputError, match="nobody is known who fine-tunes multihop/simulated.* `multihop clone` trains"):
        compile_it(create("one-step", little[0]), little, little[2])
    with pytest.raises(InputError, match="trains the one LM of all steps on whole runs"):
        compile_it(create("one-step", little[0], lms={"answer": "openai/x"}), little, little[2])
    assert len(little[2].history) == asked
