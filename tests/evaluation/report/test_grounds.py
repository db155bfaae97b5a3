import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.evaluation import compare, write_summary
from multihop.evaluation.comparison.comparison_table import comparison_rows
from multihop.evaluation.journal.journal import Journal
from multihop.evaluation.report.columns import ABSTAINED, CONFIDENCE, GUESS_F1, Columns
from multihop.evaluation.report.confidence import confidence_figures, f1_of_guess
from multihop.evaluation.report.grounds import confidence_line, refusals, rules_of, run_confidence
from multihop.evaluation.report.repeats_summary import write_repeats
from multihop.evaluation.report.summary import summarize

COST = {
    "calls": 1, "cached": 0, "estimated": 0, "retrievals": 1, "parse_failures": 0, "chain": 1, "seconds": 0.5,
    "calls_by_role": {}, "tokens": {}, "tokens_by_role": {},
}  # fmt: skip
HEADER = {
    "identity": {"program": {"name": "one-step"}, "lm": {}, "metrics": {"f1": {"rules": "musique"}}, "data": {}},
}


def row(number, confidence=None, f1=1.0, **fields):
    sure = {} if confidence is None else {"confidence": confidence, "calibrated": True, "abstained": False}
    known = {"id": f"q{number}", "status": "ok", "type": "t", "hops": 2, "answers": ["Ada"], "answer": "Ada"}
    return {**known, "metrics": {"f1": f1}, "cost": COST, "run_seconds": 0.5, **sure, **fields}


def refused(number, answerable, **fields):
    answers = {} if answerable else {"answers": [], "answerable": False}
    return row(number, 0.1, 0.0, answer="I do not know", abstained=True, **answers, **fields)


SURE = [row(1, 0.9), row(2, 0.8, 0.6), row(3, 0.6, 0.4), row(4, 0.3, 0.0)]


def test_a_run_has_the_worth_of_its_confidence():
    found = summarize(SURE, HEADER)["confidence"]
    assert (found["n"], found["calibrated"], found["auroc"], found["f1_at_50"]) == (4, True, 1.0, 0.8)
    assert found["brier"] == pytest.approx((0.01 + 0.04 + 0.36 + 0.09) / 4)


def test_one_row_that_is_not_calibrated_makes_the_run_so():
    assert not summarize([*SURE, row(5, 0.5, calibrated=False)], HEADER)["confidence"]["calibrated"]


def test_a_run_without_confidence_says_nothing_of_it():
    summary = summarize([row(1), row(2, f1=0.0)], HEADER)
    assert "confidence" not in summary
    assert "refusals" not in summary


def test_the_confidence_of_a_withheld_answer_is_that_of_the_guess():
    withheld = row(1, 0.4, 0.0, answer="I do not know", abstained=True, best_guess="Ada Lovelace")
    assert f1_of_guess(withheld) == pytest.approx(2 / 3)
    assert Columns([withheld])[GUESS_F1].tolist() == [pytest.approx(2 / 3)]


def test_a_withheld_answer_is_scored_by_the_rules_of_the_set():
    withheld = row(1, 0.4, 0.0, answer="I do not know", best_guess="no", answers=["no one"])
    assert f1_of_guess(withheld, "hotpotqa") == 0.0
    assert f1_of_guess(withheld, rules_of(HEADER)) == pytest.approx(2 / 3)


def test_no_answer_to_what_cannot_be_answered_is_right():
    right_refusal = refused(1, answerable=False)
    right_refusal["metrics"] = {"f1": 1.0}
    assert f1_of_guess(right_refusal) == 0.0
    assert run_confidence(Columns([right_refusal, row(2, 0.9)]))["auroc"] == 1.0


def test_where_no_answer_is_known_confidence_counts_for_nothing():
    assert math.isnan(Columns([row(1, 0.5), row(2, 0.5, None, answers=[])])[CONFIDENCE][1])
    assert run_confidence(Columns([row(2, 0.5, None, answers=[])])) is None


def test_refusals_are_counted_both_ways():
    rows = [row(1, 0.9), row(2, 0.9), row(3, 0.9), refused(4, True), refused(5, False), refused(6, False)]
    rows.append(row(7, 0.9, 0.0, answers=[], answerable=False))
    found = summarize(rows, HEADER)["refusals"]
    assert (found["answerable"]["mean"], found["answerable"]["n"]) == (0.25, 4)
    assert (found["unanswerable"]["mean"], found["unanswerable"]["n"]) == (pytest.approx(2 / 3, abs=1e-6), 3)
    assert found["unanswerable"]["low"] < 2 / 3 < found["unanswerable"]["high"]


def test_a_run_of_an_earlier_version_tells_its_refusals_by_the_answers():
    assert Columns([row(1, answer="unknown", f1=0.0), row(2)])[ABSTAINED].tolist() == [1.0, 0.0]


def test_what_failed_was_not_refused():
    failed = row(1, status="error", error={"type": "LMError", "message": "down"}, metrics={}, answer=None)
    assert refusals([Columns([failed, row(2)])]) is None


def test_questions_without_answer_count_even_where_none_was_refused():
    found = refusals([Columns([row(1, 0.5, 0.0, answers=[], answerable=False)])])
    share = {"mean": 0.0, "low": 0.0, "high": 0.0, "n": 1}
    assert found == {"answerable": None, "unanswerable": share, "at_5": None}


def test_refusing_by_confidence_is_told_at_five_percent_of_what_can_be_answered():
    answered = [row(place, 0.5 + place / 50) for place in range(20)]
    without = [row(20 + place, sure, 0.0, answers=[], answerable=False) for place, sure in enumerate((0.1, 0.5, 0.9))]
    itself = refused(30, answerable=False)
    itself["confidence"] = 0.95
    found = refusals([Columns([*answered, *without, itself])])
    assert found["at_5"] == pytest.approx(0.75, abs=1e-6)  # one of the twenty: as sure as one of the three below


@given(st.permutations(range(4)))
def test_the_order_of_the_rows_changes_nothing(order):
    assert summarize([SURE[place] for place in order], HEADER) == summarize(SURE, HEADER)


def write(folder, rows):
    with Journal(folder, HEADER["identity"], {}) as journal:
        journal.append(rows)
    return folder


def test_the_page_says_how_sure_and_what_was_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.evaluation.report.grounds.FEWEST", 1)
    write_summary(write(tmp_path / "run", [*SURE, refused(5, False)]))
    page = (tmp_path / "run" / "summary.md").read_text()
    assert "Confidence: ECE 0.260, AUROC 1.000, F1 at 80 % 50.0, at 50 % 72.0, of all 40.0." in page
    assert "Refused: 0.0 % (0.0 – 0.0) of the 4 questions that can be answered, 100.0 %" in page


def test_runs_are_compared_in_confidence_over_the_questions_in_common(tmp_path):
    both = [write(tmp_path / name, rows) for name, rows in (("a", SURE), ("b", [row(1, 0.2), row(2, 0.9, 0.0)]))]
    found = compare(*both).confidence
    assert [(each["n"], each["auroc"]) for each in found] == [(2, None), (2, 0.0)]
    rows = comparison_rows([compare(*both)])
    assert [(each["ECE"], each["AUROC"], each["F1 at 80 %"]) for each in rows] == [
        (0.15, None, 0.85),
        (0.85, 0.0, 0.375),
    ]


def test_repeats_are_summed_up_together(tmp_path):
    folders = [write(tmp_path / "repeat-1", SURE), write(tmp_path / "repeat-2", [*SURE[:3], refused(4, True)])]
    found = write_repeats(tmp_path, folders, [write_summary(each) for each in folders])
    assert found["confidence"]["n"] == 8
    assert (found["refusals"]["answerable"]["mean"], found["refusals"]["answerable"]["n"]) == (0.125, 8)
    assert "Refused: 12.5 %" in (tmp_path / "summary.md").read_text()


def test_few_answers_say_nothing_of_a_confidence():
    few = confidence_figures([0.9, 0.1] * 14, [True, False] * 14, [1.0, 0.0] * 14)
    enough = confidence_figures([0.9, 0.1] * 15, [True, False] * 15, [1.0, 0.0] * 15)
    assert confidence_line({**few, "calibrated": True}) == ""
    assert confidence_line({**enough, "calibrated": True}).startswith("confidence: ECE 0.100, AUROC 1.000")
