"""docs/board.md and docs/real-lms.md are made of records; figures come from studies, and a false claim is found."""

from pathlib import Path

import pytest
import ujson
from scripts import load_script

from multihop import local, scripted
from multihop.base import InputError
from multihop.experiments import reproduce

DOCS = Path(__file__).parents[1] / "docs"
MAKER, ROWS = load_script(DOCS / "make_board.py"), load_script(DOCS / "board_rows.py")
REAL = load_script(DOCS / "make_real.py")
SET = {"f1": {"mean": 40.0, "n": 9}, "recall@5": {"mean": 90.0, "low": 85.0, "high": 95.0, "n": 9}}


def row(**changed):
    return {**MAKER.new_row("mine"), "who": "me", "sets": {"musique": SET}, **changed}


def test_the_page_has_the_tables_of_the_rows_and_each_row_is_as_it_is_written(tmp_path):
    text = (DOCS / "board.md").read_text()
    assert MAKER.page(text, ROWS.read_rows()) == text, "python docs/make_board.py writes them"
    for path in (DOCS / "board").glob("*.json"):
        ROWS.write_row(ROWS.read_row(path.stem), tmp_path / path.name)
        assert path.read_text() == (tmp_path / path.name).read_text()


def claim(**figure):
    return {"sets": {"musique": {"f1": figure}}}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"more": 1}, "a row has the keys row, title, who,"),
        ({"who": 3}, "who: it is a text, not 3"),
        ({"parameters": "9 M"}, "parameters: it is a number from 0 on, or null for none, not '9 M'"),
        ({"sets": {"musique": {"em": SET["f1"]}}}, "unknown measure 'em'"),
        (claim(mean=400, n=9), "are percentages"),
        (claim(mean=9, low=10, high=20, n=9), "low, mean and high rise"),
        (claim(mean=4.0), "n is the number of questions, not None"),
    ],
)
def test_a_row_that_is_wrong_is_refused(changed, message, tmp_path):
    (tmp_path / "mine.json").write_text(ujson.dumps(row(**changed)))
    with pytest.raises(InputError) as refused:
        ROWS.read_row("mine", tmp_path)
    assert message in str(refused.value)


@pytest.fixture(scope="module")
def study(tmp_path_factory, tiny_encoder_folder):
    """A study of one row on the little encyclopedia, in the place of every set."""
    folder, lm = tmp_path_factory.mktemp("study"), local(weights=str(tiny_encoder_folder))
    reproduce("zero-token", out=folder, lm=lm, rows=["bm25"], questions="little", limit=6)
    return folder


def test_the_figures_of_a_study_go_into_the_file_of_its_row_unless_it_has_those_of_more_questions(study, tmp_path):
    before = {"mean": 1.0, "n": 354}
    kept = row(row="bm25", sets={"musique": {"f1": before, "recall@5": {"mean": 1.0, "n": 3}}})
    ROWS.write_row(kept, tmp_path / "bm25.json")
    MAKER.gather(study, tmp_path)
    found = ROWS.read_row("bm25", tmp_path)
    assert (found["row"], found["who"]) == ("bm25", "me")
    assert {*found["sets"]} == {"hotpotqa", "2wikimultihopqa", "musique", "lihuaworld", "meqa"}
    assert found["sets"]["musique"]["f1"] == before
    measured = found["sets"]["musique"]["recall@5"]
    assert measured["n"] == 6
    assert measured["low"] <= measured["mean"] <= measured["high"]


def test_a_true_claim_holds_and_a_false_one_is_found(study, tmp_path, capsys):
    MAKER.gather(study, tmp_path)
    assert MAKER.checked("bm25", study, tmp_path) == 0
    assert "20 of 20 hold; 0 not measured" in capsys.readouterr().out
    claimed = ROWS.read_row("bm25", tmp_path)
    claimed["sets"]["musique"]["f1"] = {"mean": 99.0, "n": 354}
    ROWS.write_row(claimed, tmp_path / "bm25.json")
    assert MAKER.checked("bm25", study, tmp_path) == 1
    out = capsys.readouterr().out
    assert "musique, f1: 99.0 is claimed, measured is" in out
    assert "of 6 questions: DOES NOT HOLD" in out
    assert "19 of 20 hold" in out


def test_answers_of_another_lm_than_the_rows_own_do_not_count(tmp_path):
    lms = {"local": scripted(lambda prompt: {"answer": "x"})}
    reproduce("zero-token", out=tmp_path, lms=lms, rows=["bm25"], questions="little", limit=2)
    assert {*MAKER.measured(tmp_path)["bm25"]["musique"]} == {"recall@2", "recall@5", "all-recall@5"}


def test_a_study_of_a_real_lm_is_held_against_the_records_that_the_page_shows(tmp_path, capsys):
    records = ujson.loads(REAL.RECORDS.read_text())
    text = REAL.PAGE.read_text()
    assert REAL.page(text, records) == text, "python docs/make_real.py writes them"
    lm = scripted(lambda prompt: {"answer": "x"})
    reproduce("real-reading", out=tmp_path, lm=lm, rows=["direct"], questions="little", limit=30)
    assert REAL.checked(records, tmp_path) == 1
    out = capsys.readouterr().out
    assert "direct: 2wikimultihopqa, f1: 30.9 is claimed, measured is 0.0" in out
    assert "of 30 questions: DOES NOT HOLD" in out
    with pytest.raises(InputError, match=r"has no figure that real\.json has a record of"):
        REAL.checked({**records, "cells": []}, tmp_path)
