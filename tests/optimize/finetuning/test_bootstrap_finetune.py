"""DSPy's own fine-tuning optimizer, end to end, with the provider that trains on this machine."""

from itertools import islice

import dspy
import pytest
from simulated import simulated
from tiny_lm import NEEDS_TRAINING, make_tiny

from multihop import BM25, Little, create, load, save
from multihop.lms import open_lm
from multihop.optimize.finetuning.clone_folder import read_card
from multihop.optimize.finetuning.local_finetuning import LocalProvider

pytestmark = NEEDS_TRAINING


@pytest.fixture(scope="module")
def little():
    retriever, questions = BM25.build(Little().passages()), list(islice(Little().questions(), 3))
    return retriever, questions, simulated(questions, iter(retriever), known=0.0)


@pytest.mark.parametrize(("name", "steps"), [("one-step", {"answer"}), ("ircot", {"think", "read"})])
def test_bootstrap_finetune_trains_a_program_that_then_asks_what_was_trained(name, steps, little, tmp_path):
    retriever, questions, teaches = little
    base = make_tiny(tmp_path / "base", context=8192)
    student, teacher = create(name, retriever), create(name, retriever)
    served = open_lm(
        "server/base@http://127.0.0.1:9/v1",
        structured="text",
        provider=LocalProvider(),
        finetuning_model=str(base),
        max_tokens=8,
    )
    student.set_lm(served)
    teacher.set_lm(teaches)
    trainset = [dspy.Example(question=each.question).with_inputs("question") for each in questions]
    options = {"output": str(tmp_path / "trained"), "epochs": 1, "held_out": 0}
    optimizer = dspy.BootstrapFinetune(train_kwargs=options, exclude_demos=True, num_threads=1)
    trained = optimizer.compile(student, trainset=trainset, teacher=teacher)
    lms = {predictor.lm for predictor in trained.predictors()}
    (lm,) = lms
    assert {each.partition(".")[0] for each, _ in trained.named_predictors()} == steps
    assert (lm.model, lm.kwargs["api_base"], lm.kwargs["max_tokens"]) == ("server/trained", "http://127.0.0.1:9/v1", 8)
    assert read_card(tmp_path / "trained")["conversations"] >= 3
    save(trained, tmp_path / "program.json")
    with dspy.context(lm=teaches):
        assert load(tmp_path / "program.json", retriever).name == name
