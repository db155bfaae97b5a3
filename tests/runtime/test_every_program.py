"""Every program by itself, streamed, copied and saved; and one program in DSPy's own wrappers.

Each case ends within a time limit, and says what the program says when it is called by itself.
"""

import copy
import pickle
from functools import cache
from itertools import cycle, islice

import cloudpickle
import dspy
import pytest
from misfits import misfits
from time_limit import in_loop, in_notebook, in_script

from multihop import BM25, PROGRAMS, Budget, Little, create
from multihop.lms import as_lm
from multihop.lms.local_engine import Local
from multihop.runtime import steps

WRAPPED = "mzqa"
"""The program that is tried in wrappers: its steps run at the same time, some of them in branches of their own."""


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


def program_named(name, **settings):
    settings = {**PROGRAMS[name].small, **QUICK.get(name, {}), **settings}
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


async def collect(stream):
    return [each async for each in stream]


def flat(taken, path=()):
    """The steps of a trajectory as a stream tells them."""
    for step in taken:
        for number, branch in enumerate(step.get("branches", ()), 1):
            yield from flat(branch, (*path, number))
        if "branches" not in step:
            yield str({**step, "path": list(path)})


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_streams_each_step_once_with_its_branch_and_each_is_of_its_kind(name):
    *told, prediction = in_loop(lambda: collect(program_named(name).stream(little()[1][0])))
    assert prediction.trajectory == plain(name).trajectory != []
    assert sorted(map(str, told)) == sorted(flat(prediction.trajectory))
    assert misfits(prediction.trajectory, list[steps.TrajectoryStep], name) == set()


@pytest.mark.parametrize("name", ["tor", "mzqa", "rap"])
def test_steps_are_of_their_kind_where_the_budget_ends_the_search(name):
    prediction = program_named(name, budget=Budget(calls=3))(question=little()[1][0])
    assert prediction.over_budget
    assert misfits(prediction.trajectory, list[steps.TrajectoryStep], name) == set()


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_is_itself_after_every_way_to_copy_and_save_it(name, tmp_path):
    program = program_named(name)
    carried = copy.deepcopy(pickle.loads(cloudpickle.dumps(pickle.loads(pickle.dumps(program)))))
    carried.save(tmp_path / "whole", save_program=True)
    carried = dspy.load(tmp_path / "whole", allow_pickle=True)
    assert [step for step, _ in carried.named_predictors()] == [step for step, _ in program.named_predictors()]
    assert carried.settings == program.settings
    for file in ("state.json", "state.pkl"):
        carried.save(tmp_path / file)
        program.load(tmp_path / file, allow_pickle=True)
        assert program.dump_state() == carried.dump_state()
    for each in (carried, program):
        assert each(question=little()[1][0]).trajectory == plain(name).trajectory


def texts_of(taken):
    """The step, the field and the text of everything that was said."""
    for step in taken:
        for branch in step.get("branches", ()):
            yield from texts_of(branch)
        outputs = step.get("outputs", {}) if "inputs" in step else {}
        yield from ((step["step"], field, text) for field, text in outputs.items() if isinstance(text, str) and text)


@pytest.mark.parametrize(("name", "is_async_program"), [*zip(PROGRAMS, cycle([False, True]))])
def test_every_program_in_streamify_with_a_listener_on_its_last_step(name, is_async_program):
    program = program_named(name)
    said = list(texts_of(plain(name).trajectory))
    step, field, _ = said[-1]
    predictor = getattr(program, step).predictors()[0]
    listener = dspy.streaming.StreamListener(field, predict=predictor, predict_name=step, allow_reuse=True)
    stream = dspy.streamify(program, stream_listeners=[listener], is_async_program=is_async_program)
    *chunks, prediction = in_loop(lambda: collect(stream(question=little()[1][0])))
    assert prediction.trajectory == plain(name).trajectory
    assert {(chunk.predict_name, chunk.signature_field_name) for chunk in chunks} == {(step, field)}
    heard = [""]
    for chunk in chunks:
        heard[-1] += chunk.chunk
        heard += [""] if chunk.is_last_chunk else []
    spoken = [text.strip() for role, part, text in said if (role, part) == (step, field)]
    assert sorted(filter(None, heard)) == sorted(spoken)


def in_parallel():
    pairs = [(program_named(WRAPPED), {"question": question}) for question in little()[1]]
    first, second = dspy.Parallel(num_threads=2, disable_progress_bar=True)(pairs)
    assert second.answer == plain(WRAPPED, 1).answer
    return first


def evaluated():
    devset = [dspy.Example(question=question).with_inputs("question") for question in little()[1]]
    evaluate = dspy.Evaluate(
        devset=devset,
        metric=lambda gold, prediction, trace=None: prediction.answer == plain(WRAPPED).answer,
        num_threads=2,
        display_progress=False,
    )
    return evaluate(program_named(WRAPPED)).results[0][1]


@pytest.mark.parametrize("place", [in_script, in_notebook])
@pytest.mark.parametrize("wrapper", [in_parallel, evaluated])
def test_a_program_says_the_same_through_every_wrapper(wrapper, place):
    prediction = place(wrapper)
    assert prediction.answer == plain(WRAPPED).answer
    assert prediction.passages == plain(WRAPPED).passages
    assert prediction.trajectory == plain(WRAPPED).trajectory


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


@pytest.mark.parametrize(("name", "place"), [("tor", in_script), ("mzqa", in_notebook)])
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
