"""DSPy's own doors see a program as they see any module: each is tried on a program and on a plain module beside it."""

import asyncio

import dspy

from multihop.lms import scripted
from multihop.runtime import Program

QUESTION = "who is it"


class Guess(dspy.Signature):
    """Guess."""

    question: str = dspy.InputField()
    answer: str = dspy.OutputField()


class Improve(dspy.Signature):
    """Improve the guess."""

    question: str = dspy.InputField()
    guess: str = dspy.InputField()
    answer: str = dspy.OutputField()


class Plain(dspy.Module):
    """Two steps, as anybody writes them with DSPy."""

    def __init__(self):
        super().__init__()
        self.guess, self.improve = dspy.Predict(Guess), dspy.Predict(Improve)

    def forward(self, question):
        guess = self.guess(question=question)
        return self.improve(question=question, guess=guess.answer)

    async def aforward(self, question):
        guess = await self.guess.acall(question=question)
        return await self.improve.acall(question=question, guess=guess.answer)


class Ours(Program):
    """The same two steps as a program."""

    retrieves = False

    def set_up(self):
        self.guess, self.improve = dspy.Predict(Guess), dspy.Predict(Improve)

    async def aforward(self, question):
        guess = await self.ask(self.guess, question=question)
        return await self.ask(self.improve, question=question, guess=guess.answer)


def answering():
    """An LM that says what it is asked, backwards, and after a guess forwards again."""
    return scripted(lambda prompt: {"answer": prompt.inputs.get("guess", prompt.inputs["question"])[::-1]})


def both(door):
    """What a door sees of the two modules, each with an LM of its own."""
    seen = []
    for kind in (Plain, Ours):
        with dspy.context(lm=answering()):
            seen.append(door(kind()))
    return seen


def test_usage():
    def door(module):
        with dspy.track_usage() as used:
            module(question=QUESTION)
            asyncio.run(module.acall(question=QUESTION))
        with dspy.context(track_usage=True):
            return used.get_total_tokens(), module(question=QUESTION).get_lm_usage()

    plain, ours = both(door)
    assert plain == ours
    assert ours[0]["multihop/scripted"]["prompt_tokens"] == 2 * ours[1]["multihop/scripted"]["prompt_tokens"] > 0


def test_history():
    def door(module):
        module(question=QUESTION)
        lm = dspy.settings.lm
        assert [*lm.history] == [*module.history] == [*module.guess.history, *module.improve.history]
        return [(each["messages"], each["outputs"], each["usage"], each["model"]) for each in lm.history]

    plain, ours = both(door)
    assert plain == ours
    assert len(ours) == 2


def test_the_lm_of_a_context_and_the_lm_that_is_set():
    def door(module):
        other = answering()
        with dspy.context(lm=other):
            module(question=QUESTION)
        module.set_lm(mine := answering())
        module(question=QUESTION)
        return (
            len(other.engine.prompts),
            len(mine.engine.prompts),
            len(dspy.settings.lm.engine.prompts),
            module.get_lm() is mine,
        )

    assert both(door) == [(2, 2, 0, True)] * 2


def test_save_and_load(tmp_path):
    def door(module):
        module.guess.demos = [dspy.Example(question="a", answer="b").with_inputs("question")]
        module.improve.signature = module.improve.signature.with_instructions("Improve it.")
        path = tmp_path / f"{type(module).__name__}.json"
        module.save(path)
        loaded = type(module)()
        loaded.load(path)
        state = loaded.dump_state()
        assert state == module.dump_state()
        return state, loaded(question=QUESTION).answer

    plain, ours = both(door)
    assert plain == ours
    assert ours[0]["improve"]["signature"]["instructions"] == "Improve it."


def test_optimizers():
    examples = [dspy.Example(question=text, answer=text).with_inputs("question") for text in ("ab", "cd", "ef")]

    def door(module):
        metric = lambda gold, prediction, trace=None: gold.answer == prediction.answer  # noqa: E731
        optimizer = dspy.BootstrapFewShot(metric=metric, max_bootstrapped_demos=2, max_labeled_demos=0)
        compiled = optimizer.compile(module, trainset=examples)
        return {name: [dict(demo) for demo in each.demos] for name, each in compiled.named_predictors()}

    plain, ours = both(door)
    assert plain == ours
    assert [demo["guess"] for demo in ours["improve"]] == ["ba", "dc"]


def test_nothing_is_changed_on_what_is_given():
    adapter, module, lm = dspy.ChatAdapter(), Ours(), answering()
    before = [dict(vars(each)) for each in (adapter, lm)]
    with dspy.context(lm=lm, adapter=adapter):
        module(question=QUESTION)
    lm.history.clear()
    assert [dict(vars(each)) for each in (adapter, lm)] == before
    assert (type(adapter), type(lm)) == (dspy.ChatAdapter, dspy.LM)
    assert Ours.aforward.__name__ == "aforward"
    assert not hasattr(Ours.aforward, "__wrapped__")
