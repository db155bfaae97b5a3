import shlex

import pytest
from hub_server import HubServer
from hub_sets import make_repositories

from multihop.data import known_sets


@pytest.fixture
def hub(tmp_path, monkeypatch):
    with HubServer(make_repositories(tmp_path / "hub")) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.chdir(tmp_path)
        yield server


def test_the_list_has_every_set_with_what_a_user_asks_of_it(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, err = run("data", "list")
    assert (code, err) == (0, "")
    assert out.startswith("little  the little encyclopedia; comes with the library\n")
    assert "  24 train and 16 dev questions; a corpus of 200 passages; --questions little --corpus little" in out
    for known in known_sets().values():
        assert f"{known.name}  {known.title}; {known.licence}\n" in out
        assert known.place in out
    assert "1,000 dev questions; a corpus of 11,656 passages; about 20 MB from osunlp/HippoRAG_2" in out
    assert "90,447 train and 7,405 dev questions; a corpus of the paragraphs of dev" in out
    assert "125 test questions; no corpus" in out
    assert "no questions; a corpus; from a folder of your own (https://github.com/facebookresearch/atlas" in out


@pytest.mark.usefixtures("tiny_encoder", "hub")
@pytest.mark.parametrize("name", ["hotpotqa", "musique-1000"])
def test_the_commands_that_are_printed_run_as_they_are(name, run):
    code, out, err = run("data", "get", name, "--to", f"data/my {name}")
    assert code == 0, err
    lines = out.partition("next:\n")[2].splitlines()
    assert [shlex.split(line)[:2] for line in lines] == [["multihop", "index"], ["multihop", "evaluate"]]
    for line in lines:
        code, out, err = run(*shlex.split(line)[1:])
        assert code == 0, err
    assert "no recall" not in out
    assert "matched by" not in out  # other than by id


@pytest.mark.usefixtures("hub")
def test_a_set_without_a_corpus_names_one(run):
    out = run("data", "get", "flashrag-bamboogle", "--to", "data/b")[1]
    assert out.partition("next:\n")[2] == (
        "  multihop data get wiki18 --to data/wiki18\n"
        "  multihop index data/wiki18/corpus.jsonl --to data/wiki18/index\n"
        "  multihop evaluate one-step --questions data/b/test.jsonl --corpus data/wiki18/index "
        "--out runs/flashrag-bamboogle\n"
    )
    out = run("data", "get", "wiki18", "--to", "data/wiki18")[1]
    assert out.partition("next:\n")[2] == "  multihop index data/wiki18/corpus.jsonl --to data/wiki18/index\n"


@pytest.mark.usefixtures("hub")
def test_ctrl_c_says_that_the_same_command_goes_on(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("multihop.data.fetching.write_questions", interrupt)
    code, _, err = run("data", "get", "hotpotqa-1000", "--to", "a")
    assert (code, err) == (130, "multihop: interrupted; a keeps what has come, the same command goes on.\n")
