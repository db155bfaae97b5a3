"""The curves of a study: the rows as points, their names, and what cannot be drawn."""

import json

import pytest

from multihop import DamagedFileError, InputError
from multihop.__main__ import main
from multihop.view import write_study_page
from multihop.view.plots.curve import curve_points, plot_study


def cell(metric, ours, low=None, high=None):
    return {
        "measure": metric, "metric": metric, "published": None, "published_lm": None, "ours": ours, "low": low,
        "high": high, "n": 4, "difference": None,
    }  # fmt: skip


def row(name, tokens, f1, question_set="Small", **more):
    return {
        "row": name, "set": question_set, "asked": "world", "program": "mzqa", "settings": {}, "folder": "a", "lms": [],
        "retriever": None, "n": 0, "errors": 0, "calls": 1.0, "tokens": tokens, "paid_calls": 4, "note": "",
        "cells": [cell("f1", f1, f1 and f1 - 5, f1 and f1 + 5), cell("tokens", tokens)], **more,
    }  # fmt: skip


def table(*rows, curve=("tokens", "f1"), simulated=False):
    return {
        "experiment": "mzqa-figure-5", "title": "F1 over tokens", "paper": "MZQA", "place": "Figure 5",
        "simulated": simulated, "caveats": ["4 questions, not 500"], "differs": [], "stopped": False,
        "rows": list(rows), "curve": list(curve),
    }  # fmt: skip


ROWS = [
    row("IRCoT, 15 shots", 9000.0, 50.0),
    row("IRCoT, 1 shot", 1000.0, 40.0),
    row("IRCoT, 5 shots", None, None),
    row("MZQA, 0 shots", 90_000.0, 60.0),
    row("RAP", 95_000.0, 45.0),
]


@pytest.fixture
def study(tmp_path):
    def write(**content):
        (tmp_path / "table.json").write_text(json.dumps(content))
        return tmp_path

    return write


def test_rows_are_points_of_the_curve_that_their_names_begin_with():
    points = curve_points(ROWS, ["tokens", "f1"])
    assert [(point.curve, point.name, point.x, point.y) for point in points] == [
        ("IRCoT", "IRCoT, 1 shot", 1000.0, 40.0),
        ("IRCoT", "IRCoT, 15 shots", 9000.0, 50.0),
        ("MZQA", "MZQA, 0 shots", 90_000.0, 60.0),
        ("RAP", "RAP", 95_000.0, 45.0),
    ]
    assert (points[0].low, points[0].high) == (35.0, 45.0)
    assert curve_points(ROWS, []) == []
    two = [row("ToR, depth 2", 5.0, 1.0, label=f"ToR, depth 2, {lm}") for lm in ("GPT-3.5", "GPT-4")]
    assert [point.curve for point in curve_points(two, ["tokens", "f1"])] == ["ToR, GPT-3.5", "ToR, GPT-4"]


def test_each_point_has_its_name_where_they_are_few_and_the_last_alone_where_they_are_many(study):
    (plotted,) = plot_study(study(**table(*ROWS, simulated=True))).values()
    assert [point["name"] for point in plotted.plot["points"]] == ["1 shot", "IRCoT, 15 shots", "MZQA, 0 shots", "RAP"]
    assert (plotted.plot["title"], plotted.plot["y_title"]) == ("F1 over tokens, Small", "F1, in percent")
    assert plotted.plot["x_title"] == "tokens, on a logarithmic scale"
    assert plotted.plot["points"][0]["title"] == "IRCoT, 1 shot: F1 40.0, tokens 1,000"
    assert [len(line["places"]) for line in plotted.plot["lines"]] == [2, 1, 1]
    assert plotted.plot["note"].startswith("SIMULATED")
    assert plotted.values[0]["set"] == "Small"
    many = [row(f"Direct, k={k}", float(k), 10.0 * k) for k in range(1, 7)]
    (plotted,) = plot_study(study(**table(*many))).values()
    assert [point["name"] for point in plotted.plot["points"]] == ["", "", "", "", "", "Direct"]


def test_the_command_draws_a_picture_for_each_set(study, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = study(**table(*ROWS, row("RAP", 5.0, 1.0, question_set="Large")))
    assert main(["plot", str(folder), "--of", "curve", "--to", "f1.svg"]) == 0
    assert capsys.readouterr().out == "wrote f1-Small.svg and f1-Large.svg\n"
    assert "<title>F1 over tokens, Large</title>" in (tmp_path / "f1-Large.svg").read_text()
    assert main(["plot", str(folder), "--of", "curve", "--json"]) == 0
    assert [each["set"] for each in json.loads(capsys.readouterr().out)] == ["Small"] * 4 + ["Large"]
    page = write_study_page(folder, tmp_path / "page.html").read_text()
    assert page.count('<figure class="plot">') == 2
    assert "<figcaption>F1 over tokens, Small</figcaption>" in page


def test_what_makes_no_curve_is_refused_in_a_sentence(study, tmp_path, capsys):
    with pytest.raises(InputError, match="is no study: a curve is drawn of a folder that `multihop reproduce` wrote"):
        plot_study(tmp_path)
    with pytest.raises(InputError, match="mzqa-figure-5 makes no curve; draw its runs by a setting"):
        plot_study(study(**table(*ROWS, curve=())))
    with pytest.raises(InputError, match="has no finished row to draw"):
        plot_study(study(**table(ROWS[2])))
    with pytest.raises(DamagedFileError, match="is damaged"):
        plot_study(study(title="x"))
    assert main(["plot", "a", "b", "--of", "curve"]) == 2
    assert "a curve is drawn of one study, the folder of `multihop reproduce`, not of 2." in capsys.readouterr().err
