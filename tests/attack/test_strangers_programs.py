"""Saved programs and experiments that a stranger made: nothing of theirs runs, and what you give is used."""

import hashlib
import sys

import dspy
import pytest
from forging import forge

from multihop import BM25, InputError, load, local, scripted
from multihop.base import MismatchError
from multihop.retrieval import RemoteRetriever


def names(path, *, lm=None, **ours):
    """Change what a saved program names: its corpus, what it is about, or the LM of its step."""
    forge(path, lambda _, block: block.update(ours, **({"settings": {"lms": {"answer": lm}}} if lm else {})))


def test_what_the_caller_gives_is_used(path, untouched, passages):
    names(path, corpus=untouched, lm=f"server/qwen3@{untouched}/v1")
    given = load(path, BM25.build(passages), settings={"lms": {"answer": scripted([{"answer": "London"}])}})
    assert given(question="Where was Ada born?").answer == "London"
    # the same address, given by the caller, is the caller's
    for corpus, kind in ((path.parent / "index", BM25), (untouched, RemoteRetriever)):
        with pytest.warns(UserWarning, match="as lms.answer, which is no plain name of an LM and is left out"):
            program = load(path, corpus=corpus)
        assert isinstance(program.retriever, kind)
        assert program.step_lms == {}


@pytest.mark.usefixtures("tiny_encoder")
def test_the_lms_of_steps_never_stand_before_the_lm_that_was_given_unsaid(path, run):
    names(path, lm="openai/gpt-4.1", about={"lm": "some/model"})
    told = "p.json asks openai/gpt-4.1 for the step answer, and {} for all others"
    with pytest.warns(UserWarning, match=told.format("some/model")):
        load(path, lm=dspy.LM("some/model"))
    names(path, about={"lm": local().model})
    _, _, err = run("ask", "Where?", "-p", path, "--lm", "local")
    assert f"{told.format(local().model)}; --lm STEP=LM" in err
    code, _, err = run("ask", "Where?", "-p", path, "--lm", "local", "--lm", "answer=local")
    assert (code, "for the step" in err) == (0, False)


def test_a_pinned_file_is_that_file(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load(path, sha256=digest).k == load(path, sha256=["0" * 64, digest.upper()]).k == 5
    names(path, settings={"k": 1})
    with pytest.raises(MismatchError, match=f"p.json is not the file that was pinned: its sha256 is .*, not {digest}"):
        load(path, sha256=digest)
    with pytest.raises(InputError, match="a sha256 is 64 hexadecimal digits"):
        load(path, sha256="4711")


EXPERIMENT = """
title = "x"
paper = "x"
place = "x"
columns = [{{ set = "theirs", metric = "{metric}" }}]
sets.theirs = {{ questions = "little", corpus = "{corpus}" }}
[[rows]]
name = "r"
program = "{program}"
{more}
"""
OF_A_STRANGER = {
    "program": {"program": "theirs:Method"},
    "search": {"more": 'search = "theirs:Searcher"'},
    "compile": {"more": 'compile = "theirs:VARIANT"'},
    "metric": {"metric": "theirs:measure"},
    "settings": {"more": 'settings = { lms = { answer = "huggingface/http://127.0.0.1:9" } }'},
}
TOLD = {"metric": "unknown measure 'theirs:measure'", "settings": "rows[1].settings: unknown setting of one-step 'lms'"}


def write_experiment(folder, **named):
    plain = {"metric": "em", "corpus": "little", "program": "one-step", "more": ""}
    (folder / "e.toml").write_text(EXPERIMENT.format(**{**plain, **named}))


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """A folder with a module of a stranger, and the file that says that it was imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [each for each in sys.path if each])
    code = "open('imported', 'w').close()\nfrom multihop import Direct\nclass Method(Direct):\n    name = 'm'\n"
    (tmp_path / "theirs.py").write_text(code)
    yield tmp_path / "imported"
    sys.modules.pop("theirs", None)


@pytest.mark.parametrize("place", OF_A_STRANGER)
@pytest.mark.parametrize("command", [["experiments", "e.toml"], ["reproduce", "e.toml", "--dry-run"]])
def test_nothing_that_an_experiment_names_is_imported(command, place, theirs, run, tmp_path):
    write_experiment(tmp_path, **OF_A_STRANGER[place])
    code, _, err = run(*command)
    assert (code, theirs.exists()) == (2, False)
    assert TOLD.get(place, f"e.toml, rows[1].{place}: theirs:") in err
    if place not in TOLD:
        assert 'never imported unasked: give open_experiment allow=["theirs"]' in err
        assert "--allow theirs" in err


def test_a_module_that_is_allowed_is_imported(theirs, run, tmp_path):
    write_experiment(tmp_path, program="theirs:Method")
    code, out, _ = run("experiments", "e.toml", "--allow", "theirs")
    assert (code, theirs.exists(), "theirs:Method" in out) == (0, True, True)


def test_pricing_an_experiment_contacts_no_corpus(untouched, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_experiment(tmp_path, corpus=untouched)
    assert run("experiments", "e.toml")[0] == 0
    assert run("reproduce", "e.toml", "--dry-run")[0] == 0
