"""Saved programs that a stranger made: whatever they name, nothing is contacted and nothing endless is read."""

import hashlib
import os
import socket
import sys

import dspy
import pytest
import ujson
from forging import forge
from tiny_sentences import write_tiny_sentences

from multihop import BM25, Dense, InputError, Passage, load, local, save, scripted
from multihop.__main__ import main
from multihop.base import MismatchError
from multihop.encoder import open_encoder
from multihop.programs import OneStep
from multihop.retrieval import RemoteRetriever

PASSAGES = [Passage("p1", "Ada", "Ada was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]


class Stranger:
    """A server of somebody who waits to be told something."""

    def __init__(self, listener):
        self.listener = listener
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    @property
    def was_contacted(self):
        self.listener.settimeout(0)
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def stranger():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Stranger(listener)


@pytest.fixture
def path(tmp_path):
    retriever = BM25.build(PASSAGES, folder=tmp_path / "index")
    save(OneStep(retriever), tmp_path / "p.json", corpus=tmp_path / "index", about={"lm": "multihop/local@1"})
    return tmp_path / "p.json"


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


def names_corpus(path, place):
    forge(path, lambda _, ours: ours.update(corpus=place))


def names_lm(path, name):
    forge(path, lambda _, ours: ours["about"].update(lm=name))


def names_step_lm(path, name):
    forge(path, lambda _, ours: ours["settings"].update(lms={"answer": name}))


def commands(path, tmp_path):
    """Every command that takes a saved program."""
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "question": "Where was Ada born?", "answers": ["London"]}\n')
    return {
        "ask": ["ask", "Where was Ada born?", "-p", path],
        "evaluate": ["evaluate", path, "-q", questions, "--out", tmp_path / "run"],
        "compile": ["compile", path, "--train", questions, "--dev", questions, "--to", tmp_path / "made.json"],
        "clone": ["clone", path, "--from-gold", "-q", questions, "--out", tmp_path / "clone", "--step", "answer"],
        "serve": ["serve", path, "--port", 0],
        "mcp": ["mcp", path],
    }


COMMANDS = ("ask", "evaluate", "compile", "clone", "serve", "mcp")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_contacts_the_corpus_that_a_file_names(command, path, tmp_path, stranger, run):
    names_corpus(path, stranger.url)
    code, out, err = run(*commands(path, tmp_path)[command])
    assert (code, out) == (2, "")
    assert f"p.json names the corpus '{stranger.url}', which is no path, and nothing that a file names is" in err
    assert "give the corpus with --corpus (in Python, corpus=...)." in err
    assert not stranger.was_contacted


def test_a_login_in_an_address_is_not_shown(path):
    names_corpus(path, "http://ada:4711@localhost:1")
    with pytest.raises(InputError) as refused:
        load(path)
    assert "4711" not in str(refused.value)


def test_what_the_caller_gives_is_used(path, stranger):
    names_corpus(path, stranger.url)
    assert isinstance(load(path, BM25.build(PASSAGES)).retriever, BM25)
    assert isinstance(load(path, corpus=path.parent / "index").retriever, BM25)
    remote = load(path, corpus=stranger.url)  # the same address, given by the caller, is the caller's
    assert isinstance(remote.retriever, RemoteRetriever)
    assert not stranger.was_contacted


def test_the_address_of_a_steps_lm_is_left_out_and_told(path, stranger):
    names_step_lm(path, f"server/qwen3@{stranger.url}/v1")
    with pytest.warns(UserWarning, match="as lms.answer, which is no plain name of an LM and is left out"):
        program = load(path)
    assert program.step_lms == {}
    given = load(path, settings={"lms": {"answer": scripted([{"answer": "London"}])}})
    assert given(question="Where was Ada born?").answer == "London"
    assert not stranger.was_contacted


@pytest.mark.usefixtures("tiny_encoder")
def test_the_lms_of_steps_never_stand_before_the_lm_that_was_given_unsaid(path, run):
    names_step_lm(path, "openai/gpt-4.1")
    names_lm(path, "some/model")
    with pytest.warns(
        UserWarning, match="p.json asks openai/gpt-4.1 for the step answer, and some/model for all others"
    ):
        load(path, lm=dspy.LM("some/model"))
    ours = local().model
    names_lm(path, ours)
    _, _, err = run("ask", "Where?", "-p", path, "--lm", "local")
    assert f"p.json asks openai/gpt-4.1 for the step answer, and {ours} for all others; --lm STEP=LM" in err
    code, _, err = run("ask", "Where?", "-p", path, "--lm", "local", "--lm", "answer=local")
    assert (code, "for the step" in err) == (0, False)


@pytest.mark.extra("encoders")
def test_an_index_whose_encoder_is_on_the_hub_fetches_nothing(tmp_path, monkeypatch):
    asked = []

    def snapshot_download(name, *, local_files_only, **_):
        asked.append((name, local_files_only))
        raise OSError("not here")

    local = write_tiny_sentences(tmp_path / "encoder")
    dense = Dense.build(PASSAGES, folder=tmp_path / "index", encoder=open_encoder(local))
    save(OneStep(dense), tmp_path / "p.json", corpus=tmp_path / "index")
    (place,) = (tmp_path / "index").glob("anew-*/index.json")
    manifest = ujson.loads(place.read_text())
    manifest["encoder_folder"] = "stranger/encoder"
    place.write_text(ujson.dumps(manifest))
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    with pytest.raises(InputError, match="stranger/encoder"):
        load(tmp_path / "p.json")
    assert {alone for _, alone in asked} == {True}
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: str(local))
    assert isinstance(load(tmp_path / "p.json").retriever, Dense)  # what was fetched before is used


@pytest.mark.parametrize("kind", ["device", "pipe", "huge"])
def test_no_endless_file_is_read_as_a_program_or_its_corpus(kind, path, tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files.LONGEST_LINE", 1 << 26)
    place = tmp_path / "corpus.jsonl"
    if kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        with open(place, "wb") as file:
            file.truncate(1 << 40)  # a sparse file: a terabyte that takes no room
    words = {"device": "is a device", "pipe": "is a pipe", "huge": "has more than 50,000,000 bytes"}[kind]
    with pytest.raises(InputError, match=words):
        load(place)
    names_corpus(path, "./corpus.jsonl")
    words = {"huge": "has a line of more than"}.get(kind, words)
    with pytest.raises(InputError, match=words):
        load(path)


def test_a_pinned_file_is_that_file(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load(path, sha256=digest).k == load(path, sha256=["0" * 64, digest.upper()]).k == 5
    forge(path, lambda _, ours: ours["settings"].update(k=1))
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
}


def write_experiment(folder, **named):
    plain = {"metric": "em", "corpus": "little", "program": "one-step", "more": ""}
    (folder / "e.toml").write_text(EXPERIMENT.format(**{**plain, **named}))


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """A folder with a module of a stranger, and the file that says that it was imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [each for each in sys.path if each])
    code = (
        "open('imported', 'w').close()\nfrom multihop.programs import Direct\nclass Method(Direct):\n    name = 'm'\n"
    )
    (tmp_path / "theirs.py").write_text(code)
    yield tmp_path / "imported"
    sys.modules.pop("theirs", None)


@pytest.mark.parametrize("place", OF_A_STRANGER)
@pytest.mark.parametrize("command", [["experiments", "e.toml"], ["reproduce", "e.toml", "--dry-run"]])
def test_nothing_that_an_experiment_names_is_imported(command, place, theirs, run, tmp_path):
    write_experiment(tmp_path, **OF_A_STRANGER[place])
    code, _, err = run(*command)
    assert (code, theirs.exists()) == (2, False)
    if place == "metric":
        assert "unknown measure 'theirs:measure'" in err
    else:
        assert f"e.toml, rows[1].{place}: theirs:" in err
        assert 'never imported unasked: give open_experiment allow=["theirs"]' in err
        assert "--allow theirs" in err


def test_a_module_that_is_allowed_is_imported(theirs, run, tmp_path):
    write_experiment(tmp_path, program="theirs:Method")
    code, out, _ = run("experiments", "e.toml", "--allow", "theirs")
    assert (code, theirs.exists(), "theirs:Method" in out) == (0, True, True)


def test_pricing_an_experiment_contacts_no_corpus(stranger, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_experiment(tmp_path, corpus=stranger.url)
    assert run("experiments", "e.toml")[0] == 0
    assert run("reproduce", "e.toml", "--dry-run")[0] == 0
    assert not stranger.was_contacted
