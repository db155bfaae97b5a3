"""What a compile is told beside its variants: arguments, seeds, validation questions, steps of their own."""

import dspy
import pytest
from simulated import simulated

from multihop import InputError, compile_variants, create, load, save, scripted
from multihop.optimize.variants import VARIANTS, Variant, chosen_variants
from multihop.signatures import AnswerFromPassages


@pytest.fixture
def made(little, tmp_path):
    """A study of variants, and the demonstrations of each."""

    def compile_with(*variants, **options):
        retriever, questions, _ = little
        lm = simulated(questions, iter(retriever), error_rate=0.0, known=1.0)
        given = {"train": questions[:6], "dev": questions[15:20], "to": tmp_path / "p.json", **options}
        with dspy.context(lm=lm):
            done = compile_variants(create("one-step", retriever), variants, **given)
        work = tmp_path / "p.json.work" / "variants"
        return done, {path.stem: load(path, retriever).answer.demos for path in work.glob("*.json")}

    return compile_with


def broken(tools):
    raise RuntimeError("out of ideas")


def test_a_variant_that_fails_is_left_out_and_told_and_the_others_are_saved(made):
    told = []
    done, _ = made(Variant("mine", "an idea", broken), "zero-shot", tell=told.append)
    assert (done.best, done.skipped, done.failed) == ("zero-shot", [], {"mine": "RuntimeError: out of ideas"})
    assert "mine is left out: RuntimeError: out of ideas" in told
    with pytest.raises(RuntimeError, match="out of ideas"):
        made(Variant("mine", "an idea", broken))


def test_arguments_reach_the_optimizer_and_one_that_it_does_not_take_is_refused(made):
    _, demos = made("bootstrapped", settings={"bootstrapped": {"max_bootstrapped_demos": 2}})
    assert len(demos["bootstrapped"]) == 2
    with pytest.raises(InputError, match=r"'max_demos'; did you mean .* Valid: max_bootstrapped_demos, "):
        made("bootstrapped", settings={"bootstrapped": {"max_demos": 2}})
    with pytest.raises(InputError, match="unknown variant with arguments 'labeled-3'"):
        made("labeled-3", "bootstrapped", settings={"labeled-3": {"k": 2}})


def test_each_seed_draws_demonstrations_of_its_own(made):
    done, demos = made("zero-shot", "labeled-3", seeds=3)
    assert [each.variant for each in done.outcomes] == ["zero-shot", *(f"labeled-3.{n}" for n in range(3))]
    drawn = [tuple(demo["question"] for demo in demos[f"labeled-3.{n}"]) for n in range(3)]
    assert len(set(drawn)) > 1


def test_each_run_of_a_variant_is_that_variant_whatever_its_name_ends_with():
    runs = chosen_variants([VARIANTS["finetuned"], Variant("mine.0", "an idea", broken)], 2)
    assert [each.name for each in runs] == ["finetuned.0", "finetuned.1", "mine.0.0", "mine.0.1"]
    assert [each.base for each in runs] == ["finetuned", "finetuned", "mine.0", "mine.0"]
    assert chosen_variants([Variant("mine.0", "an idea", broken)], 1)[0].base == "mine.0"


def test_a_step_may_have_a_variant_of_its_own(made):
    done, demos = made("answer=labeled-3")
    assert [each.variant for each in done.outcomes] == ["answer.labeled-3"]
    assert demos["answer.labeled-3"] == demos["labeled-3"]
    assert len(demos["labeled-3"]) == 3
    with pytest.raises(InputError, match="unknown step of one-step 'review'"):
        made("review=labeled-3")
    with pytest.raises(InputError, match="names a step twice"):
        made("answer=labeled-3/answer=zero-shot")


def test_optimizers_that_choose_are_given_the_validation_questions(made, little, monkeypatch):
    seen, told = [], []

    def compiled(self, student, *, trainset, valset=None, **more):
        seen.append([each.question for each in valset or ()])
        return student

    monkeypatch.setattr(dspy.BootstrapFewShotWithRandomSearch, "compile", compiled)
    validation = little[1][20:23]
    made("random-search", validation=validation, tell=told.append)
    assert seen == [[each.question for each in validation]]
    assert not any("--val" in line for line in told)
    with pytest.raises(InputError, match="1 questions are in both the validation and the dev questions"):
        made("random-search", validation=little[1][19:22])


def test_without_them_it_is_said_that_they_choose_by_what_they_learn_from(made):
    told = []
    made("zero-shot", "optuna-search", "rules", tell=told.append)
    assert "optuna-search, rules: chosen by the questions that it learns from; --val names others" in told


def test_rules_are_written_into_the_instructions_of_that_program_alone(little, tmp_path):
    """The first of four candidates answers right: it is kept, with its own rules."""
    written = iter(range(9))
    retriever, questions, _ = little
    gold = {each.question: each.answer for each in questions}

    def answer(prompt):
        if "examples_text" in prompt.inputs:
            return {"reasoning": "", "natural_language_rules": f"Rule {next(written)}."}
        return {"answer": gold[prompt.inputs["question"]] if "Rule 0." in prompt.instructions else "x"}

    before = AnswerFromPassages.instructions
    with dspy.context(lm=scripted(answer)):
        compile_variants(
            create("one-step", retriever), ["rules"], train=questions[:4], dev=questions[15:17], to=tmp_path / "p.json"
        )
    assert load(tmp_path / "p.json", retriever).answer.signature.instructions.endswith("Rule 0.")
    assert AnswerFromPassages.instructions == before


def test_a_program_whose_forward_was_replaced_is_not_saved_as_its_plain_self(little, tmp_path):
    def vectors(texts):
        return [[float(len(text)), 1.0] for text in texts]

    examples = [question.to_example() for question in little[1][:4]]
    with dspy.context(lm=scripted([])):
        compiled = dspy.KNNFewShot(2, examples, dspy.Embedder(vectors)).compile(create("one-step", little[0]))
    with pytest.raises(InputError, match="its forward was replaced, and no file can hold that"):
        save(compiled, tmp_path / "p.json")
