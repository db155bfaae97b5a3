import hashlib
import json

import pytest
from forging import forge

from multihop import BM25, OneStep, Passage, save


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = BM25.build([Passage("p1", "Night Train", "Night Train was directed by Ada Dahl.")], folder="index")
    save(OneStep(index), "films.json", corpus="index", about={"lm": "multihop/lexical@1"})
    return tmp_path / "films.json"


def test_to_the_hub_and_back(run, path, hub):
    code, out, err = run("push", "films.json", "hf://ada/films")
    pushed = hub.files("ada/films")["program.json"]
    digest, commit = hashlib.sha256(pushed).hexdigest(), hub.branches["ada/films", "main"]
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"pushed films.json to hf://ada/films (sha256 {digest})",
        "left out: ./index, which the file names as its corpus",
        f"see {hub.url}/ada/films/commit/{commit}",
    ]
    code, out, err = run("pull", "hf://ada/films", "--to", "again.json", "--sha256", digest)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "wrote again.json: one-step, compiled for multihop/lexical@1",
        f"sha256 {digest}",
        "multihop show again.json says what is in it",
    ]
    assert (path.parent / "again.json").read_bytes() == pushed


def test_as_json(run, path, hub):
    told = json.loads(run("push", "films.json", "hf://ada/films", "--json")[1])
    assert (told["place"], told["left_out"]) == ("hf://ada/films", {"corpus": "./index"})
    hub.add("ada/films", hub.files("ada/films") | {"more.bin": b"1"})
    pulled = json.loads(run("pull", "hf://ada/films", "--to", "again.json", "--json")[1])
    assert pulled == {
        "wrote": "again.json",
        "sha256": told["sha256"],
        "program": "one-step",
        "lm": "multihop/lexical@1",
        "contacts": {},
        "not taken": ["more.bin"],
    }


def test_a_place_is_taken_where_a_file_is(run, path, hub):
    assert run("push", "films.json", "hf://ada/films")[0] == 0
    code, out, _ = run("ask", "Who directed Night Train?", "-p", "hf://ada/films", "-c", "index", "--lm", "lexical")
    assert (code, "→ Ada Dahl" in out) == (0, True)
    code, out, _ = run("show", "hf://ada/films")
    assert (code, out.partition("  ")[0]) == (0, "one-step, saved in hf://ada/films")
    code, _, err = run("calibrate", "hf://ada/films")
    assert (code, err) == (
        2,
        "multihop: hf://ada/films is no file; say with --to where the calibrated one is written.\n",
    )


def test_it_says_what_a_stranger_would_have_contacted(run, path, hub):
    forge(path, lambda _, ours: ours.update(corpus="http://stranger.org/wiki"))
    hub.add("ada/films", {"program.json": path.read_bytes(), "code.py": b""})
    code, out, _ = run("pull", "hf://ada/films", "--to", "again.json")
    assert (code, out.splitlines()[2:4]) == (
        0,
        [
            "it names http://stranger.org/wiki as its corpus, which is contacted only with --trust",
            "left there: code.py",
        ],
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["push", "films.json", "ada/films"], "'ada/films' is no place to share at; write hf://OWNER/NAME"),
        (["push", "other.json", "hf://ada/films"], "other.json cannot be read: No such file or directory."),
        (["push", "films.json", "hf://bob/films"], "the token may not write to bob/films"),
        (["push", "films.json", "hf://ada/films", "--run", "index"], "index is not a run: it has no run.json."),
        (["push", "films.json", "file:x", "--public"], "--public is for hf://OWNER/NAME"),
        (["pull", "hf://ada/films", "--to", "x.json"], "the hub has no ada/films, or does not show it to you"),
        (["pull", "file:index", "--to", "x.json"], "index/program.json cannot be read: No such file or directory."),
        (["pull", "file:index", "--to", "films.json"], "films.json is there already, and was left as it is"),
        (["pull", "file:index", "--to", "x.json", "--revision", "v2"], "a folder has no revisions"),
        (["ask", "Who?", "-p", "hf://ada/films"], "the hub has no ada/films, or does not show it to you"),
    ],
)
def test_bad_input_is_one_sentence(run, path, hub, arguments, problem):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"multihop: {problem}")
    assert err.count("\n") == 1


def test_without_a_token(run, path, hub, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    code, _, err = run("push", "films.json", "hf://ada/films")
    assert (code, err) == (2, "multihop: the hub asks who pushes: log in with `hf auth login`, or set HF_TOKEN.\n")
