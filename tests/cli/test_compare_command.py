import csv
import io
import json

import pytest

from multihop.__main__ import main


@pytest.fixture(scope="module")
def runs(tmp_path_factory, tiny_encoder_folder):
    folder = tmp_path_factory.mktemp("runs")
    for k in (1, 5, 9):
        options = ["--set", f"k={k}", "--limit", "6", "--lm", "local", "--quiet", "--out", str(folder / f"k{k}")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)
            assert main(["evaluate", "one-step", *options]) == 0
    return [folder / f"k{k}" for k in (1, 5, 9)]


def test_three_runs_have_a_row_each(run, runs):
    code, table, err = run("compare", *runs)
    lines = [" ".join(line.split()) for line in table.splitlines()]
    assert (code, err) == (0, "")
    assert lines[:3] == ["A: one-step k=1", "B: one-step k=5", "C: one-step k=9"]
    assert "em f1 recall@5 calls tokens" in lines
    rows = {line.split()[0]: line.split() for line in lines if line[:2] in ("A ", "B ", "C ")}
    assert [len(rows[letter]) for letter in "ABC"] == [6, 9, 9]
    assert [rows[letter][-2] for letter in "ABC"] == ["1.00", "1.00", "1.00"]
    assert next(line for line in lines if line.startswith("6 questions that all answered"))
    assert "; --metric NAME shows another one of recall@2, recall@15, all-recall@5, recall@K, K" in " ".join(lines)


def test_the_rows_for_other_programs(run, runs, tmp_path):
    code, printed, err = run("compare", *runs, "--json", "--to", tmp_path / "table.csv")
    assert (code, err) == (0, "")
    rows = json.loads(printed)
    assert [(row["run"], row["questions"], row["K"]) for row in rows] == [
        ("one-step k=1", 6, 1.0),
        ("one-step k=5", 6, 5.0),
        ("one-step k=9", 6, 9.0),
    ]
    written = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    assert [row["K difference"] for row in written] == ["", "4.0", "8.0"]
    assert run("compare", *runs, "--to", tmp_path / "table.tex")[0] == 0
    assert r"one-step k=5 & " in (tmp_path / "table.tex").read_text()


def test_metrics_are_chosen_and_come_in_that_order(run, runs, tmp_path):
    chosen = ("--metric", "K", "--metric", "recall@15")
    code, table, err = run("compare", *runs, *chosen, "--to", tmp_path / "table.tex")
    assert (code, err) == (0, "")
    assert "K recall@15 calls tokens" in [" ".join(line.split()) for line in table.splitlines()]
    assert r" & K & recall@15 & Calls & Tokens & Seconds \\" in (tmp_path / "table.tex").read_text().splitlines()
    _, table, _ = run("compare", *runs[:2], *chosen)
    rows = [line.split()[0] for line in table.splitlines() if line.startswith((" K", " recall", " em"))]
    assert rows == ["K", "recall@15"]
    _, printed, _ = run("compare", *runs, *chosen, "--json")
    assert {"K", "recall@15", "K n"} <= set(json.loads(printed)[0])
    assert "em" not in json.loads(printed)[0]


def test_the_cache_is_named_only_where_something_came_from_it(run, runs, tmp_path):
    text = run("compare", *runs[:2])[1]
    assert "came from the cache" not in text
    assert "paid: 6 calls, " in text


def test_what_was_cut_short_is_said_first(run, tmp_path):
    for name, more in (("a", ()), ("b", ("--budget-calls", "1"))):
        asked = ("evaluate", "tor", "--lm", "local", "--limit", "4", "--out", tmp_path / name)
        assert run(*asked, *more)[0] == 0
    code, text, err = run("compare", tmp_path / "a", tmp_path / "b")
    assert (code, err) == (0, "")
    assert text.splitlines()[0] == "B: 4 of 4 questions were cut short by the budget"


@pytest.mark.parametrize(
    ("count", "more", "problem"),
    [
        (0, [], "compare takes the folders of 2 to 26 runs, not of 0."),
        (1, [], "compare takes the folders of 2 to 26 runs, not of 1."),
        (2, ["--metric", "bleu"], "unknown metric of all these runs 'bleu'. Valid: K, all-recall@5, em, "),
        (2, ["--to", "table.html"], "unknown ending of a table's file '.html'. Valid: .csv, .json, .tex"),
    ],
)
def test_bad_input_is_one_sentence(run, runs, count, more, problem):
    code, _, err = run("compare", *runs[:count], *more)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"multihop: {problem}")
