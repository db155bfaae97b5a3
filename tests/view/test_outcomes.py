from written_runs import failed, row

from multihop.view.questions import MOST_CELLS, outcome_of, strip_of_pair, strip_of_run


def test_an_outcome_is_right_by_exact_match_and_in_part_by_f1():
    assert outcome_of(row("q", [])) == "right"
    assert outcome_of(row("q", [], metrics={"em": 0.0, "f1": 0.4})) == "part"
    assert outcome_of(row("q", [], right=False)) == "wrong"
    assert outcome_of(row("q", [], metrics={"recall@5": 1.0})) == "unknown"
    assert outcome_of(failed("q")) == "error"


def test_a_strip_has_every_question_once_by_its_outcome():
    strip = strip_of_run(["wrong", "right", "error", "right", "part"])
    assert [(part["kind"], part["places"], part["start"], part["width"]) for part in strip["segments"]] == [
        ("right", [1, 3], 0, 400),
        ("part", [4], 400, 200),
        ("wrong", [0], 600, 200),
        ("error", [2], 800, 200),
    ]
    assert strip["cells"] == [200, 400, 600, 800]


def test_many_questions_have_no_lines_between_them_and_none_have_no_segments():
    assert strip_of_run(["right"] * (MOST_CELLS + 1))["cells"] == []
    assert strip_of_run([])["segments"] == []


def test_two_runs_have_what_was_won_and_lost_and_failures_are_neither():
    outcomes = ["right", "wrong", "right", "part", "error"]
    questions = {"id": ["a", "b", "c", "d", "e"], "outcome": outcomes}
    strip = strip_of_pair(questions, {"b": 1, "gained": ["a"], "lost": ["b"]}, 0)
    assert [(part["kind"], part["words"], part["places"]) for part in strip["segments"]] == [
        ("gained", "became right", [0]),
        ("both", "right in both", [2]),
        ("neither", "right in neither", [3]),
        ("lost", "became wrong", [1]),
    ]
