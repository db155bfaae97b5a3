"""Saved programs that a stranger made: whatever they name, nothing is contacted and nothing endless is read."""

import hashlib
import os
import socket

import dspy
import pytest
import ujson
from forging import forge
from tiny_sentences import write_tiny_sentences

from multihop import BM25, Dense, InputError, Passage, load, local, save, scripted
from multihop.__main__ import main
from multihop.base import MismatchError
from multihop.encoder import open_encoder
from multihop.optimize.saved_program import SavedProgram
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
        "clone": ["clone", path, "--train", questions, "--out", tmp_path / "clone", "--step", "answer"],
        "serve": ["serve", path, "--port", 0],
        "mcp": ["mcp", path],
    }


COMMANDS = ("ask", "evaluate", "compile", "clone", "serve", "mcp")
UNASKED = "and what a saved program's file names is never contacted unasked: give "


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["corpus", "lm", "step"])
def test_no_command_contacts_what_a_file_names(command, kind, path, tmp_path, stranger, run):
    name = {"corpus": names_corpus, "lm": names_lm, "step": names_step_lm}[kind]
    name(path, stranger.url if kind == "corpus" else f"openai/gpt-4.1@{stranger.url}/v1")
    code, out, err = run(*commands(path, tmp_path)[command])
    assert (code, out) == (2, "")
    assert UNASKED in err.splitlines()[-1]
    assert "--trust (trust=True), if you trust who made the file." in err
    assert not stranger.was_contacted


@pytest.mark.parametrize(
    "place",
    ["{url}", "opensearch:{url}/wiki", "colbert:{url}", "hub:nobody/nothing", "//{host}/wiki"],
)
def test_loading_contacts_nothing(place, path, stranger):
    names_corpus(path, place.format(url=stranger.url, host="127.0.0.1"))
    with pytest.raises(InputError, match="p.json names the corpus .*give --corpus .in Python, corpus=...., or --trust"):
        load(path)
    assert not stranger.was_contacted


def test_a_login_in_an_address_is_not_shown(path):
    names_corpus(path, "http://ada:4711@localhost:1")
    with pytest.raises(InputError, match="names the corpus http://localhost:1,"):
        load(path)


def test_what_is_trusted_or_given_is_used(path, stranger, monkeypatch):
    monkeypatch.setattr("multihop.optimize.artefact.fingerprint", lambda retriever: "the same")  # or it would be asked
    names_corpus(path, stranger.url)
    assert isinstance(load(path, BM25.build(PASSAGES)).retriever, BM25)
    assert isinstance(load(path, corpus=path.parent / "index").retriever, BM25)
    remote = load(path, corpus=stranger.url)  # the same address, given by the caller, is the caller's
    assert isinstance(remote.retriever, RemoteRetriever)
    forge(path, lambda _, ours: ours.update(retriever="the same"))
    assert isinstance(load(path, trust=True).retriever, RemoteRetriever)
    assert not stranger.was_contacted


@pytest.mark.parametrize("name", ["openai/gpt-4.1@{url}/v1", "huggingface/{url}", "huggingface///{host}"])
def test_the_address_of_a_steps_lm_needs_trust(name, path, stranger):
    names_step_lm(path, name.format(url=stranger.url, host="127.0.0.1"))
    refused = (
        "p.json names in its setting lms.answer .*--step-lm answer=LM .in Python, settings=.'lms': ....., or --trust"
    )
    with pytest.raises(InputError, match=refused):
        load(path)
    given = load(path, settings={"lms": {"answer": scripted([{"answer": "London"}])}})
    assert given(question="Where was Ada born?").answer == "London"
    assert not stranger.was_contacted


def test_a_trusted_steps_lm_is_opened_with_its_address(path, stranger, monkeypatch):
    names_step_lm(path, f"server/qwen3@{stranger.url}/v1")
    monkeypatch.setattr("multihop.optimize.artefact.open_lm", dspy.LM)
    assert load(path, trust=True).step_lms["answer"].model == f"server/qwen3@{stranger.url}/v1"


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
    assert f"p.json asks openai/gpt-4.1 for the step answer, and {ours} for all others; --step-lm" in err
    code, _, err = run("ask", "Where?", "-p", path, "--lm", "local", "--step-lm", "answer=local")
    assert (code, "for the step" in err) == (0, False)


def test_show_says_what_would_be_contacted_and_contacts_nothing(path, stranger, run):
    forge(
        path,
        lambda _, ours: (
            ours.update(corpus=f"opensearch:{stranger.url}/wiki"),
            ours["settings"].update(lms={"answer": f"server/qwen3@{stranger.url}/v1"}),
        ),
    )
    code, out, err = run("show", path, "--json")
    assert (code, err) == (0, "")
    shown = ujson.loads(out)
    assert shown["contacts"] == {
        "corpus": f"opensearch:{stranger.url}/wiki",
        "lms.answer": f"server/qwen3@{stranger.url}/v1",
    }
    code, out, _ = run("show", path)
    text = " ".join(out.split())
    assert f"contacts corpus opensearch:{stranger.url}/wiki" in text
    assert "with --trust alone" in text
    assert not stranger.was_contacted


def test_an_index_whose_encoder_is_on_the_hub_fetches_nothing(tmp_path, monkeypatch):
    asked = []

    def snapshot_download(name, *, local_files_only, **_):
        asked.append((name, local_files_only))
        raise OSError("not here")

    local = write_tiny_sentences(tmp_path / "encoder")
    dense = Dense.build(PASSAGES, folder=tmp_path / "index", encoder=open_encoder(local))
    save(OneStep(dense), tmp_path / "p.json", corpus=tmp_path / "index")
    manifest = ujson.loads((tmp_path / "index" / "index.json").read_text())
    manifest["encoder_folder"] = "stranger/encoder"
    (tmp_path / "index" / "index.json").write_text(ujson.dumps(manifest))
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    with pytest.raises(InputError, match="index, whose encoder is not on this machine yet, stranger/encoder, and what"):
        load(tmp_path / "p.json")
    assert SavedProgram.read(tmp_path / "p.json").reach.contacts == {"encoder of the corpus": "stranger/encoder"}
    assert {alone for _, alone in asked} == {True}
    with pytest.raises(InputError, match="cannot be had from the hub"):
        load(tmp_path / "p.json", trust=True)
    assert asked[-1] == ("stranger/encoder", False)
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: str(local))
    assert isinstance(load(tmp_path / "p.json").retriever, Dense)  # what was fetched before is used


@pytest.mark.parametrize("kind", ["device", "pipe", "huge"])
def test_no_endless_file_is_read_as_a_program_or_its_corpus(kind, path, tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.data.files.lines.LONGEST", 1 << 26)
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


def test_a_pinned_file_is_that_file(path, run):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load(path, sha256=digest).k == load(path, sha256=["0" * 64, digest.upper()]).k == 5
    assert run("ask", "Where was Ada born?", "-p", path, "--sha256", digest)[0] == 0
    forge(path, lambda _, ours: ours["settings"].update(k=1))
    with pytest.raises(MismatchError, match=f"p.json is not the file that was pinned: its sha256 is .*, not {digest}"):
        load(path, sha256=digest)
    code, _, err = run("ask", "Where was Ada born?", "-p", path, "--sha256", digest)
    assert (code, "is not the file that was pinned" in err) == (2, True)
    with pytest.raises(InputError, match="a sha256 is 64 hexadecimal digits"):
        load(path, sha256="4711")
    code, _, err = run("ask", "Where was Ada born?", "-p", "one-step", "--sha256", digest)
    assert (code, err) == (2, "multihop: --sha256 pins the files of saved programs, and 'one-step' is none.\n")


def readers():
    """Whatever else reads a file that another may have made, by what the file is."""
    from multihop.evaluation.journal.journal import read_header
    from multihop.experiments.reading import read_experiment
    from multihop.lms import read_lms
    from multihop.optimize.prompts.demonstrations import read_demonstrations
    from multihop.runtime.cost.prices import read_prices

    return {
        "run.json": lambda path: read_header(path.parent),
        "experiment.toml": read_experiment,
        "lms.toml": read_lms,
        "shots.json": read_demonstrations,
        "prices.json": read_prices,
    }


@pytest.mark.parametrize("name", readers())
def test_no_device_and_no_pipe_is_read_as_a_file_of_any_kind(name, tmp_path):
    place = tmp_path / name
    for kind in ("device", "pipe"):
        if kind == "device":
            place.symlink_to("/dev/zero")
        else:
            os.mkfifo(place)
        with pytest.raises(InputError, match=f"^{place} is a {kind}, and only ordinary files are read"):
            readers()[name](place)
        place.unlink()
