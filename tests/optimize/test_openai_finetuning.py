"""Jobs of fine-tuning at OpenAI, against a server on this machine that has its API."""

from contextlib import ExitStack

import pytest
from finetuning_server import FinetuningServer, uploaded

from multihop import BM25, Little, MissingKeyError, RunFailed, clone, create
from multihop.optimize import finetuning
from multihop.optimize.finetuning import finetune

MODEL = "openai/gpt-4o-mini"
SYSTEM, USER = {"role": "system", "content": "plan"}, {"role": "user", "content": "wer?"}
ROWS = [{"messages": [SYSTEM, USER, {"role": "assistant", "content": f"ask für {n}"}]} for n in (1, 2)]
LOOK = "GET /fine_tuning/jobs/ftjob-1"
BEGIN = ["GET /fine_tuning/jobs", "POST /files", "POST /fine_tuning/jobs"]


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The waits between two looks, which take no time here."""
    taken = []
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setattr(finetuning, "sleep", taken.append)
    return taken


@pytest.fixture
def served(monkeypatch):
    """Starts a server, and makes it OpenAI's."""
    with ExitStack() as servers:

        def start(*states, **more):
            server = servers.enter_context(FinetuningServer(*states, **more))
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            return server

        yield start


def test_a_file_is_sent_a_job_begun_and_waited_for(served, waits):
    server, told = served("validating_files", "queued", *["running"] * 4, "succeeded"), []
    made = finetune(MODEL, ROWS, tell=told.append, n_epochs=3, seed=7, suffix="mine")
    assert (made.base, made.folder, made.serve, made.facts["base"]) == (MODEL, None, "", MODEL)
    assert made.lm == "openai/ft:gpt-4o-mini:mine::ftjob-1"
    assert server.requests == [*BEGIN, *[LOOK] * 7]
    assert uploaded(server.asked[1]) == ("fine-tune", ROWS)
    job = server.asked[2].json
    assert job.pop("metadata").keys() == {"multihop"}
    method = {"type": "supervised", "supervised": {"hyperparameters": {"n_epochs": 3}}}
    assert job.pop("method") == method
    assert job == {"model": "gpt-4o-mini", "training_file": "file-1", "seed": 7, "suffix": "mine"}
    assert waits == [5, 10, 20, 40, 60, 60]
    assert told == ["job ftjob-1 fine-tunes gpt-4o-mini on 2 rows"]
    assert server.asked[0].headers["Authorization"] == "Bearer key"


def test_ctrl_c_leaves_the_job_and_the_same_cloning_takes_it_up(served, monkeypatch, tmp_path):
    server, told = served("running", "running", "succeeded"), []
    program = create("mzqa", BM25.build(Little().passages()))
    asked = {"from_gold": list(Little().questions())[:2], "out": tmp_path, "start_from": MODEL, "tell": told.append}

    def interrupt(wait):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(finetuning, "sleep", interrupt)
        with pytest.raises(KeyboardInterrupt, match="job ftjob-1 goes on at OpenAI, and the same command waits for it"):
            clone(program, **asked)
    done = clone(program, **asked)
    assert done.model == "openai/ft:gpt-4o-mini:mine::ftjob-1"
    assert server.requests == [*BEGIN, LOOK, "GET /fine_tuning/jobs", LOOK, LOOK]
    assert told[-1] == f"waiting for job ftjob-1, begun earlier, which fine-tunes gpt-4o-mini on {done.rows} rows"
    assert "metadata" in server.asked[4].path


def test_other_rows_other_options_and_a_failed_job_begin_a_new_one(served):
    why = "the file has 2 rows, and 10 are needed."
    server = served("running", "failed", "succeeded", error={"message": why, "code": "x"})
    with pytest.raises(RunFailed, match=f"fine-tuning 'openai/gpt-4o-mini' failed: job ftjob-1: {why}"):
        finetune(MODEL, ROWS)
    assert [finetune(MODEL, *each).lm.rpartition("-")[2] for each in ([ROWS], [ROWS[:1]])] == ["2", "3"]
    assert finetune(MODEL, ROWS, seed=2).lm == "openai/ft:gpt-4o-mini:mine::ftjob-4"
    assert finetune(MODEL, ROWS).lm == "openai/ft:gpt-4o-mini:mine::ftjob-2"
    assert server.requests.count("POST /fine_tuning/jobs") == 4


@pytest.mark.parametrize("place", ["GET /v1/fine_tuning", "POST /v1/files", "POST /v1/fine_tuning"])
def test_a_refusal_is_told_in_the_words_of_the_server(place, served):
    refusal = 401, {"message": "Incorrect key.", "code": "invalid_api_key"}
    served(refuse=lambda asked: refusal if f"{asked.method} {asked.path}".startswith(place) else None)
    told = r"fine-tuning 'openai/gpt-4o-mini' failed: OpenAI refuses: Incorrect key\. \(invalid_api_key\)"
    with pytest.raises(RunFailed, match=told):
        finetune(MODEL, ROWS)


def test_a_server_that_is_not_there_and_a_key_that_is_missing(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(RunFailed, match=r"http://127.0.0.1:9/v1/ cannot be reached; a job that was begun goes on"):
        finetune(MODEL, ROWS)
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingKeyError, match="'openai/gpt-4o-mini' needs a key: set OPENAI_API_KEY in the env"):
        finetune(MODEL, ROWS)
