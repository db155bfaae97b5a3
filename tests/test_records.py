"""Records are what their types say, and the page of records tells of them all."""

import pkgutil
from importlib import import_module
from itertools import islice
from pathlib import Path

import dspy
import pytest
import ujson
from misfits import misfits
from scripts import load_script
from typing_extensions import is_typeddict

import multihop
from multihop import BM25, Budget, Little, create, evaluate, local
from multihop.base.texts import as_json
from multihop.evaluation.header import Header
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.row import Row
from multihop.evaluation.summary import Summary
from multihop.runtime import Bill, Cost, CostRecord, Tokens, TrajectoryStep, listening
from multihop.runtime.answer_record import AnswerRecord, to_answer_record
from multihop.runtime.bill import KeptCall, PaidCall

DOCS = Path(__file__).parents[1] / "docs"
MAKER = load_script(DOCS / "make_records.py")
INSIDE = {"CachedCall", "RunOptions"}
"""Types that never leave the process."""
SHARED = {"About", "Interval", "TakenStep"}
"""Types whose fields stand under those that have them."""


def test_every_record_is_on_the_page_and_every_field_of_it_is_explained():
    rooms = [import_module(f"multihop.{name}") for name in ("runtime", "data", "evaluation", "experiments")]
    modules = [each for room in rooms for each in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")]
    values = [value for each in modules for value in vars(import_module(each.name)).values() if is_typeddict(value)]
    typed = {each.__name__ for each in values if each.__module__.startswith("multihop.")}
    shown = [name for _, _, names in MAKER.SECTIONS.values() for name in names.split()]
    assert len(shown) == len(set(shown)) > 40
    assert typed - INSIDE - SHARED == set(shown)
    known = MAKER.records()
    assert [f"{name}.{field.name}" for name, each in known.items() for field in each.fields if not field.text] == []


@pytest.fixture(scope="module")
def little():
    return BM25.build(Little().passages()), list(islice(Little().questions(), 2))


class Refusing(dspy.Module):
    def forward(self, question):
        raise ValueError("not today")


PROGRAMS = {
    "one-step": lambda retriever: create("one-step", retriever),
    "tor": lambda retriever: create("tor", retriever, budget=Budget(calls=9)),
    "mzqa": lambda retriever: create("mzqa", retriever, iterations=2),
    "module": lambda retriever: dspy.ChainOfThought("question -> answer"),
    "refusing": lambda retriever: Refusing(),
}


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_files_of_a_run_are_as_their_types_say(name, little, tmp_path):
    retriever, questions = little
    with dspy.context(lm=local()):
        run = evaluate(PROGRAMS[name](retriever), questions, out=tmp_path, seed=7, progress=False)
    assert misfits(read_header(tmp_path), Header, "run.json") == set()
    rows = list(read_rows(tmp_path))
    assert misfits(rows, list[Row], "questions.jsonl") == set()
    assert all(row["status"] == "error" for row in rows) == (name == "refusing")
    assert misfits(ujson.loads((tmp_path / "summary.json").read_text()), Summary, "summary.json") == set()
    assert misfits(run.summary, Summary, "summary") == set()
    lines = [ujson.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert bool(lines) == (name != "refusing")
    assert misfits(lines, list[PaidCall], "calls.jsonl") == set()


def test_a_kept_answer_and_a_cost_are_as_their_types_say(tmp_path):
    with Bill(tmp_path) as bill:
        bill.put("k", {"outputs": ["Paris"], "tokens": (8, 2, False)})
        bill.put("l", {"outputs": None, "tokens": (8, 2, True)})
    lines = [ujson.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert misfits(lines, list[KeptCall], "calls.jsonl") == set()
    assert lines[0] == {"key": "k", "in": 8, "out": 2, "estimated": False, "outputs": ["Paris"]}
    cost = Cost(calls=1)
    cost.add("read", "m", Tokens(8, 2), paid=True)
    assert misfits(cost.to_dict(), CostRecord, "cost") == set()
    assert cost.to_dict()["paid_tokens"] == {"m": {"in": 8, "out": 2}}


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", ["tor", "mzqa"])
def test_an_answer_and_its_streamed_steps_are_as_their_types_say(name, little):
    retriever, (asked, _) = little
    program, heard = PROGRAMS[name](retriever), []
    with dspy.context(lm=local()), listening(heard.append):
        prediction = program(question=asked.question)
    assert all("path" in step for step in heard)
    assert [each for step in heard for each in misfits(step, TrajectoryStep, "step")] == []
    record = ujson.loads(as_json(to_answer_record(asked.question, program, "local", prediction)))
    assert record.keys() - AnswerRecord.__required_keys__ <= {"counts"}
    record.pop("counts", None)
    assert misfits(record, AnswerRecord, "answer") == set()
    if name == "tor":
        assert record["settings"]["budget"] == {"calls": 9, "tokens": None, "seconds": None, "usd": None}


def test_a_record_that_is_not_of_its_type_is_noticed():
    paid = {"role": "read", "model": "m", "in": "8", "out": 2, "estimated": False, "when": 3}
    assert misfits(paid, PaidCall, "line") == {f"line.in is '8', not {int}", "line has when"}
    assert misfits({"calls": 1}, CostRecord, "cost") >= {"cost lacks seconds", "cost lacks tokens"}
    assert misfits([["p1", "high"]], list[tuple[str, float | None]], "passages") != set()


def test_the_types_are_there_for_whoever_has_the_package():
    assert (Path(multihop.__file__).parent / "py.typed").exists()
