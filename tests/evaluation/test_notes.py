"""The sentences that stand beside a run's means."""

import numpy as np

from multihop import open_lm
from multihop.evaluation.comparison import short_run_names
from multihop.evaluation.header import lm_identity, selection_of
from multihop.evaluation.metrics.passages import describe_matching
from multihop.evaluation.report import budget_note, gap_notes, missing_notes, paid_line, show_n, show_time, time_note
from multihop.evaluation.statistics import mean_with_gaps
from multihop.evaluation.summary import total


def test_what_failed_what_was_cut_short_and_what_has_no_mean():
    assert gap_notes({"judged": 8, "mine": 20}, 20) == [
        "judged: 8 of 20 answers have no verdict; the interval counts them against it; the same command asks for those "
        "alone",
        "mine: the metric failed on all 20 answers; the same command measures those alone",
    ]
    assert [budget_note(cut, 8) for cut in (8, 1, 0)] == [
        "8 of 8 questions were cut short by the budget",
        "1 of 8 questions was cut short by the budget",
        "",
    ]
    summary = {"n": 2, "n_error": 0, "metrics": {"K": 2.0}}
    assert missing_notes(summary, ["em", "K", "recall@5"]) == [
        "em: no question has an accepted answer, or none was read"
    ]


def test_time_and_money():
    timing = {"seconds": {"mean": 2.41}, "run_seconds": 67.0, "per_minute": 24.2}
    assert time_note(timing) == "a question takes 2.41 s beside others; run time 1:07, 24 questions a minute"
    assert (show_time(3.21), show_time(67)) == ("3.2 s", "1:07")
    paid = {"calls": 3, "estimated": 0, "tokens": {"m": {"in": 50, "out": 9}}}
    told = paid_line({"cost": {"calls": {"total": 4}, "cached": 1, "estimated": 0}, "paid": paid})
    assert told == "1 of 4 LM calls came from the cache; paid: 3 calls, 59 tokens."
    assert (total([1, 2]), total([1, None]), total([])) == (3, None, 0)


def test_how_recall_came_about_and_what_was_asked():
    assert describe_matching({"id": 180, "nothing recognised": 20}) == (
        "recall matched by id (180 questions); in 20 questions no gold was found, which counts as 0"
    )
    assert describe_matching({"no passages returned": 200}) == "no recall: the program returned no passages"
    data = {"questions": 7405, "fingerprint": "", "offset": 500, "sample": 100, "sample_seed": 1}
    assert str(selection_of(data)) == "100 drawn with seed 1 of those after the first 500"
    assert (show_n(12, 20), show_n(20, 20)) == (" (n=12)", "")


def test_a_gap_is_as_low_and_as_high_as_it_may_be():
    found = mean_with_gaps(np.array([1.0, 1.0, np.nan, np.nan]), np.array([False, False, True, False]))
    assert found == (1.0, 0.0, 1.0, 2)


def test_runs_and_lms_by_their_names():
    headers = [{"identity": {"program": {"name": name}}} for name in ("resp", "tor", "tor")]
    assert short_run_names(headers[:1], ["runs/a"]) == ["resp"]
    assert short_run_names(headers, ["runs/a", "runs/b", "runs/c"]) == ["resp", "tor (b)", "tor (c)"]
    assert lm_identity(open_lm("openai/gpt-4.1", max_tokens=500, api_key="4711"))["decoding"] == {"max_tokens": 500}
