"""DSPy's own wrappers around every program: in a script, in an event loop, and in a notebook.

Each case ends within a time limit, and says what the program says when it is called by itself. Without `--all`, each
program and each wrapper appears, not every pair of them.
"""

import copy
import pickle
from functools import cache
from itertools import islice

import cloudpickle
import dspy
import pytest
from time_limit import in_loop, in_notebook, in_script

from multihop import BM25, PROGRAMS, Little, create
from multihop.lms import as_lm
from multihop.lms.local_engine import Local

LM = "multihop/local@1"


@cache
def little():
    return BM25.build(Little().passages()), [question.question for question in islice(Little().questions(), 2)]


class Remembering(Local):
    """The built-in LM, which reads each prompt once: how it reads is not what is tested here."""

    def __init__(self):
        super().__init__()
        self.replies = {}

    def reply(self, prompt):
        if (key := str(prompt)) not in self.replies:
            self.replies[key] = super().reply(prompt)
        return self.replies[key]


@cache
def engine():
    return Remembering()


QUICK = {"efficientrag": {"k": 1}, "ranked-rag": {"k": 1}}
"""Settings by which a program that computes computes little."""


def program_named(name):
    settings = {**PROGRAMS[name].small, **QUICK.get(name, {})}
    return create(name, little()[0] if PROGRAMS[name].retrieves else None, **settings)


@cache
def plain(name, number=0):
    """The program's prediction by itself."""
    with dspy.context(lm=as_lm(engine(), "local@1")):
        return program_named(name)(question=little()[1][number])


@pytest.fixture(autouse=True)
def lm(tiny_encoder):
    with dspy.context(lm=as_lm(engine(), "local@1")):
        yield


def first_is_right(name):
    return lambda inputs, prediction: float(prediction.answer == plain(name).answer)


def in_parallel(name, tmp_path):
    pairs = [(program_named(name), {"question": question}) for question in little()[1]]
    first, second = dspy.Parallel(num_threads=2, disable_progress_bar=True)(pairs)
    assert second.answer == plain(name, 1).answer
    return first


def as_batch(name, tmp_path):
    examples = [dspy.Example(question=question).with_inputs("question") for question in little()[1]]
    first, second = program_named(name).batch(examples, num_threads=2, disable_progress_bar=True)
    assert second.answer == plain(name, 1).answer
    return first


def evaluated(name, tmp_path):
    devset = [
        dspy.Example(question=question, answer=plain(name, number).answer).with_inputs("question")
        for number, question in enumerate(little()[1])
    ]
    evaluate = dspy.Evaluate(
        devset=devset,
        metric=lambda gold, prediction, trace=None: gold.answer == prediction.answer,
        num_threads=2,
        display_progress=False,
    )
    result = evaluate(program_named(name))
    assert result.score == 100.0
    return result.results[0][1]


class Nobody(dspy.Module):
    """Always outvoted."""

    def forward(self, question):
        return dspy.Prediction(answer="nobody")


def in_ensemble(name, tmp_path):
    programs = [Nobody(), program_named(name), program_named(name)]
    return dspy.Ensemble(reduce_fn=dspy.majority).compile(programs)(question=little()[1][0])


def best_of_n(name, tmp_path):
    best = dspy.BestOfN(program_named(name), N=2, reward_fn=first_is_right(name), threshold=1.0)
    return best(question=little()[1][0])


def with_usage(name, tmp_path):
    with dspy.context(track_usage=True):
        prediction = program_named(name)(question=little()[1][0])
    usage, spent = prediction.get_lm_usage()[LM], prediction.cost["tokens"][LM]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (spent["in"], spent["out"])
    with dspy.track_usage() as tracker:
        program_named(name)(question=little()[1][0])
    assert tracker.get_total_tokens()[LM]["prompt_tokens"] == spent["in"]
    return prediction


def streamed_to_a_script(name, tmp_path):
    *chunks, prediction = dspy.streamify(program_named(name), async_streaming=False)(question=little()[1][0])
    assert len(chunks) >= prediction.cost["calls"]
    return prediction


def state_saved(name, tmp_path):
    program_named(name).save(tmp_path / "program.json")
    loaded = program_named(name)
    loaded.load(tmp_path / "program.json")
    return loaded(question=little()[1][0])


def state_pickled(name, tmp_path):
    program_named(name).save(tmp_path / "program.pkl")
    loaded = program_named(name)
    loaded.load(tmp_path / "program.pkl", allow_pickle=True)
    return loaded(question=little()[1][0])


def saved_whole(name, tmp_path):
    program_named(name).save(tmp_path / "program", save_program=True)
    return dspy.load(tmp_path / "program", allow_pickle=True)(question=little()[1][0])


def deep_copied(name, tmp_path):
    return copy.deepcopy(program_named(name))(question=little()[1][0])


def pickled(name, tmp_path):
    program = program_named(name)
    loaded = pickle.loads(pickle.dumps(program))
    assert [step for step, _ in loaded.named_predictors()] == [step for step, _ in program.named_predictors()]
    assert loaded.settings == program.settings
    return loaded(question=little()[1][0])


def cloudpickled(name, tmp_path):
    return pickle.loads(cloudpickle.dumps(program_named(name)))(question=little()[1][0])


WRAPPERS = [
    in_parallel,
    as_batch,
    evaluated,
    in_ensemble,
    best_of_n,
    with_usage,
    streamed_to_a_script,
    state_saved,
    state_pickled,
    saved_whole,
    deep_copied,
    pickled,
    cloudpickled,
]


@pytest.mark.grid
@pytest.mark.parametrize("place", [in_script, in_notebook])
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_says_the_same_through_every_wrapper(name, wrapper, place, tmp_path):
    prediction = place(lambda: wrapper(name, tmp_path))
    assert prediction.answer == plain(name).answer
    assert prediction.passages == plain(name).passages
    assert prediction.trajectory == plain(name).trajectory


@pytest.mark.parametrize("name", PROGRAMS)
def test_asyncify(name):
    prediction = in_loop(lambda: dspy.asyncify(program_named(name))(question=little()[1][0]))
    assert prediction.trajectory == plain(name).trajectory


class Saying(dspy.streaming.StatusMessageProvider):
    def lm_start_status_message(self, instance, inputs):
        return "asking"


@pytest.mark.grid
@pytest.mark.parametrize("is_async_program", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_streamify(name, is_async_program):
    stream = dspy.streamify(program_named(name), status_message_provider=Saying(), is_async_program=is_async_program)

    async def collect():
        return [each async for each in stream(question=little()[1][0])]

    *said, prediction = in_loop(collect)
    assert prediction.trajectory == plain(name).trajectory
    calls = prediction.cost["calls"]
    assert sum(isinstance(each, dspy.streaming.StatusMessage) for each in said) == calls
    finished = [each.choices[0].finish_reason for each in said if not isinstance(each, dspy.streaming.StatusMessage)]
    assert finished.count("stop") == calls


def texts_of(steps):
    """The step, the field and the text of everything that was said."""
    for step in steps:
        for branch in step.get("branches", ()):
            yield from texts_of(branch)
        outputs = step.get("outputs", {}) if "inputs" in step else {}
        yield from ((step["step"], field, text) for field, text in outputs.items() if isinstance(text, str) and text)


@pytest.mark.grid
@pytest.mark.parametrize("is_async_program", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_streamify_with_a_listener_on_the_last_step(name, is_async_program):
    program = program_named(name)
    said = list(texts_of(plain(name).trajectory))
    step, field, _ = said[-1]
    predictor = getattr(program, step).predictors()[0]
    listener = dspy.streaming.StreamListener(field, predict=predictor, predict_name=step, allow_reuse=True)
    stream = dspy.streamify(program, stream_listeners=[listener], is_async_program=is_async_program)

    async def collect():
        return [each async for each in stream(question=little()[1][0])]

    *chunks, prediction = in_loop(collect)
    assert prediction.trajectory == plain(name).trajectory
    assert {(chunk.predict_name, chunk.signature_field_name) for chunk in chunks} == {(step, field)}
    heard = [""]
    for chunk in chunks:
        heard[-1] += chunk.chunk
        heard += [""] if chunk.is_last_chunk else []
    spoken = [text.strip() for role, part, text in said if (role, part) == (step, field)]
    assert sorted(filter(None, heard)) == sorted(spoken)


class Advising(Local):
    """Reads like the built-in LM, advises every step alike, and keeps the advice that it is given back."""

    def __init__(self):
        super().__init__()
        self.hints = []

    def reply(self, prompt):
        if "module_names" in prompt.inputs:
            return {"discussion": "none", "advice": dict.fromkeys(prompt.inputs["module_names"], "Look twice.")}
        self.hints.append(prompt.inputs.get("hint_"))
        return super().reply(prompt)


@pytest.mark.grid
@pytest.mark.parametrize("place", [in_script, in_notebook])
@pytest.mark.parametrize("name", PROGRAMS)
def test_refine_and_its_advice_reaches_the_steps(name, place, capsys):
    engine = Advising()
    refine = dspy.Refine(program_named(name), N=2, reward_fn=lambda inputs, prediction: 0.5, threshold=1.0)
    with dspy.context(lm=as_lm(engine, "advising")):
        prediction = place(lambda: refine(question=little()[1][0]))
    assert prediction.answer == plain(name).answer
    calls = plain(name).cost["calls"]
    assert engine.hints[:calls] == [None] * calls
    assert set(engine.hints[calls:]) == {"Look twice."}
    assert "failed" not in capsys.readouterr().out
