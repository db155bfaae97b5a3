import asyncio
import pickle

import dspy
import pytest
import ujson
from toys import ask

from multihop import BM25, Budget, Direct, Passage, evaluate, local, save, scripted
from multihop.base import InputError
from multihop.encoder import Encoder
from multihop.evaluation.journal.row_shape import check_row
from multihop.evaluation.workers.in_processes import ProcessWorkers
from multihop.programs import OneStep, TreeOfReviews
from multihop.runtime import Program
from multihop.runtime.grounds.confidence import Calibration, Weight
from multihop.runtime.grounds.grounding import Grounds, why_not

PAGES = [
    Passage("1", "Etna", "Etna is an active volcano on the island of Sicily."),
    Passage("2", "Malta", "Malta is an island."),
]
QUESTION = "On which island is Etna?"
EVEN = Calibration({}, bias=0.0)
FREE = {"words", "refused", "yes_or_no", "echo", "stands", "searches", "over_budget"}
READ = {"complete", "first", "second", "span", "margin"}


def one_step(**settings):
    return OneStep(BM25.build(PAGES), k=2, **settings)


def answered(answer, program):
    return ask(program, scripted([{"answer": answer}]), question=QUESTION)


def test_every_answer_has_a_confidence_and_what_is_behind_it_and_no_encoder_reads(monkeypatch):
    monkeypatch.setattr(Encoder, "load", lambda *_: pytest.fail("it is not asked for"))
    prediction = answered("Sicily", one_step())
    assert 0 < prediction.confidence < 1
    assert (prediction.calibrated, prediction.abstained) == (False, False)
    assert prediction.signals.keys() == FREE
    assert (prediction.signals["stands"], prediction.signals["words"]) == (0.5, 1.0)
    assert [name for name in ("citations", "best_guess", "reason") if name in prediction] == []


def test_with_grounds_the_encoder_reads_and_the_answer_is_cited(tiny_encoder):
    prediction = answered("Sicily", one_step(grounds=True))
    assert prediction.signals.keys() == FREE | READ
    assert isinstance(prediction.citations, list)


def test_a_confidence_below_the_threshold_withholds_the_answer_and_says_why(tiny_encoder):
    prediction = answered("Sicily", one_step(calibration=EVEN, abstain_below=0.51))
    assert (prediction.answer, prediction.best_guess) == ("I do not know", "Sicily")
    assert (prediction.confidence, prediction.calibrated, prediction.abstained) == (0.5, True, True)
    assert prediction.reason == (
        "The best guess from 2 passages has a confidence of 50 %, and 51 % are asked for."
    )  # fmt: skip
    assert [passage.id for passage in prediction.passages] == ["1", "2"]


def test_a_confidence_at_the_threshold_is_enough(tiny_encoder):
    prediction = answered("Sicily", one_step(calibration=EVEN, abstain_below=0.5))
    assert (prediction.answer, prediction.abstained, "best_guess" in prediction) == ("Sicily", False, False)


@pytest.mark.parametrize("sure", [-30.0, 0.0, 30.0])
def test_a_threshold_of_1_withholds_every_answer_and_one_of_0_none(sure, tiny_encoder):
    calibration = Calibration({}, bias=sure)
    assert answered("Sicily", one_step(calibration=calibration, abstain_below=1)).abstained
    assert not answered("Sicily", one_step(calibration=calibration, abstain_below=0)).abstained


def test_a_program_that_refuses_by_itself_abstains_whatever_the_threshold(tiny_encoder):
    for below in (0.0, 1.0):
        prediction = answered("unknown", one_step(abstain_below=below))
        assert (prediction.answer, prediction.abstained, "best_guess" in prediction) == ("unknown", True, False)
        assert prediction.signals["refused"] == 1.0


def test_the_reason_says_if_nothing_was_found():
    assert why_not(0.2, 0.5, []) == "Nothing was found that could answer it."
    assert ask(Direct(abstain_below=1), scripted([{"answer": "Sicily"}])).reason == why_not(0.2, 0.5, [])


def test_a_share_that_is_none_is_refused():
    with pytest.raises(InputError, match="abstain_below"):
        one_step(abstain_below=1.5)


def test_a_program_that_does_not_read_is_sure_of_nothing():
    prediction = ask(one_step(reads=False), scripted([]), question=QUESTION)
    assert Grounds.__annotations__.keys() & prediction.keys() == set()


def test_a_search_that_the_budget_ends_has_a_confidence_too():
    program = TreeOfReviews(BM25.build(PAGES), depth=2, widths=(2, 2), budget=Budget(calls=1))
    with dspy.context(lm=local()):
        prediction = program(question=QUESTION)
    assert prediction.over_budget
    assert prediction.signals["over_budget"] == 1.0
    assert 0 < prediction.confidence < 1


def test_the_answer_is_the_last_field_whoever_gave_it(tiny_encoder):
    for below in (0.0, 1.0):
        assert list(answered("Sicily", one_step(abstain_below=below)).keys())[-1] == "answer"


class Inner(Program):
    """Asks another program."""

    retrieves = False

    def set_up(self):
        self.inner = Direct(abstain_below=1)

    async def aforward(self, question):
        said = await self.inner.acall(question=question)
        return dspy.Prediction(answer=f"It is {said.answer}.")


def test_only_the_outermost_program_is_grounded():
    prediction = ask(Inner(), scripted([{"answer": "Sicily"}]))
    assert (prediction.answer, prediction.abstained) == ("It is Sicily.", False)


def test_what_goes_wrong_while_the_grounds_are_read_is_an_error_of_the_question_with_its_steps(monkeypatch):
    async def broken(*_):
        raise RuntimeError("no encoder")

    monkeypatch.setattr("multihop.runtime.grounds.reading.read_signals", broken)
    with pytest.raises(RuntimeError, match="no encoder") as failed:
        answered("Sicily", one_step(grounds=True))
    assert [step["step"] for step in failed.value.trajectory] == ["find", "answer"]
    assert failed.value.cost["calls"] == 1


def test_a_prediction_with_grounds_can_be_pickled_and_copied(tiny_encoder):
    prediction = answered("Sicily", one_step(abstain_below=1))
    again = pickle.loads(pickle.dumps(prediction))
    assert (again.best_guess, again.signals) == ("Sicily", prediction.signals)


DEV = [{"id": str(number), "question": QUESTION, "answer": "Sicily"} for number in range(3)]


def rows_of(program, folder, **options):
    with dspy.context(lm=local()):
        run = evaluate(program, DEV, out=folder, **options)
    return list(run.rows())


def test_rows_have_the_grounds_in_the_shape_of_rows(tiny_encoder, tmp_path):
    rows = rows_of(one_step(calibration=EVEN, abstain_below=0.6), tmp_path / "run")
    for row in rows:
        check_row(row)
        assert (row["answer"], row["confidence"], row["calibrated"], row["abstained"]) == (
            "I do not know",
            0.5,
            True,
            True,
        )
        assert row["signals"].keys() == FREE | READ
        assert row["best_guess"]
        assert row["reason"].endswith("and 60 % are asked for.")
        assert row["metrics"]["f1"] == 0.0


@pytest.mark.seconds
def test_workers_in_processes_bring_the_grounds_along(tmp_path):
    settings = {"calibration": Calibration({"stands": Weight(1.0)}, bias=0.0), "abstain_below": 0.9}
    here = rows_of(one_step(**settings), tmp_path / "here")
    there = rows_of(one_step(**settings), tmp_path / "there", workers=ProcessWorkers(1))
    names = [*Grounds.__annotations__, "answer"]
    told = [{row["id"]: {name: row[name] for name in names} for row in rows} for rows in (here, there)]
    assert told[0] == told[1]


def test_many_questions_at_once_have_each_their_own_grounds(tiny_encoder):
    program = one_step(grounds=True)

    async def main():
        with dspy.context(lm=scripted([{"answer": each} for each in ("Sicily", "Italy", "Etna")])):
            return await asyncio.gather(*(program.acall(question=QUESTION) for _ in range(3)))

    found = {each.answer: (each.signals["stands"], each.signals["echo"]) for each in asyncio.run(main())}
    assert found == {"Sicily": (0.5, 0.0), "Italy": (0.0, 0.0), "Etna": (0.5, 1.0)}


def test_an_artefact_keeps_the_settings_as_plain_values(tmp_path):
    save(one_step(calibration=EVEN, grounds=True, abstain_below=0.4), tmp_path / "p.json")
    kept = ujson.loads((tmp_path / "p.json").read_text())["metadata"]["multihop"]["settings"]
    assert (kept["grounds"], kept["abstain_below"]) == (True, 0.4)
    assert kept["calibration"] == {"weights": {}, "bias": 0.0, "lm": "", "questions": 0}
