import math
import random

import dspy
import pytest
from toys import ask

from multihop import Direct, evaluate, load, local, save, scripted
from multihop.base import InputError, MismatchError
from multihop.evaluation import open_run
from multihop.optimize import calibrate
from multihop.optimize.calibrating import fit, fit_rows, out_of_sample
from multihop.runtime.grounds.confidence import Calibration, Weight

DATA = {"questions": 0, "fingerprint": ""}


def row(number, f1, *, confidence=0.5, **signals):
    return {
        "id": f"{number:04}", "status": "ok", "metrics": {"f1": f1}, "confidence": confidence,
        "signals": {name: float(value) for name, value in signals.items()},
    }  # fmt: skip


def drawn(count, odds, seed=0):
    """Rows whose answer is right with the log odds that a function gives of two signals."""
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        complete, span = chance.gauss(1, 2), chance.gauss(-3, 1)
        right = chance.random() < 1 / (1 + math.exp(-odds(complete, span)))
        rows.append(row(number, float(right), complete=complete, span=span))
    return rows


def fitted(rows):
    return fit_rows(rows, lm="m", data=DATA)


def test_the_odds_behind_the_answers_are_found():
    found = fitted(drawn(4000, lambda complete, span: 0.5 + complete - 0.5 * (span + 3))).calibration
    slope = {name: each.weight / each.scale for name, each in found.weights.items()}
    assert slope == {"complete": pytest.approx(1.0, abs=0.12), "span": pytest.approx(-0.5, abs=0.12)}
    assert found.weights["complete"].mean == pytest.approx(1.0, abs=0.1)
    assert found.bias == pytest.approx(1.5, abs=0.15)  # at the means
    assert (found.lm, found.questions) == ("m", 4000)


def test_true_odds_are_calibrated_and_tell_right_from_wrong_out_of_sample():
    found = fitted(drawn(2000, lambda complete, span: complete))
    assert found.after["ece"] < 0.04
    assert 0.75 < found.after["auroc"] < 0.9
    assert found.before["auroc"] == 0.5
    assert found.after["f1_at_50"] > found.after["f1_at_80"] > found.after["f1"]


def test_signals_that_say_nothing_promise_nothing():
    found = fitted(drawn(2000, lambda complete, span: 0.0))
    assert found.after["auroc"] < 0.55
    assert found.after["ece"] < 0.1


def test_the_same_rows_give_the_same_folds():
    rows = drawn(60, lambda complete, span: complete)
    assert fitted(rows) == fitted(rows) == fitted(rows[::-1])  # in whatever order they were finished
    signals, right = [each["signals"] for each in rows], [each["metrics"]["f1"] >= 0.5 for each in rows]
    assert out_of_sample(signals, right, seed=1) != out_of_sample(signals, right)


def test_no_answer_has_a_part_in_its_own_confidence():
    rows = drawn(50, lambda complete, span: complete)
    for each in rows:
        each["signals"]["echo"] = 0.0
    before = fitted(rows)
    rows[0]["signals"]["echo"] = 1.0  # alone, so that only a fit that knows this answer gives it a weight
    after = fitted(rows)
    assert after.confidences[0] == before.confidences[0]
    assert "echo" in after.calibration.weights


def test_a_missing_signal_counts_as_its_mean_and_one_that_never_varies_has_no_weight():
    signals = [{"span": float(number), "searches": 1.0} if number % 2 else {"searches": 1.0} for number in range(40)]
    found = fit(signals, [number > 20 for number in range(40)])
    assert [*found.weights] == ["span"]
    assert found.weights["span"].mean == 20.0
    assert found.confidence({}) == found.confidence({"span": 20.0}) == pytest.approx(1 / (1 + math.exp(-found.bias)))


def test_answers_are_right_from_half_an_f1_on():
    rows = [row(number, 0.5 if number % 2 else 0.49, complete=number % 3) for number in range(40)]
    assert sum(fitted(rows).right) == 20


def test_thresholds_say_what_is_answered_and_how_much_of_it_is_right():
    found = fitted(drawn(400, lambda complete, span: complete))
    everything = found.abstaining(0.0)
    assert everything == (0.0, 1.0, sum(found.right) / 400)
    assert found.abstaining(1.0) == (1.0, 0.0, 0.0)
    below = found.least_for(0.8)
    chosen = found.abstaining(below)
    assert chosen.right >= 0.8 > found.abstaining(below - 0.05).right
    assert found.least_for(0.0) == min(found.confidences)


def test_a_share_of_fewer_than_ten_answers_is_none():
    rows = [row(number, float(number % 2 and number < 12), complete=number % 2 + (number < 12)) for number in range(60)]
    found = fitted(rows)
    assert found.abstaining(max(found.confidences)).right == 1.0  # of six
    with pytest.raises(InputError, match=r"at no confidence are 100% of the answers right; the most is \d\d%"):
        found.least_for(1.0)


def test_a_share_that_is_never_right_is_refused_with_the_most_that_is():
    rows = [row(number, float(number % 2), complete=number // 2 % 2) for number in range(40)]
    with pytest.raises(InputError, match=r"at no confidence are 100% of the answers right; the most is \d\d%"):
        fitted(rows).least_for(1.0)


def test_what_was_fitted_is_told_in_plain_values():
    about = fitted(drawn(60, lambda complete, span: complete)).about()
    assert (about["lm"], about["questions"], about["dev"]) == ("m", 60, DATA)
    assert [*about["after"]] == ["ece", "brier", "auroc", "f1", "f1_at_80", "f1_at_50", "risk_coverage_area"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [row(n, float(n % 2), complete=n) for n in range(29)],
            "takes 30 answers or more that have an F1; there are 29",
        ),
        ([], "there are 0"),
        ([row(n, 1.0, complete=n) for n in range(40)], "of 40 answers 0 are wrong; a calibration takes 5 right and 5"),
        ([row(n, 0.0, complete=n) for n in range(40)], "of 40 answers 0 are right"),
        ([{"id": str(n), "status": "ok", "metrics": {"f1": 1.0}} for n in range(40)], "the answers have no signals"),
        (
            [row(n, 0.0, complete=n) | {"best_guess": "Ada"} for n in range(40)],
            "40 of the answers were withheld; calibrate on a run with abstain_below=0",
        ),
    ],
)
def test_answers_that_nothing_can_be_fitted_on_are_refused_in_a_sentence(rows, message):
    with pytest.raises(InputError, match=message):
        fitted(rows)


def test_failed_questions_and_those_without_an_answer_that_is_known_are_left_out():
    rows = drawn(40, lambda complete, span: complete)
    failed = [{"id": "failed", "status": "error", "metrics": {}}, {**rows[0], "metrics": {"f1": None}}]
    assert fitted([*rows, *failed]) == fitted(rows)


def dev(count=40):
    return [{"id": str(number), "question": "Who wrote it?", "answer": "Ada"} for number in range(count)]


def answered(program, folder, **options):
    """A run in which every third answer is wrong, and longer."""
    answers = [{"answer": "Ada" if number % 3 else "nobody that I know"} for number in range(40)]
    with dspy.context(lm=scripted(answers)):
        return evaluate(program, dev(), out=folder, concurrency=1, **options)


def test_a_run_is_calibrated_from_its_rows_and_nothing_is_asked(tmp_path):
    run = answered(Direct(), tmp_path / "run")
    found = calibrate(tmp_path / "run", Direct(grounds=True))
    assert found == calibrate(run) == calibrate(open_run(tmp_path / "run"))
    assert found.after["auroc"] == 1.0
    assert found.calibration.lm == "multihop/scripted"
    assert found.data["questions"] == 40
    assert found.abstaining(0.5) == (0.5, 0.65, 1.0)


def test_the_run_of_another_program_is_refused(tmp_path):
    answered(Direct(), tmp_path / "run")
    with pytest.raises(MismatchError, match="run was made with retries = 2, and the program has 1"):
        calibrate(tmp_path / "run", Direct(retries=1))
    other = Direct()
    other.answer.signature = other.answer.signature.with_instructions("Answer.")
    with pytest.raises(MismatchError, match="was made with other prompts than the program has"):
        calibrate(tmp_path / "run", other)
    other = Direct()
    other.name = "guess"
    with pytest.raises(MismatchError, match="run is a run of direct, not of guess"):
        calibrate(tmp_path / "run", other)


def test_a_saved_program_keeps_its_calibration_and_abstains_with_it(tmp_path):
    program = Direct()
    program.calibration = calibrate(answered(program, tmp_path / "run")).calibration
    program.abstain_below = 0.5
    save(program, tmp_path / "sure.json")
    again = load(tmp_path / "sure.json")
    assert again.calibration == program.calibration
    sure = ask(again, scripted([{"answer": "Ada"}]))
    unsure = ask(again, scripted([{"answer": "nobody that I know"}]))
    assert (sure.answer, sure.calibrated, sure.abstained) == ("Ada", True, False)
    assert sure.confidence > 0.7 > 0.4 > unsure.confidence
    assert (unsure.answer, unsure.best_guess, unsure.abstained) == ("I do not know", "nobody that I know", True)


def test_another_lm_than_the_one_whose_answers_it_was_fitted_on_is_told_of(tmp_path):
    save(Direct(calibration=Calibration({}, bias=0.0, lm="openai/gpt-5")), tmp_path / "p.json")
    with pytest.warns(UserWarning, match=r"p.json was fitted on answers of openai/gpt-5, not of multihop/local"):
        load(tmp_path / "p.json", lm=local())


def test_a_calibration_that_somebody_wrote_by_hand_is_checked():
    with pytest.raises(InputError, match="unknown signal 'luck'"):
        Direct(calibration={"weights": {"luck": {"weight": 1.0}}, "bias": 0.0})
    with pytest.raises(InputError, match="calibration"):
        Direct(calibration={"weights": {"span": {"weight": 1.0, "scale": 0.0}}, "bias": 0.0})
    made = Direct(calibration={"weights": {"span": {"weight": 1.0}}, "bias": 0.5})
    assert made.calibration == Calibration({"span": Weight(1.0)}, bias=0.5)
