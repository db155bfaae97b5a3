import dspy
import fake_provider
import pytest
from learner import EASY, GOLD, OnePage, examples, is_easy, is_shown, learner

from multihop import InputError, compile_variants, create, lexical, load
from multihop.data import Question
from multihop.evaluation.metrics import F1
from multihop.optimize.prompts.choosing import ExamplePool, StepExample
from multihop.optimize.prompts.compiling import compiled
from multihop.optimize.prompts.together import finetuner_for
from multihop.optimize.prompts.variants import VARIANTS, Tools

FAKE = "fake_provider:FakeProvider"
TRAIN = list(GOLD)[:8]
HELD = [question for question in list(GOLD)[20:] if question not in EASY]
SEARCHES = {"tor": {}, "mzqa": {"iterations": 3, "depth": 3}}


@pytest.fixture(autouse=True)
def nothing_trained():
    fake_provider.TRAINED.clear()


def has_learned(model):
    """True if the model is one that was trained, and on right answers alone."""
    answers = [row["messages"][-1]["content"] for _, rows, *_ in fake_provider.TRAINED for row in rows]
    return model.endswith("-cloned") and any("thing" in answer for answer in answers)


def trained_or_easy(prompt, model):
    return is_easy(prompt) or has_learned(model)


def right(program, lm):
    with dspy.context(lm=lm):
        return sum(program(question=question).answer == GOLD[question] for question in HELD)


def studied(name, to, lm, **more):
    asked = [Question(id=question, question=question, answers=(GOLD[question],)) for question in [*TRAIN, *HELD]]
    given = {"provider": FAKE, "options": {"epochs": 2}, "variants": ["zero-shot", "better-together"], **more}
    with dspy.context(lm=lm):
        program = create(name, OnePage(), **SEARCHES[name])
        return compile_variants(program, given.pop("variants"), train=asked[:8], dev=asked[8:], to=to, **given)


@pytest.mark.grid(most=1)
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_answers_right_because_its_lm_was_trained_on_its_right_runs(name, tmp_path):
    done = studied(name, tmp_path / "p.json", learner(trained_or_easy))
    assert {each.variant: each.f1["mean"] for each in done.outcomes} == {"zero-shot": 0.0, "better-together": 1.0}
    (model, rows, form, options) = fake_provider.TRAINED[0]
    assert (model, form, options, len(fake_provider.TRAINED)) == ("multihop/learner@1", "chat", {"epochs": 2}, 1)
    finals = [row["messages"] for row in rows if "thing " in row["messages"][-1]["content"]]
    learned = {question for question in GOLD for messages in finals if f"\n{question}\n" in messages[-2]["content"]}
    assert learned
    assert learned <= EASY & set(TRAIN)  # only what went right
    program = load(done.artefact, OnePage(), settings={"lms": None})
    assert right(program, learner(trained_or_easy)) == 0  # the prompts alone do not do it
    stored = load(done.artefact, OnePage())
    assert set(stored.lms) == set(stored.steps)
    assert {lm.model for lm in stored.lms.values()} == {"multihop/learner@1-cloned"}


def test_issued_again_nothing_is_trained_and_other_options_are_refused(tmp_path):
    first = studied("tor", tmp_path / "p.json", learner(trained_or_easy))
    assert studied("tor", tmp_path / "p.json", learner(trained_or_easy)).outcomes == first.outcomes
    assert len(fake_provider.TRAINED) == 1
    with pytest.raises(InputError, match="was made with other settings of the fine-tuning; choose another file"):
        studied("tor", tmp_path / "p.json", learner(trained_or_easy), options={"epochs": 3})


def test_after_the_training_demonstrations_are_looked_for_with_the_trained_lm():
    def knows(prompt, model):  # the trained one answers right where it is shown how, and no other learns from it
        return is_easy(prompt) or (has_learned(model) and is_shown(prompt))

    lm = learner(knows)
    tools = Tools(metric=F1(), threads=4, finetuner=finetuner_for(lm, FAKE))
    program = create("tor", OnePage())
    with dspy.context(lm=lm):
        made = compiled(program, VARIANTS["better-together"], tools=tools, questions=examples(TRAIN))
        assert set(tools.trained.values()) == {"multihop/learner@1-cloned"}
        made.lms = dict.fromkeys(made.steps, lm.copy(model="multihop/learner@1-cloned"))
    assert made.read.demos
    assert right(made, lm) == len(HELD)


def test_step_by_step_each_step_gets_its_model():
    lm = learner(lambda prompt, model: model.endswith("-cloned") or is_easy(prompt), everywhere=True)
    tools = Tools(metric=F1(), threads=4, finetuner=finetuner_for(lm, FAKE))
    program = create("one-step", OnePage())
    shown = [
        dspy.Example(passages=["x"], question=question, answer=GOLD[question]).with_inputs("passages", "question")
        for question in TRAIN
    ]
    steps = {"answer": ExamplePool(tuple(StepExample(each, "any", each.question) for each in shown), ("any",))}
    with dspy.context(lm=lm):
        compiled(program, VARIANTS["better-together"], tools=tools, steps=steps, step_by_step=True)
    assert tools.trained == {program.answer.signature: "multihop/learner@1-cloned"}


def test_a_training_that_fails_says_why(tmp_path):
    with pytest.raises(InputError, match="fine-tuning 'multihop/learner@1' failed: no quota"):
        studied("tor", tmp_path / "p.json", learner(trained_or_easy), options={"fail": True})
    with pytest.raises(InputError, match="no training run went right, so there is nothing to learn from"):
        studied("tor", tmp_path / "q.json", learner(lambda prompt, model: False))


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        (None, "nobody is known who fine-tunes 'multihop/lexical@1'; leave the variant out, or name a provider"),
        ("local", "what 'local' trains is served by nobody yet"),
        ("nobody", "unknown fine-tuning provider"),
    ],
)
def test_who_cannot_train_is_refused_before_anything_is_asked(provider, message, tmp_path):
    with pytest.raises(InputError, match=message):
        studied("tor", tmp_path / "p.json", lexical(), provider=provider)
    assert not (tmp_path / "p.json.work").exists()
