"""docs/errors.md shows for each error a message; each is raised here as a user would meet it."""

import importlib.util
import re
from pathlib import Path

import dspy
import pytest
from dspy.lm15 import AuthError

import multihop
from multihop import BM25, Direct, OneStep, Passage, Question, scripted

PAGE = (Path(__file__).parents[1] / "docs" / "errors.md").read_text()
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S))
QUESTIONS = [Question(id="q1", question="Is it?", answers=("yes",))]


def raise_input():
    multihop.create("onestep", None)


def raise_mismatch():
    retriever = BM25.build([Passage("p1", "", "It is.")])
    with dspy.context(lm=scripted([{"answer": "yes"}])):
        multihop.evaluate(OneStep(retriever, k=2), QUESTIONS, out="mine", progress=False)
        multihop.evaluate(OneStep(retriever, k=3), QUESTIONS, out="mine", progress=False)


def raise_damaged():
    Path("corpus.jsonl").write_text('{"id": "1", "text": "whole"}\nid: 2\n')
    list(multihop.open_corpus("corpus.jsonl"))


def raise_missing_extra():
    retriever = BM25.build([Passage("p1", "", "It is.")])
    other = [Question(id="q2", question="Was it?", answers=("yes",))]
    lm = scripted(lambda prompt: dict.fromkeys((field.name for field in prompt.output_fields), "yes"))
    with dspy.context(lm=lm):
        program = OneStep(retriever)
        multihop.compile_variants(program, ["instructions"], train=QUESTIONS, dev=other, to="p.json", steps=False)


def raise_missing_key():
    multihop.open_lm("openai/gpt-4.1-mini")


def raise_run_failed():
    asked = [Question(id=f"q{place}", question="Is it?", answers=("yes",)) for place in range(10)]
    with dspy.context(lm=scripted([AuthError("Incorrect API key.")] * 10)):
        multihop.evaluate(Direct(), asked, out="mine", concurrency=1, progress=False)


RAISING = {
    "InputError": raise_input,
    "MismatchError": raise_mismatch,
    "DamagedFileError": raise_damaged,
    "MissingExtraError": raise_missing_extra,
    "MissingKeyError": raise_missing_key,
    "RunFailed": raise_run_failed,
}


def test_the_page_has_every_public_error_and_no_other():
    public = {name for name in multihop.__all__ if isinstance(getattr(multihop, name), type)}
    errors = {name for name in public if issubclass(getattr(multihop, name), multihop.MultihopError)}
    assert SECTIONS.keys() == RAISING.keys() == errors - {"MultihopError"}


@pytest.mark.parametrize("name", RAISING)
def test_each_error_is_raised_with_the_message_that_the_page_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found, finder = importlib.util.find_spec, "multihop.optimize.variants.find_spec"
    monkeypatch.setattr(finder, lambda name: None if name == "optuna" else found(name))
    with pytest.raises(multihop.MultihopError) as caught:
        RAISING[name]()
    assert type(caught.value) is getattr(multihop, name)
    (shown,) = re.findall(r"^    (.+)$", SECTIONS[name], flags=re.M)
    assert re.fullmatch(re.escape(shown).replace(r"\.\.\.", ".*"), str(caught.value)), str(caught.value)


def test_the_page_says_which_are_bad_input_and_the_exit_codes():
    rows = re.findall(r"^\| (⮡ )?`(\w+)` \|.*\| exit code (\d) \|$", PAGE, flags=re.M)
    for below, name, code in rows:
        kind = getattr(multihop, name)
        assert (kind is not multihop.InputError and issubclass(kind, multihop.InputError)) == bool(below)
        assert code == ("2" if issubclass(kind, multihop.InputError) else "1")
    assert {name for _, name, _ in rows} == RAISING.keys()
