from functools import partial

import dspy
import pytest
import ujson

from multihop import BM25, InputError, MismatchError, OneStep, Passage, Question, create, scripted
from multihop.experiments import sweep
from multihop.experiments.sweeping.points import plan_points
from multihop.experiments.sweeping.sweeping import SweepRuns
from multihop.programs.presets import preset_for

PAGES = [
    Passage(f"p{number}", f"Page {number}", f"The colour of thing {number} is hue{number}.") for number in range(9)
]
ASKED = [
    Question(id=f"q{number}", question=f"colour of thing {number}?", answers=(f"hue{number}",)) for number in range(6)
]


def shown(prompt):
    """The number of passages in a reader's prompt."""
    return str(prompt.inputs).count("The colour of")


class Reader:
    """Answers right where it is shown at least so many passages; counts what it is asked."""

    def __init__(self, needs=1):
        self.asked, self.needs = 0, needs
        self.lm = scripted(self.answer)

    def answer(self, prompt):
        self.asked += 1
        right = next(each.answers[0] for each in ASKED if each.question in str(prompt.inputs))
        return {field.name: right if shown(prompt) >= self.needs else "no" for field in prompt.output_fields}


@pytest.fixture
def index():
    return BM25.build(PAGES)


def run(lm, index, out, over, **options):
    with dspy.context(lm=lm):
        return sweep("one-step", ASKED, retriever=index, over=over, out=out, concurrency=2, **options)


def test_every_point_is_a_run_beside_the_default(index, tmp_path):
    reader = Reader(needs=3)
    table = run(reader.lm, index, tmp_path, {"k": [1, 3, 5]})
    assert reader.asked == 18
    rows = {row["settings"]["k"]: row for row in table["rows"]}
    assert [row["settings"]["k"] for row in table["rows"]] == [5, 1, 3]
    assert [rows[k]["metrics"]["f1"]["mean"] for k in (1, 3, 5)] == [0.0, 1.0, 1.0]
    assert rows[5]["differences"] == {}
    assert rows[1]["differences"]["f1"] == {"mean": -1.0, "low": -1.0, "high": -1.0, "n": 6, "p_value": 0.03125}
    assert rows[3]["differences"]["f1"]["mean"] == 0.0
    assert [rows[k]["folder"] for k in (5, 1)] == ["points/default", "points/k-1"]
    assert rows[1]["calls"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert rows[1]["tokens"]["mean"] < rows[5]["tokens"]["mean"]
    assert rows[1]["paid_calls"] == 6
    assert table["settings"]["k"] == 5
    (effect,) = table["effects"]
    assert effect == {
        "setting": "k", "values": [5, 1, 3], "metric": "f1", "lowest": 0.0, "highest": 1.0,
        "fewest_calls": 1.0, "most_calls": 1.0, "surely": [1],
    }  # fmt: skip
    assert ujson.loads((tmp_path / "sweep.json").read_text()) == ujson.loads(ujson.dumps(table))
    assert "k (5, 1, 3): F1 from 0.0 to 100.0; it matters at 1;" in (tmp_path / "sweep.md").read_text()


def test_the_same_sweep_again_asks_nothing_and_another_grid_adds_points(index, tmp_path):
    first = run(Reader().lm, index, tmp_path, {"k": [1]})
    reader = Reader()
    assert run(reader.lm, index, tmp_path, {"k": [1]}) == first
    assert reader.asked == 0
    table = run(reader.lm, index, tmp_path, {"retries": [1]})
    assert reader.asked == 6
    assert [row["changed"] for row in table["rows"]] == [{}, {"retries": 1}, {"k": 1}]
    assert table["swept"] == ["retries", "k"]
    assert [row["settings"] for row in table["rows"]][2] == {"retries": create("one-step", index).retries, "k": 1}


def test_more_questions_are_asked_where_they_are_missing(index, tmp_path):
    run(Reader().lm, index, tmp_path, {"k": [1]}, limit=2)
    reader = Reader()
    table = run(reader.lm, index, tmp_path, {"k": [1, 2]}, limit=3)
    assert reader.asked == 1 + 1 + 3
    assert [row["n"] for row in table["rows"]] == [3, 3, 3]


def test_the_calls_of_all_points_are_bounded_together(index, tmp_path):
    reader = Reader()
    table = run(reader.lm, index, tmp_path, {"k": [1, 2]}, max_calls=8)
    assert table["stopped"]
    assert table["points"] == 3
    assert table["rows"][0]["n"] == 6
    assert reader.asked <= 9
    page = (tmp_path / "sweep.md").read_text()
    assert "The LM calls are used up after 2 of 3 points; the same command with more goes on from here." in page
    table = run(Reader().lm, index, tmp_path, {"k": [1, 2]})
    assert not table["stopped"]
    assert [row["n"] for row in table["rows"]] == [6, 6, 6]


def test_what_was_made_otherwise_is_refused_before_anything_is_asked(index, tmp_path):
    run(Reader().lm, index, tmp_path, {"k": [1]})
    reader = Reader()
    with pytest.raises(MismatchError, match=r"default .*k"):
        run(reader.lm, index, tmp_path, {"retries": [1]}, settings={"k": 7})
    with pytest.raises(MismatchError, match="data"), dspy.context(lm=reader.lm):
        sweep("one-step", ASKED[:5], retriever=index, over={"k": [2]}, out=tmp_path)
    with pytest.raises(MismatchError):
        run(reader.lm, index, tmp_path, {"k": [2]}, seed=1)
    assert reader.asked == 0


def test_a_class_and_a_function_are_programs_too(index, tmp_path):
    with dspy.context(lm=Reader().lm):
        by_class = sweep(OneStep, ASKED, retriever=index, over={"k": [1]}, out=tmp_path / "class")
        made = sweep(partial(create, "one-step", index, retries=0), ASKED, over={"k": [1]}, out=tmp_path / "made")
    assert [row["settings"] for row in by_class["rows"]] == [row["settings"] for row in made["rows"]]
    assert made["settings"]["retries"] == 0
    with pytest.raises(InputError, match="swept over values that are given, without a preset"):
        sweep(partial(create, "one-step", index), ASKED, out=tmp_path / "none")


def test_without_values_those_that_the_paper_leaves_open(index, tmp_path):
    part = preset_for("efficientrag/paper", "iter-retgen")
    with dspy.context(lm=Reader().lm):
        table = sweep("iter-retgen", ASKED[:1], retriever=index, out=tmp_path, settings={"retries": 0})
    assert part.left_open().keys() == {"k"} == set(table["swept"])
    assert sorted(row["settings"]["k"] for row in table["rows"]) == sorted(part.left_open()["k"])
    assert {name: table["settings"][name] for name in part.values()} == part.values()
    assert table["settings"]["retries"] == 0


def test_settings_that_do_not_go_together_are_refused_with_the_point(index, tmp_path):
    def make(k=5, retries=3):
        if k < retries:
            raise InputError("k is no less than retries.")
        return create("one-step", index, k=k, retries=retries)

    reader = Reader()
    with dspy.context(lm=reader.lm), pytest.raises(InputError) as refused:
        sweep(make, ASKED, over={"k": [4, 2]}, out=tmp_path / "out")
    assert str(refused.value) == "at k=2: k is no less than retries."
    assert reader.asked == 0
    assert not (tmp_path / "out").exists()


def test_the_price_counts_what_is_missing(index, tmp_path):
    run(Reader().lm, index, tmp_path, {"k": [1]}, limit=4)
    runs = SweepRuns(partial(create, "one-step", index), ASKED, tmp_path)
    prices = runs.price(plan_points(runs.program, {"k": [1, 2]}))
    assert [(each.point.title, each.questions, each.finished, each.most_calls) for each in prices] == [
        ("default", 6, 4, 2),
        ("k=1", 6, 4, 2),
        ("k=2", 6, 0, 6),
    ]


def test_a_point_whose_questions_all_fail_has_costs_alone(index, tmp_path):
    def answer(prompt):
        if shown(prompt) == 1:
            raise RuntimeError("the server is gone")
        return {field.name: "word" for field in prompt.output_fields}

    table = run(scripted(answer), index, tmp_path, {"k": [1]})
    failed = table["rows"][1]
    assert (failed["n"], failed["errors"], failed["metrics"], failed["differences"]) == (6, 6, {}, {})
    assert table["effects"] == []
