"""Planted questions that are said to have taught the built-in networks."""

import dspy
import pytest

from multihop import BM25, Little, OneStep, RankedRAG, compare, evaluate, local, scripted
from multihop.encoder import taught
from multihop.evaluation.report import run_warnings

NOTE = "2 of 8 questions taught the built-in networks; without them: em"


def measure(program, questions, lm, **options):
    with dspy.context(lm=lm):
        return evaluate(program, questions, progress=False, **options)


@pytest.fixture(scope="module")
def little():
    shelf = Little()
    return BM25.build(shelf.passages()), list(shelf.questions("dev"))[:8]


@pytest.fixture
def planted(little, tmp_path, monkeypatch):
    """The third question is known by its words, written in another way; the fifth by its id."""
    file = tmp_path / "taught.bin"
    file.write_bytes(taught.packed([taught.words_of(f" {little[1][2].question.upper()}!"), little[1][4].id]))
    monkeypatch.setattr(taught, "FILE", file)
    taught._kept.cache_clear()
    yield {little[1][2].id, little[1][4].id}
    taught._kept.cache_clear()


def test_a_run_that_asked_the_built_in_networks_says_what_taught_them_and_the_means_without(little, planted, tmp_path):
    search, questions = little
    others = [each for each in questions if each.id not in planted]
    run = measure(RankedRAG(search), questions, local(), out=tmp_path / "run")
    assert run.summary["taught"]["n"] == 2
    assert run.summary["taught"]["metrics"] == measure(RankedRAG(search), others, local()).summary["metrics"]
    assert run.summary["metrics"]["f1"]["n"] == 8
    assert any(note.startswith(NOTE) for note in run_warnings(run.summary))
    assert (tmp_path / "run" / "summary.md").read_text(encoding="utf-8").startswith(f"**{NOTE}")


def test_a_comparison_says_it_of_the_side_that_asked_them(little, planted):
    search, questions = little
    a = measure(OneStep(search), questions, scripted(lambda prompt: {"answer": "?"}))
    b = measure(OneStep(search), questions, local())
    found = compare(a, b)
    assert (found.taught, found.untaught["f1"].change.n) == ((0, 2), 6)
    assert found.metrics["f1"].change.n == 8
    assert "taught" not in a.summary


def test_what_ships_is_small_and_has_none_of_the_encyclopedias_questions(little):
    assert (taught.BUILT_IN / taught.FILE).stat().st_size <= 200_000
    assert len(taught._kept()) > 70_000
    assert not any(taught.has_taught(each.question, each.id) for each in little[1])
