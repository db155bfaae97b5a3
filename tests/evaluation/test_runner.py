import os
import random
import re
import signal
import time

import dspy
import nursery
import pytest
import ujson
from crowd import crowd
from shelf import slow
from toys import echo, evaluated, words

from multihop import InputError, Passage, scripted
from multihop.evaluation import evaluate
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.metrics import Judged
from multihop.evaluation.row import failure_of
from multihop.programs import Direct, OneStep
from multihop.retrieval import as_retriever

QUESTIONS = words(20)


def run(lm, folder, **options):
    return evaluated(lm, QUESTIONS, folder, **options)


def test_every_question_is_answered_measured_and_kept(tmp_path):
    done = run(echo, tmp_path)
    rows = {row["id"]: row for row in read_rows(tmp_path)}
    assert rows.keys() == {question.id for question in QUESTIONS}
    assert all(row["status"] == "ok" and row["metrics"]["em"] == 1.0 for row in rows.values())
    assert rows["q03"]["cost"]["calls_by_role"] == {"answer": 1}
    assert rows["q03"]["trajectory"][0]["step"] == "answer"
    assert done.summary["metrics"]["em"]["mean"] == 1.0
    assert {path.name for path in tmp_path.iterdir()} >= {"run.json", "questions.jsonl", "summary.md", "summary.json"}
    header = read_header(tmp_path)
    assert (header["status"], header["identity"]["program"]["name"]) == ("finished", "direct")
    assert len(list(run(echo, None).rows())) == 20, "a run without a folder keeps itself alive"


def test_questions_alone_are_answered_and_nothing_is_measured_of_the_answers(tmp_path):
    done = evaluated(echo, [{"id": "a", "question": "word1"}], tmp_path)
    (row,) = read_rows(tmp_path)
    assert (row["answer"], row["metrics"]["em"], "answerable" in row) == ("word1", None, False)
    assert "em" not in done.summary["metrics"]


def test_a_higher_limit_goes_on_from_there_and_the_same_command_again_asks_nothing(tmp_path):
    first = run(echo, tmp_path, limit=5)
    worked = [row["run_seconds"] for row in first.rows()]
    rest = scripted(echo)
    whole = run(rest, tmp_path)
    assert len(rest.engine.prompts) == 15
    assert run([], tmp_path).summary == whole.summary
    assert first.summary["timing"]["run_seconds"] == max(worked) >= min(worked) > 0
    assert all(row["run_seconds"] >= max(worked) for row in list(whole.rows())[5:])
    for timing, questions in ((first.summary["timing"], 5), (whole.summary["timing"], 20)):
        assert timing["per_minute"] == pytest.approx(60 * questions / timing["run_seconds"], rel=1e-3)


def test_an_interrupt_keeps_what_is_finished(tmp_path):
    def interrupting(prompt):
        if prompt.inputs["question"] == "word12":
            signal.raise_signal(signal.SIGINT)
        return echo(prompt)

    with pytest.raises(KeyboardInterrupt):
        run(interrupting, tmp_path, concurrency=1)
    assert read_header(tmp_path)["status"] == "interrupted"
    assert [row["id"] for row in read_rows(tmp_path)][:12] == [question.id for question in QUESTIONS[:12]]


def test_errors_are_errors_and_are_asked_again(tmp_path):
    def failing(prompt):
        return ValueError("broken") if prompt.inputs["question"] == "word7" else echo(prompt)

    done = run(failing, tmp_path)
    assert (done.summary["n_error"], done.summary["n_ok"]) == (1, 19)
    row = next(row for row in done.rows() if row["id"] == "q07")
    assert (row["status"], row["metrics"], row["cost"]["calls"]) == ("error", {}, 1)
    assert "broken" in row["error"]["message"]
    retry = scripted(echo)
    assert run(retry, tmp_path).summary["n_error"] == 0
    assert len(retry.engine.prompts) == 1
    assert len(list(done.rows())) == 20


def test_what_changed_is_named(tmp_path):
    run(echo, tmp_path)
    changed = Direct()
    changed.answer.demos = [dspy.Example(question="a", answer="b")]
    for said, lm, options in (
        (r"program\.settings\.retries", echo, {"program": Direct(retries=5)}),
        (r"program\.prompts\.answer\.demos", echo, {"program": changed}),
        (r"lm\.answer\.decoding\.temperature", scripted(echo, temperature=0.5), {}),
    ):
        with pytest.raises(InputError, match=said):
            run(lm, tmp_path, **options)
    with pytest.raises(InputError, match=r"data\.questions"):
        evaluated(echo, QUESTIONS[:3], tmp_path)


@pytest.mark.at_once
def test_as_many_are_under_way_as_may_be_and_no_more(tmp_path):
    lm = crowd(echo, answer=5)
    order = []

    def watch(row, earlier):
        order.append((row["id"], earlier))

    run(lm, tmp_path, concurrency=5, watch=watch)
    assert lm.engine.most_at_once == 5
    assert [earlier for _, earlier in order] == [False] * 20
    run(lm, tmp_path, watch=watch)
    assert [earlier for _, earlier in order[20:]] == [True] * 20


@pytest.mark.at_once
def test_a_timeout_is_a_named_error(tmp_path):
    done = run(slow(scripted(echo), 5), tmp_path, limit=3, timeout=0.05)
    assert done.summary["n_error"] == 3
    assert {row["error"]["type"] for row in done.rows()} == {"TimeoutError"}


def test_without_questions_or_lm_or_sense_it_says_so(tmp_path):
    with pytest.raises(InputError, match="no questions"):
        evaluated(echo, [], tmp_path / "run")
    with pytest.raises(InputError, match="no LM is configured"):
        evaluate(Direct(), QUESTIONS, out=tmp_path / "run")
    with pytest.raises(InputError, match="from 1 on"):
        run(echo, tmp_path / "run", concurrency=0)
    for timeout in (0, -1.0, float("nan")):
        with pytest.raises(InputError, match="timeout is a number of seconds above 0"):
            run(echo, tmp_path / "run", timeout=timeout)
    assert not (tmp_path / "run" / "questions.jsonl").exists()


PATIENCE = 60
"""Seconds after which a process that has not ended has failed."""


@pytest.mark.seconds
@pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")
def test_killed_at_random_moments_it_resumes_without_doing_anything_twice(tmp_path):
    def start(name):
        return nursery.start(nursery.run_evaluation, str(tmp_path / name), str(tmp_path / f"{name}.asked"))

    whole = start("whole")
    random_moments = random.Random(4)
    rows = tmp_path / "killed" / "questions.jsonl"
    for kill in range(10):
        process, aim = start("killed"), (kill + 1) * 10 + random_moments.randint(-2, 2)
        while process.is_alive() and (not rows.exists() or rows.read_bytes().count(b"\n") < aim):
            time.sleep(0.001)
        time.sleep(random_moments.random() * 0.02)
        process.kill()
        process.join(PATIENCE)
        assert process.exitcode == -signal.SIGKILL
        finished = [ujson.loads(line)["id"] for line in rows.read_bytes().split(b"\n")[:-1]]
        assert len(finished) == len(set(finished))
    last = start("killed")
    for process in (last, whole):
        process.join(PATIENCE)
        assert process.exitcode == 0
    ids = [row["id"] for row in read_rows(tmp_path / "killed")]
    assert sorted(ids) == sorted(f"q{i}" for i in range(120))  # none missing, none twice
    asked = (tmp_path / "killed.asked").read_text().split()
    assert len(asked) <= 120 + 10 * 4  # each kill loses at most the questions in flight
    told = {name: ujson.loads((tmp_path / name / "summary.json").read_text()) for name in ("whole", "killed")}
    paid = {name: summary.pop("paid")["calls"] for name, summary in told.items()}
    assert paid["whole"] == 120 <= paid["killed"] <= len(asked)  # what a kill interrupted is paid again, and billed
    assert {**told["killed"], "timing": 0} == {**told["whole"], "timing": 0}


def test_a_metric_that_fails_leaves_the_answer_its_cost_and_the_other_metrics(tmp_path):
    def fussy(question, answer):
        if question.id == "q03":
            raise ValueError("no answer is good enough")
        return 1.0

    done = run(echo, tmp_path, metrics=["em", fussy])
    (row,) = (row for row in read_rows(tmp_path) if row["id"] == "q03")
    assert (row["status"], row["answer"], row["metrics"]) == ("ok", "word3", {"em": 1.0, "fussy": None})
    assert row["unmeasured"] == {"fussy": {"type": "ValueError", "message": "no answer is good enough"}}
    assert (row["cost"]["calls"], row["trajectory"][0]["step"]) == (1, "answer")
    assert (done.summary["n_error"], done.summary["unmeasured"]) == (0, {"fussy": 1})
    fussed = done.summary["metrics"]["fussy"]
    assert (fussed["mean"], fussed["high"], fussed["n"], fussed["mean_over_all"]) == (1.0, 1.0, 19, 0.95)
    assert fussed["low"] < 0.95  # the one that is unknown may be wrong
    assert "fussy 100.0 (n=19)" in repr(done)


def test_the_same_command_asks_the_judge_alone_where_it_had_failed(tmp_path):
    def moody(prompt):
        return "no idea" if prompt.inputs["answer"] in ("word3", "word5") else {"correct": True}

    lm, judge = scripted(echo), scripted(moody)
    first = run(lm, tmp_path, metrics=["em", "recall@5", Judged(judge)], cache="off")
    assert (len(lm.engine.prompts), len(judge.engine.prompts)) == (20, 22)  # what cannot be read is asked for twice
    assert first.summary["unmeasured"] == {"judged": 2}
    before = {row["id"]: row for row in first.rows()}
    judge = scripted({"correct": False} for _ in range(2))
    again = run([], tmp_path, metrics=["em", "recall@5", Judged(judge)], cache="off")
    assert [prompt.inputs["answer"] for prompt in judge.engine.prompts] == ["word3", "word5"]
    assert again.summary["unmeasured"] == {}
    judged = again.summary["metrics"]["judged"]
    assert (judged["mean"], judged["n"], judged["mean_over_all"]) == (0.9, 20, 0.9)
    for row in again.rows():
        assert "unmeasured" not in row
        apart = ("metrics", "run_seconds", "unmeasured", "returned")
        old, new = ({name: each[name] for name in each if name not in apart} for each in (before[row["id"]], row))
        assert old == new
        assert (row["metrics"]["em"], row["metrics"]["recall@5"]) == (1.0, None)


def test_a_metric_of_ones_own_is_measured_again_with_all_that_the_program_returned(tmp_path):
    class Told(OneStep):
        """One step that says how sure it is."""

        async def aforward(self, question):
            prediction = await super().aforward(question)
            prediction.sure = 0.25
            return prediction

    works = []

    def surely(question, prediction):
        if not works:
            raise OSError("the table is not there")
        texts = [passage.text for passage in prediction.passages]
        return prediction.sure if texts == ["The word is word0.", "Nothing."] and prediction.retrieves else 0.0

    passages = [Passage("p0", "Word", "The word is word0."), Passage("p1", "Void", "Nothing.")]
    program, lm = Told(as_retriever(lambda query, k: passages[:k]), k=2), scripted(lambda prompt: {"answer": "word0"})
    for expected in (None, 0.25):
        done = run(lm, tmp_path, program=program, limit=1, metrics=["em", surely], cache="off")
        assert [row["metrics"] for row in done.rows()] == [{"em": 1.0, "surely": expected}]
        works.append(True)
    assert len(lm.engine.prompts) == 1


def test_a_fault_of_a_programs_own_code_is_told_with_its_place():
    with pytest.raises(AttributeError) as caught:
        OneStep.nosuch  # noqa: B018
    assert re.fullmatch(r".*'nosuch' \(test_runner\.py, line \d+\)", failure_of(caught.value)["message"])
