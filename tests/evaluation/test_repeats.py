"""Samples, seeds and repeats of a run: what is asked, asked anew, refused, and summed up."""

import dspy
import numpy as np
import pytest
import ujson
from misfits import misfits
from openai_server import OpenAIServer
from toys import echo, evaluated, words

from multihop import InputError, MismatchError, open_lm, scripted
from multihop.evaluation import evaluate_repeatedly
from multihop.evaluation.journal import read_header
from multihop.evaluation.repeats import RepeatsSummary
from multihop.evaluation.statistics import Values, mean_of_repeats
from multihop.programs import Direct

QUESTIONS = words(40)


def run(folder, lm=echo, **options):
    return evaluated(lm, QUESTIONS, folder, **options)


def repeated(folder, lm=echo, program=None, **options):
    with dspy.context(lm=lm if isinstance(lm, dspy.LM) else scripted(lm)):
        return evaluate_repeatedly(program or Direct(), iter(QUESTIONS), out=folder, progress=False, **options)


def asked(found):
    return sorted(row["id"] for row in found.rows())


def test_a_sample_is_asked_resumed_and_named(tmp_path):
    first, rest = scripted(echo), scripted(echo)
    some = asked(run(tmp_path, first, offset=10, sample=6, limit=2))
    whole = asked(run(tmp_path, rest, offset=10, sample=6))
    assert len(some) == len(first.engine.prompts) == 2
    assert len(rest.engine.prompts) == 4
    assert asked(run(tmp_path / "at-once", offset=10, sample=6)) == whole
    assert all(int(name[1:]) >= 10 for name in whole)
    data = read_header(tmp_path)["identity"]["data"]
    assert (data["questions"], data["offset"], data["sample"], data["sample_seed"]) == (40, 10, 6, 0)
    assert "Asked: 6 drawn with seed 0 of those after the first 10." in (tmp_path / "summary.md").read_text()


def test_a_resume_with_another_sample_is_refused(tmp_path):
    run(tmp_path, sample=6)
    for other, said in (
        ({}, "data.sample = 6, and now it is null"),
        ({"sample": 7}, "data.sample = 6, and now it is 7"),
        ({"sample": 6, "sample_seed": 1}, "data.sample_seed = 0, and now it is 1"),
        ({"sample": 6, "offset": 2}, "data.offset = null, and now it is 2"),
    ):
        with pytest.raises(MismatchError, match=said):
            run(tmp_path, **other)


@pytest.mark.parametrize("own_lm", [False, True])
def test_repeats_of_any_module_are_asked_anew(tmp_path, own_lm):
    with OpenAIServer(echo) as server:
        lm = open_lm("server/m", api_base=server.url, temperature=0.0)
        module = dspy.Predict("question -> answer")
        if own_lm:
            module.lm = lm
        repeated(tmp_path, lm, module, repeats=3, limit=4)
        assert server.requests == 12
        assert own_lm == (module.lm is lm)


def coin():
    """Right for even questions in the first run, for all in the second, for none in the third."""
    times = dict.fromkeys((question.question for question in QUESTIONS), 0)

    def reply(prompt):
        question = prompt.inputs["question"]
        times[question] += 1
        right = {1: int(question[4:]) % 2 == 0, 2: True, 3: False}[times[question]]
        return echo(prompt) if right else {"answer": "wrong"}

    return reply


def test_repeats_show_the_mean_the_lowest_and_the_highest(tmp_path):
    found = repeated(tmp_path, coin(), repeats=3, limit=10, seed=4)
    em = found.summary["metrics"]["em"]
    assert (em["mean"], em["lowest"], em["highest"], em["n"]) == (0.5, 0.0, 1.0, 10)
    assert 0.3 < em["low"] < 0.5 < em["high"] < 0.7  # even questions are right twice of three times, odd ones once
    assert found.summary["seeds"] == [4, 5, 6]
    assert found.summary["folders"] == ["repeat-1", "repeat-2", "repeat-3"]
    assert [each.summary["metrics"]["em"]["mean"] for each in found.runs] == [0.5, 1.0, 0.0]
    assert (found.summary["calls"], found.summary["n"], found.summary["n_error"]) == (1.0, [10] * 3, [0] * 3)
    assert found.summary["paid_calls"] == 30
    assert ujson.loads((tmp_path / "summary.json").read_text()) == found.summary
    assert misfits(found.summary, RepeatsSummary, "summary.json") == set()
    page = (tmp_path / "summary.md").read_text()
    assert "| em | 50.0 | 0.0 | 100.0 |" in page
    assert "| repeat-2 | 5 | 10 | 0 |" in page


def test_repeats_go_on_pay_nothing_twice_and_share_no_folder_with_one_run(tmp_path):
    for repeats, calls in ((2, 8), (2, 0), (3, 4), (3, 0)):
        lm = scripted(echo)
        repeated(tmp_path / "several", lm, repeats=repeats, limit=4)
        assert len(lm.engine.prompts) == calls
    with pytest.raises(MismatchError, match="several holds repeats"):
        run(tmp_path / "several", limit=1)
    run(tmp_path / "one", limit=1)
    with pytest.raises(MismatchError, match="one holds a single run; choose another folder for repeats"):
        repeated(tmp_path / "one", repeats=2)
    with pytest.raises(InputError, match="repeats is a whole number from 1 on, not 0"):
        repeated(None, repeats=0)


def test_answers_that_are_missing_from_a_run_are_in_no_mean():
    nothing = np.nan

    def values(*numbers):
        return Values("abc"[: len(numbers)], np.array(numbers), np.zeros(len(numbers), dtype=bool))

    found = mean_of_repeats("share", [values(1.0, nothing, nothing), values(0.0, 1.0)])
    assert (found.mean, found.lowest, found.highest, found.n) == (pytest.approx(2 / 3), 0.5, 1.0, 2)
    assert mean_of_repeats("share", [values(nothing)]) is None
