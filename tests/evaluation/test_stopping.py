import itertools

import dspy
import pytest
from openai_server import OpenAIServer

from multihop import Question, open_lm, scripted
from multihop.base import RunFailed
from multihop.evaluation import evaluate
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.stopping import check_ending
from multihop.programs import Direct

QUESTIONS = [Question(id=f"q{i:02}", question=f"word{i}?", answers=(f"word{i}",)) for i in range(60)]


def failed(message, name="LMError"):
    return {"status": "error", "error": {"type": name, "message": message}, "metrics": {}}


def run(reply, folder, **options):
    lm = scripted(reply)
    with dspy.context(lm=lm):
        try:
            return evaluate(Direct(retries=0), QUESTIONS, out=folder, **options), lm
        except RunFailed as error:
            return error, lm


def echo(prompt):
    return {"answer": prompt.inputs["question"].rstrip("?")}


def test_ten_equal_failures_from_the_start_end_the_run_and_it_goes_on_later(tmp_path):
    concurrency = 4
    error, lm = run(lambda prompt: ValueError(f"no key for request {id(prompt)}"), tmp_path, concurrency=concurrency)
    assert isinstance(error, RunFailed)
    assert "no key for request" in str(error)
    assert "The first 10 questions all failed in this way" in str(error)
    assert f"the run in {tmp_path} was stopped, the same command goes on with it" in str(error)
    assert "\n" not in str(error)
    assert len(lm.engine.prompts) <= 10 + concurrency
    rows = list(read_rows(tmp_path))
    assert 10 <= len(rows) < 10 + concurrency
    assert {row["status"] for row in rows} == {"error"}
    assert read_header(tmp_path)["status"] == "interrupted"
    done, _ = run(echo, tmp_path, concurrency=concurrency)
    assert (done.summary["n_ok"], done.summary["n_error"]) == (60, 0)


@pytest.mark.parametrize(("answered", "kept"), [(3, 24), (25, 46)])
def test_twenty_equal_failures_one_after_the_other_end_the_run_wherever_they_are(tmp_path, answered, kept):
    def gone(prompt):
        number = int(prompt.inputs["question"].strip("word?"))
        return echo(prompt) if number in (0, answered) or (answered == 25 and number < 25) else ValueError("it is gone")

    error, _ = run(gone, tmp_path, concurrency=1)
    assert isinstance(error, RunFailed)
    assert "it is gone. 20 questions, one after the other, failed in this way; the run in" in str(error)
    assert len(list(read_rows(tmp_path))) == kept
    done, _ = run(echo, tmp_path)
    assert (done.summary["n_ok"], done.summary["n_error"]) == (60, 0)


@pytest.mark.parametrize(("judged", "said", "kept"), [(0, "The first 10 answers that", 10), (5, "20 answers that", 25)])
def test_a_metric_that_fails_again_and_again_ends_the_run_and_the_answers_are_kept(tmp_path, judged, said, kept):
    works = []

    def strict(question, prediction):
        if not works and int(question.id[1:]) >= judged:
            raise ConnectionError("the judge is gone")
        return 1.0

    error, _ = run(echo, tmp_path, concurrency=1, metrics=["em", strict])
    assert "strict has no number: ConnectionError: the judge is gone. " in str(error)
    assert f"{said} strict was to measure" in str(error)
    assert [row["metrics"]["em"] for row in read_rows(tmp_path)] == [1.0] * kept
    works.append(True)
    done, lm = run(echo, tmp_path, metrics=["em", strict])
    assert done.summary["metrics"]["strict"]["n"] == 60
    assert len(lm.engine.prompts) == 60 - kept


def test_failures_of_different_kinds_go_on(tmp_path):
    causes = itertools.cycle([ValueError("this"), ValueError("that")])
    done, _ = run(lambda prompt: next(causes), tmp_path, concurrency=1)
    assert done.summary["n_error"] == 60


def test_a_run_that_nobody_keeps_does_not_promise_to_go_on():
    error, _ = run(lambda prompt: ValueError("gone"), None, concurrency=1)
    assert str(error).endswith("the run was stopped, give it a folder to be able to go on.")


ANSWERED = {"status": "ok", "error": None, "metrics": {"em": 1.0, "depth": None}}
UNJUDGED = ANSWERED | {
    "metrics": {"em": 1.0, "judged": None},
    "unmeasured": {"judged": {"type": "LMError", "message": "No judge 7"}},
}


def gone(number):
    return failed(f"the server is gone, request {number}") | {"metrics": {}}


@pytest.mark.parametrize("before", [0, 30])
def test_equal_failures_up_to_the_end_are_no_result(before):
    with pytest.raises(RunFailed) as ended:
        check_ending([*[ANSWERED] * before, *map(gone, range(5))], "runs/a")
    assert str(ended.value) == (
        "LMError: the server is gone, request 4. The last 5 questions all failed in this way; "
        "the same command asks them again for runs/a."
    )


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [ANSWERED],
        [ANSWERED, gone(1), gone(2)],
        [gone(1), gone(2), gone(3), ANSWERED],
        [ANSWERED, *[failed("", "TimeoutError") | {"metrics": {}}] * 5],  # slow ones end last
        [ANSWERED, gone(1), gone(2), failed("no key") | {"metrics": {}}],
    ],
)
def test_other_failures_are_rows_of_a_table(rows):
    check_ending(rows, "runs/a")


def test_a_server_that_refuses_the_key_is_asked_a_few_times(tmp_path):
    with OpenAIServer(echo, fault=lambda number: 401) as server:
        lm = open_lm("openai/test", api_base=server.url, api_key="sk-wrong", num_retries=0)
        with dspy.context(lm=lm), pytest.raises(RunFailed) as stopped:
            evaluate(Direct(), QUESTIONS, out=tmp_path, concurrency=4)
    assert str(stopped.value).startswith("LMAuthError: ")
    assert server.requests < 20
    assert "sk-wrong" not in str(stopped.value)
