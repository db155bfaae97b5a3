import copy

import dspy
import numpy as np
import pytest
from toys import evaluated, words
from written_runs import plain_row

from multihop import InputError, scripted
from multihop.evaluation import compare, compare_with_first, evaluate_repeatedly
from multihop.evaluation.comparison import find_difference, run_names
from multihop.evaluation.intervals import interval_of
from multihop.evaluation.journal import Journal
from multihop.evaluation.statistics import Values
from multihop.programs import Direct


def row(identifier, em=1.0, calls=2, **metrics):
    return plain_row(identifier, calls=calls, metrics={"em": em, **metrics})


def run(folder, rows, fingerprint="f", rules="hotpotqa"):
    identity = {
        "program": {"name": folder.name},
        "data": {"fingerprint": fingerprint},
        "metrics": {"em": {"version": 1}, "f1": {"version": 1, "rules": rules}},
    }
    with Journal(folder, identity, {}) as journal:
        journal.append(rows)
    return folder


def test_twenty_gains_and_no_loss_are_no_accident(tmp_path):
    a = run(tmp_path / "a", [row(f"q{i:02}", float(i >= 20)) for i in range(40)])
    b = run(tmp_path / "b", [row(f"q{i:02}", 1.0, calls=8) for i in range(40)])
    found = compare(a, b)
    em = found.metrics["em"]
    assert (em.a, em.b, em.change.mean) == (0.5, 1.0, 0.5)
    assert 0.3 < em.change.low < 0.5 < em.change.high < 0.7
    assert em.p_value < 0.001
    assert found.gained == tuple(f"q{i:02}" for i in range(20))
    assert found.lost == ()
    assert found.cost == {"calls": (2.0, 8.0), "tokens": (22.0, 88.0), "seconds": (2.0, 8.0), "usd": (None, None)}
    back = compare(b, a)
    assert back.metrics["em"].change.mean == -0.5
    assert back.metrics["em"].p_value == em.p_value
    assert (back.gained, back.lost) == ((), found.gained)


def test_each_metric_is_paired_where_it_applies_to_both_and_the_number_of_passages_is_not_tested(tmp_path):
    some = [row(f"q{i}", K=5.0, **{"recall@5": 0.5}) for i in range(20)]
    more = [row(f"q{i}", K=10.0, **{"recall@5": 1.0}) for i in range(20)]
    a = run(tmp_path / "a", [*some, row("r1", **{"recall@5": None}), row("r2", f1=1.0)])
    b = run(tmp_path / "b", [*more, row("r1", **{"recall@5": 1.0}), row("r2")])
    found = compare(a, b).metrics
    assert set(found) == {"em", "K", "recall@5"}
    assert (found["recall@5"].a, found["recall@5"].change.n) == (0.5, 20)
    assert found["recall@5"].p_value == pytest.approx(0.0001, abs=1e-4)
    assert (found["K"].a, found["K"].b, found["K"].change.mean, found["K"].p_value) == (5.0, 10.0, 5.0, None)


def test_what_one_run_does_not_have_or_measured_by_other_rules_is_not_compared(tmp_path):
    def matched(identifier, by, f1):
        return row(identifier, f1=f1, **{"recall@5": 0.0}) | {"matched_by": by}

    a = run(tmp_path / "a", [matched("q1", "id", 0.5), matched("q2", "nothing recognised", 0.5)])
    b = run(tmp_path / "b", [matched(name, "nothing recognised", 1.0) for name in ("q1", "q2")], rules="musique")
    found = compare(a, b)
    assert list(found.metrics) == ["em"]
    assert found.unlike == ("f1",)
    assert found.recall[0].startswith("recall matched by id (1 question)")
    assert found.recall[1].startswith("no recall: none of the passages")
    assert set(compare(a, a).metrics) == {"em", "f1", "recall@5"}


def test_several_runs_are_compared_with_the_first_over_what_all_answered(tmp_path):
    a = run(tmp_path / "a", [row("q1", 0.0), row("q2", 1.0), row("q3", 1.0)])
    b = run(tmp_path / "b", [row("q1", 1.0, calls=4), row("q2", 1.0), row("q3", 0.0)])
    c = run(tmp_path / "c", [row("q1", 1.0, f1=0.5), row("q2", 0.0), plain_row("q3", "error")])
    of_b, of_c = compare_with_first([a, b, c])
    assert (of_b.names, of_c.names) == (("a", "b"), ("a", "c"))
    assert (of_b.n, of_c.n, of_b.only, of_c.only, of_c.errors) == (2, 2, (1, 1), (1, 0), (0, 1))
    assert [(each.metrics["em"].a, each.metrics["em"].b) for each in (of_b, of_c)] == [(0.5, 1.0), (0.5, 0.5)]
    assert (of_b.gained, of_b.lost, of_c.gained, of_c.lost) == (("q1",), (), ("q1",), ("q2",))
    assert of_b.cost["calls"] == (2.0, 3.0)
    assert list(of_c.metrics) == ["em"]
    assert compare_with_first([a, b]) == (compare(a, b),)
    d = run(tmp_path / "d", [row("q1")], fingerprint="g")
    with pytest.raises(InputError, match="a and .*d were made on different questions"):
        compare_with_first([a, b, d])
    assert [each.n for each in compare_with_first([a, b, d], different_data=True)] == [1, 1]
    with pytest.raises(InputError, match="no answered question in common"):
        compare(a, run(tmp_path / "e", [row("q9")]))


def test_what_is_no_run_is_refused_in_a_sentence(tmp_path):
    good, bad = run(tmp_path / "a", [row("q1")]), run(tmp_path / "b", [{"id": "q1", "status": "ok"}])
    with pytest.raises(InputError, match="line 1 is damaged, or is not a row of a run: metrics: field required"):
        compare(good, bad)
    nameless = tmp_path / "c"
    with Journal(nameless, {"data": {"fingerprint": "f"}}) as journal:
        journal.append([row("q1")])
    with pytest.raises(InputError, match="identity.program: field required"):
        compare(good, nameless)
    with pytest.raises(InputError, match="nothing does not exist"):
        compare(good, tmp_path / "nothing")
    for nothing in (None, 3, ["a", "b"]):
        with pytest.raises(InputError, match=f"by its folder or its Evaluation, not by {type(nothing).__name__}"):
            compare(nothing, good)


def test_what_evaluate_returned_is_compared_like_its_folder(tmp_path):
    first = evaluated(lambda prompt: {"answer": "word0"}, words(3), tmp_path / "first")
    evaluated(lambda prompt: {"answer": prompt.inputs["question"]}, words(3), tmp_path / "second")
    found = compare(first, str(tmp_path / "second"))
    assert found == compare(tmp_path / "first", tmp_path / "second")
    assert (found.n, found.gained, found.lost) == (3, ("q01", "q02"), ())
    with dspy.context(lm=scripted(lambda prompt: {"answer": "x"})):
        repeats = evaluate_repeatedly(Direct(), words(1), repeats=2, out=tmp_path / "three", progress=False)
    with pytest.raises(InputError, match="three holds repeats; give one of them, such as .*repeat-1"):
        compare(repeats, first)


def values(numbers, gaps=()):
    ids = [f"q{place}" for place in range(len(numbers))]
    return Values(ids, np.array(numbers), np.array([place in gaps for place in range(len(numbers))]))


def test_a_metric_that_failed_widens_the_interval_and_leaves_no_p_value():
    found = find_difference(values([0.0] * 6), values([1.0] * 5 + [np.nan], gaps=[5]), test=True)
    assert (found.change.mean, found.change.n, found.p_value) == (1.0, 5, None)
    ends = [interval_of("change", 6, total, total, total) for total in (5, 6)]
    assert (found.change.low, found.change.high) == (ends[0][0], ends[1][1])
    assert find_difference(values([np.nan], gaps=[0]), values([1.0]), test=True) is None


LM = {"model": "openai/a", "decoding": {"temperature": 0.0}}
IDENTITY = {
    "program": {
        "name": "tor",
        "settings": {"k": 5, "widths": [4, 2], "budget": None},
        "prompts": {
            "read": {"instructions": "Read.", "fields": {"answer": "short"}, "demos": []},
            "review": {"instructions": "Review.", "fields": {}, "demos": []},
        },
    },
    "lm": {"read": LM, "review": LM},
    "adapter": "ChatAdapter",
    "retriever": "bm25-0123456789abcdef",
}


def names(place, now):
    """What a run is called, and one beside it that has this at that place of its identity."""
    other = copy.deepcopy(IDENTITY)
    *way, last = place.split(".")
    inside = other
    for step in way:
        inside = inside[step]
    inside[last] = now
    return run_names([{"identity": IDENTITY}, {"identity": other}], ["runs/a", "runs/b"])


@pytest.mark.parametrize(
    ("place", "now", "first", "second"),
    [
        ("program.settings.k", 10, "k=5", "k=10"),
        ("program.settings.widths", [8], "widths=4,2", "widths=8"),
        ("program.settings.budget", {"calls": 9, "tokens": None}, "budget=None", "budget=calls:9"),
        ("lm.read", {**LM, "model": "openai/b"}, "read on openai/a", "read on openai/b"),
        ("lm", {"read": {"model": "local"}, "review": {"model": "local"}}, "on openai/a", "on local"),
        ("lm.read", {**LM, "decoding": {"temperature": 1.0}}, "read temperature=0.0", "read temperature=1.0"),
        ("adapter", "JSONAdapter", "with ChatAdapter", "with JSONAdapter"),
        ("retriever", "dense-77", "over bm25", "over dense"),
        ("retriever", "bm25-fedcba98", "over bm25-012345", "over bm25-fedcba"),
        ("program.prompts.read.demos", [{"question": "q"}], "without demonstrations", "with 1 demonstration"),
        ("program.name", "tor", "(a)", "(b)"),
        ("program.prompts.read.instructions", "Read well.", "instructions 78f624", "instructions d4289b"),
    ],
)
def test_the_heads_say_what_differs(place, now, first, second):
    assert names(place, now) == (f"tor {first}", f"tor {second}")


def test_other_programs_differ_by_name_and_the_settings_that_both_have():
    other = {**IDENTITY["program"], "name": "ircot", "settings": {"k": 8, "turns": 3}}
    assert names("program", other) == ("tor k=5", "ircot k=8")
