import json
import xml.etree.ElementTree as ElementTree

import pytest
from written_runs import row
from written_study import TABLE

from multihop import DamagedFileError, InputError, MismatchError
from multihop.view.plots import Plot, Point, plot_runs, plot_study, write_plot


def answered(right, wrong):
    return [row(f"q{place}", [], right=place < right) for place in range(right + wrong)]


def places(plot):
    return [point[:3] for point in plot.points]


@pytest.fixture
def by_depth(a_run):
    """Four runs of two programs with two depths each, given in no order."""
    return [
        a_run("t3", answered(3, 1), settings={"depth": 3}),
        a_run("t1", answered(1, 3), settings={"depth": 1}),
        a_run("r1", answered(2, 2), settings={"depth": 1}, program="resp"),
        a_run("r3", answered(4, 0), settings={"depth": 3}, program="resp"),
    ]


def test_a_score_by_a_setting_has_a_line_for_each_program(by_depth, tmp_path):
    plot = plot_runs(by_depth, "depth", metric="em")
    assert (plot.x_title, plot.y_title, plot.frontier) == ("depth", "em, in percent", ())
    assert places(plot) == [("resp", 1, 50.0), ("tor", 1, 25.0), ("resp", 3, 100.0), ("tor", 3, 75.0)]
    assert all(point.low <= point.y <= point.high for point in plot.points)
    pytest.importorskip("matplotlib")
    for ending in ("svg", "png"):
        assert write_plot(plot, tmp_path / f"depth.{ending}").stat().st_size > 1000


def test_the_frontier_is_of_runs_that_none_beats_in_both(a_run):
    cheap = [{**each, "cost": {**each["cost"], "calls": 1}} for each in answered(2, 2)]
    runs = [a_run("cheap", cheap, program="one-step"), a_run("dear", answered(3, 1), program="tor")]
    runs.append(a_run("worse", answered(1, 3), program="resp"))
    plot = plot_runs(runs)
    assert plot.x_title == "calls a question"
    assert [point.series for point in plot.frontier] == ["one-step", "tor"]
    assert {point.x for point in plot.points} == {point.x for point in plot.frontier}  # nothing is moved aside


def test_what_cannot_be_drawn_is_said(by_depth, a_run, tmp_path):
    with pytest.raises(InputError, match=r"unknown setting 'k'. Valid: depth, frontier"):
        plot_runs(by_depth, "k")
    with pytest.raises(InputError, match="t3 has no loss; choose another --metric"):
        plot_runs(by_depth, metric="loss")
    other = a_run("other", answered(1, 1))
    told = json.loads((other / "run.json").read_text())
    told["identity"]["data"] = {"fingerprint": "elsewhere"}
    (other / "run.json").write_text(json.dumps(told))
    with pytest.raises(MismatchError, match="made on different questions"):
        plot_runs([by_depth[0], other])
    with pytest.raises(InputError, match=r"unknown ending of a picture's file '\.gif'"):
        write_plot(Plot("x", "y", [Point("a", 1, 2.0, 1.0, 3.0)]), tmp_path / "a.gif")


def test_names_are_letters_and_no_formulas(tmp_path):
    pytest.importorskip("matplotlib")
    write_plot(Plot("x", "y", [Point(r"$\nothing$ & <b>", 1, 2.0, 1.0, 3.0)]), tmp_path / "a.svg")
    assert "legend_1" in [each.get("id") for each in ElementTree.parse(tmp_path / "a.svg").iter()]


def study(folder, *rows, curve=("tokens", "f1")):
    def cells(tokens, f1):
        for metric, ours in (("f1", f1), ("tokens", tokens)):
            yield {**first["cells"][0], "metric": metric, "ours": ours, "low": ours and ours - 5, "high": None}

    (first,) = TABLE["rows"]
    told = [{**first, "row": name, "set": "Small", "cells": [*cells(tokens, f1)]} for name, tokens, f1 in rows]
    (folder / "table.json").write_text(json.dumps({**TABLE, "rows": told, "curve": list(curve)}))
    return folder


def test_rows_of_a_study_are_a_curve_up_to_the_comma(tmp_path):
    rows = ("IRCoT, 15 shots", 9000.0, 50.0), ("IRCoT, 1 shot", 1000.0, 40.0), ("RAP", 95_000.0, 45.0), ("X", None, 1.0)
    (plot,) = plot_study(study(tmp_path, *rows)).values()
    assert (plot.x_title, plot.y_title) == ("tokens", "f1")
    assert places(plot) == [("IRCoT", 1000.0, 40.0), ("IRCoT", 9000.0, 50.0), ("RAP", 95_000.0, 45.0)]
    assert plot.points[0][3:] == (35.0, 40.0)


def test_a_study_without_a_curve_is_refused(tmp_path):
    for made in (study(tmp_path, ("a", 1.0, 1.0), curve=()), study(tmp_path, ("a", None, 1.0))):
        with pytest.raises(InputError, match="has no curve to draw"):
            plot_study(made)
    (tmp_path / "table.json").write_text('{"curve": ["a", "b"]}')
    with pytest.raises(DamagedFileError, match="the same `multihop reproduce` writes it again"):
        plot_study(tmp_path)
