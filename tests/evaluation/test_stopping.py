import itertools

import dspy
import pytest
from openai_server import WAYS_TO_FAIL, OpenAIServer
from toys import echo, evaluated, words

from multihop import scripted
from multihop.base import RunFailed
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.stopping import check_ending
from multihop.programs import Direct

QUESTIONS = words(60)


def run(lm, folder, **options):
    return evaluated(lm, QUESTIONS, folder, Direct(retries=0), **options)


def stopped(lm, folder, **options):
    """What a run that is ended says."""
    with pytest.raises(RunFailed) as error:
        run(lm, folder, **options)
    return str(error.value)


def test_ten_equal_failures_from_the_start_end_the_run_and_it_goes_on_later(tmp_path):
    concurrency = 4
    lm = scripted(lambda prompt: ValueError(f"no key for request {id(prompt)}"))
    said = stopped(lm, tmp_path, concurrency=concurrency)
    assert "no key for request" in said
    assert "The first 10 questions all failed in this way" in said
    assert f"the run in {tmp_path} was stopped, the same command goes on with it" in said
    assert "\n" not in said
    assert len(lm.engine.prompts) <= 10 + concurrency
    rows = list(read_rows(tmp_path))
    assert 10 <= len(rows) < 10 + concurrency
    assert {row["status"] for row in rows} == {"error"}
    assert read_header(tmp_path)["status"] == "interrupted"
    done = run(echo, tmp_path, concurrency=concurrency)
    assert (done.summary["n_ok"], done.summary["n_error"]) == (60, 0)
    assert stopped(lm, None).endswith("the run was stopped, give it a folder to be able to go on.")


@pytest.mark.parametrize(("answered", "kept"), [({0, 3}, 24), ({*range(26)}, 46)])
def test_twenty_equal_failures_one_after_the_other_end_the_run_wherever_they_are(tmp_path, answered, kept):
    def gone(prompt):
        return echo(prompt) if int(prompt.inputs["question"][4:]) in answered else ValueError("it is gone")

    said = stopped(gone, tmp_path, concurrency=1)
    assert "it is gone. 20 questions, one after the other, failed in this way; the run in" in said
    assert len(list(read_rows(tmp_path))) == kept
    assert run(echo, tmp_path).summary["n_ok"] == 60


@pytest.mark.parametrize(("judged", "said", "kept"), [(0, "The first 10 answers that", 10), (5, "20 answers that", 25)])
def test_a_metric_that_fails_again_and_again_ends_the_run_and_the_answers_are_kept(tmp_path, judged, said, kept):
    works = []

    def strict(question, prediction):
        if not works and int(question.id[1:]) >= judged:
            raise ConnectionError("the judge is gone")
        return 1.0

    told = stopped(echo, tmp_path, concurrency=1, metrics=["em", strict])
    assert "strict has no number: ConnectionError: the judge is gone. " in told
    assert f"{said} strict was to measure" in told
    assert [row["metrics"]["em"] for row in read_rows(tmp_path)] == [1.0] * kept
    works.append(True)
    lm = scripted(echo)
    assert run(lm, tmp_path, metrics=["em", strict]).summary["metrics"]["strict"]["n"] == 60
    assert len(lm.engine.prompts) == 60 - kept


def test_failures_of_different_kinds_go_on(tmp_path):
    causes = itertools.cycle([ValueError("this"), ValueError("that")])
    assert run(lambda prompt: next(causes), tmp_path, concurrency=1).summary["n_error"] == 60


ANSWERED = {"status": "ok", "error": None, "metrics": {"em": 1.0, "depth": None}}


def failed(message, name="LMError"):
    return {"status": "error", "error": {"type": name, "message": message}, "metrics": {}}


def gone(number):
    return failed(f"the server is gone, request {number}")


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
        [ANSWERED, *[failed("", "TimeoutError")] * 5],  # slow ones end last
        [ANSWERED, gone(1), gone(2), failed("no key")],
    ],
)
def test_other_failures_are_rows_of_a_table(rows):
    check_ending(rows, "runs/a")


@pytest.mark.at_once
@pytest.mark.seconds
def test_a_run_survives_every_way_in_which_a_server_fails(tmp_path, monkeypatch):
    """A fifth of the requests of a plain `dspy.LM` fails, each time in the next way."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")

    def fault(number):
        return None if number % 5 else WAYS_TO_FAIL[number // 5 % len(WAYS_TO_FAIL)]

    with OpenAIServer(echo, fault=fault) as server:
        key = {"api_base": server.url, "api_key": "sk-local-secret"}
        lm = dspy.LM("openai/test", engine="lm15", timeout=5.0, cache=False, num_retries=2, **key)
        rows = list(evaluated(lm, QUESTIONS, tmp_path, concurrency=60).rows())
    assert len(rows) == 60
    assert set(server.made) == set(WAYS_TO_FAIL)
    answered = [row for row in rows if row["status"] == "ok"]
    assert len(answered) >= 40
    assert all(row["answer"] == row["answers"][0] for row in answered)
    assert all(row["error"]["type"] and row["metrics"] == {} for row in rows if row["status"] == "error")
    assert sum(row["cost"]["parse_failures"] for row in rows) >= server.made["refusal"]
    assert "secret" not in "".join(path.read_text() for path in tmp_path.iterdir() if path.is_file())
