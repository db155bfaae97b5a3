import json

from written_runs import row, write_run

from multihop.evaluation.report.report import write_summary
from multihop.view.plots.study_planes import study_planes


def cell(ours, metric="f1"):
    return {"metric": metric, "ours": ours, "low": ours - 5, "high": ours + 5, "n": 20, "asked": 20}


def line(name, calls, *cells, tokens=100.0, n=20):
    return {"row": name, "n": n, "folder": name, "calls": calls, "tokens": tokens, "cells": list(cells)}


def test_methods_are_placed_by_f1_against_each_cost_that_all_of_them_have(tmp_path):
    rows = [line("one-step", 1.0, cell(40.0)), line("tor", 16.0, cell(60.0)), line("cot", 4.0, cell(30.0))]
    planes = study_planes(rows, tmp_path)
    assert [plane["title"] for plane in planes] == ["f1 over LM calls a question", "f1 over tokens a question"]
    assert planes[0]["frontier_line"] == "On the frontier, which no run beats in both: one-step, tor."
    assert [(point["name"], point["filled"]) for point in planes[0]["points"]] == [
        ("one-step", True),
        ("tor", True),
        ("cot", False),
    ]


def test_seconds_are_those_of_the_runs(tmp_path):
    for name in ("one-step", "tor"):
        write_summary(write_run(tmp_path / name, [row("q1", [])]))
    planes = study_planes([line("one-step", 1.0, cell(40.0)), line("tor", 16.0, cell(60.0))], tmp_path, "mind")
    assert [(plane["x_title"], plane["note"]) for plane in planes][-1] == ("seconds a question", "mind")
    assert "0.5 seconds a question" in json.dumps(planes[-1])


def test_one_method_or_no_measure_in_common_makes_no_plane(tmp_path):
    assert study_planes([line("tor", 16.0, cell(60.0)), line("cot", 1.0, cell(5.0), n=0)], tmp_path) == []
    assert study_planes([line("tor", 16.0, cell(60.0)), line("cot", 1.0, cell(5.0, "K"))], tmp_path) == []


def test_without_f1_it_is_what_all_rows_have(tmp_path):
    rows = [line("a", 1.0, cell(50.0, "recall@5")), line("b", 2.0, cell(70.0, "recall@5"), cell(5.0))]
    assert study_planes(rows, tmp_path)[0]["y_title"] == "recall@5, in percent"
