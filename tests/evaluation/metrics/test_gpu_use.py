import sys
import time
from contextlib import contextmanager
from threading import Event

import dspy
import pytest
from time_limit import LIMIT, in_script

from multihop import Direct, Question, evaluate, scripted
from multihop.evaluation.metrics import GPUUse, Metric

QUESTION = Question(id="q", question="Is water wet?", answers=("yes",))


def says(*lines):
    """A command that prints the lines, one for each GPU, as nvidia-smi does."""
    return [sys.executable, "-c", f"print(*{lines!r}, sep=chr(10))"]


def took(seconds):
    return dspy.Prediction(answer="yes", cost={"seconds": seconds})


def measured(gpu, seconds=LIMIT):
    """The measurement once there is a reading."""

    def work():
        with gpu.observe():
            while not gpu._times:
                time.sleep(0.01)
            return gpu.measure(QUESTION, took(seconds))

    return in_script(work)


@pytest.fixture(autouse=True)
def every_gpu(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_a_reading_is_the_mean_of_the_gpus_that_tell():
    assert measured(GPUUse(says("40", "[N/A]", "90"))) == pytest.approx(0.65)


def test_it_is_read_again_for_as_long_as_the_run_lasts(monkeypatch):
    monkeypatch.setattr("multihop.evaluation.metrics.gpu_use.EVERY", 0.0)
    gpu = GPUUse(says("40"))

    def work():
        with gpu.observe():
            while len(gpu._times) < 3:
                time.sleep(0.01)

    in_script(work)
    assert set(gpu._shares) == {0.4}
    assert gpu._times == sorted(gpu._times)


def test_only_the_readings_of_its_own_time_count_or_the_latest_where_there_is_none():
    gpu = GPUUse()
    now = time.monotonic()
    gpu._times, gpu._shares = [now - 9000, now - 5000, now - 1000], [0.1, 0.5, 0.7]
    assert gpu.measure(QUESTION, took(6000)) == pytest.approx(0.6)
    assert gpu.measure(QUESTION, took(2000)) == pytest.approx(0.7)
    assert gpu.measure(QUESTION, took(0.0)) == pytest.approx(0.7)


@pytest.mark.parametrize("command", [["no-such-command"], says("[N/A]"), says(), [sys.executable, "-c", "1 / 0"]])
def test_where_nobody_tells_there_is_no_figure(command):
    gpu = GPUUse(command)
    gpu._read(Event())  # it ends by itself
    assert gpu.measure(QUESTION, took(1.0)) is None


def test_a_program_that_does_not_know_its_seconds_has_no_figure():
    gpu = GPUUse()
    gpu._times, gpu._shares = [0.0], [0.5]
    assert gpu.measure(QUESTION, dspy.Prediction(answer="yes")) is None


def test_only_the_gpus_that_the_process_may_use_are_asked_for(monkeypatch):
    script = "import sys; print(sys.argv[1].removeprefix('--id='))"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    assert measured(GPUUse([sys.executable, "-c", script])) == pytest.approx(0.03)


def test_a_run_without_a_gpu_has_no_such_figure(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with dspy.context(lm=scripted([{"answer": "yes"}])):
        run = evaluate(Direct(), [QUESTION], metrics=["em", "gpu"], progress=False)
    assert [row["metrics"] for row in run.rows()] == [{"em": 1.0, "gpu": None}]
    assert list(run.summary["metrics"]) == ["em"]


def test_a_metric_observes_from_before_the_first_question_to_after_the_last():
    seen = []

    class Watched(Metric):
        @contextmanager
        def observe(self):
            seen.append("begin")
            yield
            seen.append("end")

        def measure(self, gold, prediction):
            seen.append(gold.id)
            return 1.0

    with dspy.context(lm=scripted([{"answer": "yes"}])):
        evaluate(Direct(), [QUESTION], metrics=[Watched()], progress=False)
    assert seen == ["begin", "q", "end"]
