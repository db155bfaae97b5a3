"""The script that gathers rows from the folders of runs."""

import gzip
import shutil
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import dspy
import pytest
import ujson
from scripts import load_script
from some_rows import some_row

from multihop import BM25, Budget, InputError, OneStep, World, create, evaluate, lexical, simulated, with_demonstrations
from multihop.base.plain import plain_value
from multihop.data import write_questions
from multihop.evaluation.references import GoldPassages
from multihop.experiments.choosing.measured import parse_rows

ROOT = Path(__file__).parents[3]
WORLD = World(questions=6, passages=60, seed=5)
PASSAGES, QUESTIONS = list(WORLD.passages()), list(islice(WORLD.questions(), 6))


@pytest.fixture(scope="module")
def script():
    return load_script(ROOT / "benchmarks" / "measured_rows.py")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder of one set, as the script reads it."""
    folder = tmp_path_factory.mktemp("data")
    with gzip.open(folder / "town.corpus.jsonl.gz", "wt") as file:
        file.writelines(ujson.dumps(page._asdict()) + "\n" for page in PASSAGES)
    write_questions(folder / "dev.jsonl", QUESTIONS)
    (folder / "town.dev.jsonl.gz").write_bytes(gzip.compress((folder / "dev.jsonl").read_bytes()))
    return folder


def asked(out, *, program=None, lm=None, questions=QUESTIONS):
    program = program or OneStep(BM25.build(PASSAGES), k=3)
    with dspy.context(lm=lm or lexical()):
        evaluate(program, questions, out=out)
    return out


def test_a_run_is_a_row(script, data, tmp_path):
    sets = script.known_sets(data)
    folder = asked(tmp_path / "runs" / "one-step")
    assert list(script.run_folders([tmp_path])) == [folder]
    row = script.row_of(folder, sets, timed=False, fewest=6)
    summary = ujson.loads((folder / "summary.json").read_text())
    assert (row.program, row.settings, row.variant, row.retriever) == ("one-step", {"k": 3}, "zero-shot", "bm25")
    assert (row.lm, row.size, row.structured, row.set, row.passages) == ("lexical", 0.0, "text", "town", len(PASSAGES))
    assert row.hops == round(sum(each.hops for each in QUESTIONS) / 6, 2)
    assert (row.n, row.calls, row.seconds, row.unreadable) == (6, 1.0, None, 0)
    assert row.f1.mean == round(100 * summary["metrics"]["f1"]["mean"], 1)
    assert row.f1.low == round(100 * summary["metrics"]["f1"]["low"], 1)
    [tokens] = summary["cost"]["tokens"].values()
    assert (row.tokens_in, row.tokens_out) == (round(tokens["in"] / 6), round(tokens["out"] / 6))
    assert script.row_of(folder, sets, timed=True, fewest=6).seconds is not None


def test_settings_that_are_not_the_default_are_kept(script):
    settings = create("tor", lambda query, k: [], widths=[2], budget=Budget(calls=25)).settings
    plain = {name: plain_value(value) for name, value in settings.items()}
    assert script.own_settings("tor", plain) == {"widths": [2], "budget": {"calls": 25}}


def test_demonstrations_make_a_variant(script, data, tmp_path):
    shown = {"answer": [{"question": f"Who {n}?", "passages": ["Ada."], "answer": "Ada"} for n in range(2)]}
    program = with_demonstrations(create("one-step", BM25.build(PASSAGES)), shown)
    folder = asked(tmp_path / "run", program=program)
    assert script.row_of(folder, script.known_sets(data), timed=False, fewest=1).variant == "labeled-2"
    work = asked(tmp_path / "p.json.work" / "dev" / "bootstrapped", program=program)
    assert script.row_of(work, script.known_sets(data), timed=False, fewest=1).variant == "bootstrapped"


def test_the_row_of_a_study_tells_its_variant(script, data, tmp_path):
    shutil.copyfile(ROOT / "multihop" / "experiments" / "tables" / "real-compile.toml", tmp_path / "experiment.toml")
    sets = script.known_sets(data)
    for row, variant in (("one-step-zero-shot", "zero-shot"), ("one-step-bootstrapped", "bootstrapped")):
        folder = asked(tmp_path / row / "town")
        assert script.row_of(folder, sets, timed=False, fewest=1).variant == variant


def test_what_is_no_row_is_left_out_with_a_reason(script, data, tmp_path):
    sets = script.known_sets(data)
    gold = GoldPassages(QUESTIONS, PASSAGES)
    cases = {
        "it was simulated": asked(tmp_path / "a", lm=simulated(QUESTIONS, PASSAGES)),
        "it has only 2 questions": asked(tmp_path / "b", questions=QUESTIONS[:2]),
        "it searched what gold tells": asked(tmp_path / "d", program=OneStep(gold)),
        "of no set that is here": asked(
            tmp_path / "c", questions=[replace(each, id=f"x{each.id}") for each in QUESTIONS]
        ),
    }
    for reason, folder in cases.items():
        with pytest.raises(InputError, match=reason):
            script.row_of(folder, sets, timed=False, fewest=6)


def test_errors_count_as_0(script):
    measured = {"mean": 0.5, "low": 0.4, "high": 0.6, "n": 8, "mean_over_all": 0.4}
    assert script.figure(measured) == (40.0, 32.0, 48.0)
    assert script.figure({**measured, "mean": 0.0, "low": 0.0, "high": 0.0, "mean_over_all": 0.0}) == (0.0, 0.0, 0.0)


def test_the_newest_row_stays_and_others_are_kept(script):
    old, new, other = some_row(f1=40.0), some_row(f1=50.0, measured="2026-11-02"), some_row("tor", f1=60.0)
    assert script.merged([other, old, new]) == script.merged([new, old, other]) == [new, other]


def test_the_file_is_read_as_it_was_written_a_row_a_line(script):
    rows = [some_row(settings={"widths": [4, 2]}), some_row("direct", retriever=None)]
    text = script.as_text(rows)
    assert parse_rows(text) == tuple(rows)
    assert len(text.splitlines()) == 4


def test_the_whole_command(script, data, tmp_path, monkeypatch, capsys):
    asked(tmp_path / "runs" / "good")
    short = asked(tmp_path / "runs" / "short", questions=QUESTIONS[:1])
    monkeypatch.setattr(script, "measured_rows", lambda: (some_row(),))
    to = tmp_path / "rows.json"
    given = ["measured_rows.py", str(tmp_path / "runs"), "--data", str(data), "--fewest", "6", "--to", str(to)]
    monkeypatch.setattr(sys, "argv", given)
    script.main()
    said = capsys.readouterr()
    assert said.out == f"1 run; {to} has 2 rows\n"
    assert said.err == f"left out: {short}: it has only 1 questions.\n"
    assert [row.lm for row in parse_rows(to.read_text())] == ["lexical", "tiny-1.5b"]
