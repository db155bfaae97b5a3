import importlib.util
import xml.etree.ElementTree as ElementTree

import pytest
from written_runs import failed, row, rows

from multihop import InputError, MismatchError
from multihop.view.plots import write_plot
from multihop.view.plots.plot import PlotMark, place_marks
from multihop.view.plots.plotting import plot_runs
from multihop.view.plots.scales import Scale

SVG = "{http://www.w3.org/2000/svg}"


def answered(right, wrong):
    return [row(f"q{place}", [], right=place < right) for place in range(right + wrong)]


@pytest.fixture
def by_depth(a_run):
    """Four runs of two programs with two depths each, given in no order."""
    return [
        a_run("t3", answered(3, 1), settings={"depth": 3}),
        a_run("t1", answered(1, 3), settings={"depth": 1}),
        a_run("r1", answered(2, 2), settings={"depth": 1}, program="resp"),
        a_run("r3", answered(4, 0), settings={"depth": 3}, program="resp"),
    ]


def texts(path):
    return [each.text for each in ElementTree.parse(path).iter(f"{SVG}text")]


def test_a_score_by_a_setting_has_a_line_for_each_program(by_depth, tmp_path):
    plotted = plot_runs(by_depth, "depth")
    assert [(each["series"], each["value"], each["mean"]) for each in plotted.values] == [
        ("tor", 1, 25.0), ("tor", 3, 75.0), ("resp", 1, 50.0), ("resp", 3, 100.0)
    ]  # fmt: skip
    assert [point["name"] for point in plotted.plot["points"]] == ["", "tor", "", "resp"]
    assert [(point["sign"], point["filled"]) for point in plotted.plot["points"][1::2]] == [
        ("circle", True), ("square", False)
    ]  # fmt: skip
    assert [line["dash"] for line in plotted.plot["lines"]] == ["", "7 3"]
    assert [text for _, text in plotted.plot["x_ticks"]] == ["1", "3"]
    drawn = texts(write_plot(plotted.plot, tmp_path / "depth.svg"))
    assert [text for text in ("em, in percent", "depth", "tor", "resp") if text not in drawn] == []
    assert "SIMULATED: the LM knew the gold; this says nothing about quality" in drawn


def test_shots_are_the_demonstrations_that_a_step_shows(a_run):
    def prompts(count):
        return {"read": {"instructions": "Read.", "fields": {}, "demos": [{"question": "?"}] * count}}

    runs = [a_run(f"s{count}", answered(count, 4), prompts=prompts(count)) for count in (1, 3)]
    found = plot_runs(runs, "shots", metric="f1")
    assert [(each["series"], each["value"]) for each in found.values] == [("tor", 1), ("tor", 3)]
    assert found.plot["x_title"] == "demonstrations"


def test_runs_with_the_same_value_are_repeats_of_each_other(a_run):
    runs = [a_run("a", answered(1, 3), settings={"k": 1}), a_run("b", answered(3, 1), settings={"k": 1})]
    found = plot_runs([*runs, a_run("c", answered(4, 0), settings={"k": 2})], "k")
    assert [(each["value"], each["mean"], len(each["folders"])) for each in found.values] == [
        (1, 50.0, 2),
        (2, 100.0, 1),
    ]


def test_a_folder_of_repeats_is_one_run_on_the_frontier(a_run, tmp_path):
    for name, right in (("repeat-1", 1), ("repeat-2", 3)):
        a_run(f"several/{name}", answered(right, 4 - right))
    one = a_run("one", answered(1, 3), program="resp")
    found = plot_runs([tmp_path / "several", f"ReSP (ours)={one}"])
    assert [(each["name"], each["mean"], each["cost"], each["on_frontier"]) for each in found.values] == [
        ("tor", 50.0, 3.0, True), ("ReSP (ours)", 25.0, 3.0, False)
    ]  # fmt: skip


def test_words_are_a_scale_too(a_run):
    runs = [a_run(name, answered(2, 2), settings={"thought": name}) for name in ("sentence", "question")]
    assert [text for _, text in plot_runs(runs, "thought").plot["x_ticks"]] == ["sentence", "question"]


def test_texts_of_others_stay_texts(a_run, tmp_path):
    a, b = a_run("a", answered(1, 1)), a_run("b", answered(2, 0))
    plotted = plot_runs([f"<script>alert(1)</script>={a}", f"b={b}"])
    drawn = write_plot(plotted.plot, tmp_path / "plot.svg").read_text()
    assert "<script" not in drawn
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in drawn


def test_names_hide_neither_each_other_nor_a_mark():
    marks = [PlotMark(f"a run {place}", 1.0 + place / 50, 50.0 + 8 * place, 50.0, 50.0) for place in range(3)]
    scales = {"x": Scale([0.0, 10.0], 44.0, 376.0), "y": Scale([0.0, 100.0], 222.0, 14.0)}
    points = place_marks(marks, [], **scales, title="", x_title="", y_title="")["points"]
    labels = [point["label"] for point in points]
    assert len({y for _, y, _ in labels}) == 3
    assert all(abs(a[1] - b[1]) >= 11 or a[2] != b[2] for place, a in enumerate(labels) for b in labels[place + 1 :])


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs the extra [plot]")
@pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_the_same_in_a_png_and_a_pdf(by_depth, tmp_path, suffix, begins):
    plot = plot_runs(by_depth, "depth").plot
    first, second = (write_plot(plot, tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
    assert first.startswith(begins)
    assert first == second


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs the extra [plot]")
def test_matplotlib_draws_every_text_and_mark(by_depth):
    from multihop.view.plots.drawing import draw_with_matplotlib

    plot = plot_runs(by_depth, "depth").plot
    axes = draw_with_matplotlib(plot).axes[0]
    written = [each.get_text() for each in axes.texts]
    assert [text for text in ("em, in percent", "depth", "tor", "resp", "1", "3") if text not in written] == []
    marked = [each for each in axes.lines if each.get_marker() != "None"]
    assert [(each.get_xdata()[0], each.get_ydata()[0]) for each in marked] == [(p["x"], p["y"]) for p in plot["points"]]


def test_without_matplotlib_a_sentence_says_what_to_install(by_depth, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"a picture as .png or .pdf needs .*multihop\[plot\]"):
        write_plot(plot_runs(by_depth, "depth").plot, tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


def test_what_cannot_be_drawn_is_refused_in_a_sentence(by_depth, a_run, tmp_path, monkeypatch):
    for runs, options, said in (
        (by_depth[:1], {}, "two runs or more, not 1"),
        (by_depth[1:3], {"of": "depth"}, "all runs have depth=1, so there is no score by depth to draw"),
        (by_depth, {"of": "dept"}, "unknown setting of tor 'dept'"),
        (by_depth, {"metric": "acc"}, "t3 has no acc; it has em, f1, recall@5, recall@K"),
        ([by_depth[0], a_run("bad", [failed("q1")])], {}, "bad has no answered question to draw"),
        ([f"x={by_depth[0]}", f"x={by_depth[1]}"], {}, "two runs have the same name"),
    ):
        with pytest.raises(InputError, match=said):
            plot_runs(runs, **options)
    with pytest.raises(InputError, match=r"unknown ending of a picture's file '.gif'"):
        write_plot(plot_runs(by_depth, "depth").plot, tmp_path / "a.gif")
    monkeypatch.setitem(__import__("written_runs").IDENTITY, "data", {"questions": 9, "fingerprint": "other"})
    other = a_run("other", rows())
    with pytest.raises(MismatchError, match="made on different questions"):
        plot_runs([by_depth[0], other])
    assert len(plot_runs([f"one={by_depth[0]}", f"two={other}"]).values) == 2
    assert len(plot_runs([by_depth[0], other], different_data=True).values) == 2


def test_a_mean_over_some_of_the_questions_has_its_n_beside_it(a_run):
    whole, some = a_run("t1", answered(2, 2), settings={"depth": 1}), [*answered(1, 2), failed("q9")]
    plotted = plot_runs([whole, a_run("t3", some, settings={"depth": 3})])
    assert [point["name"] for point in plotted.plot["points"]] == ["tor depth=1", "tor depth=3 (n=3)"]
    assert "(n=3), 3.0 LM calls a question" in plotted.plot["points"][1]["title"]
    assert [(each["n"], each["asked"]) for each in plotted.values] == [(4, 4), (3, 4)]
    plotted = plot_runs([whole, a_run("t5", some, settings={"depth": 5})], "depth")
    assert [point["name"] for point in plotted.plot["points"]] == ["", "tor (n=3)"]
