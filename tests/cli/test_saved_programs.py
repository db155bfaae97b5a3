import pytest
import ujson

from multihop import BM25, Passage, create, local, save

OURS = local().model


def saved(folder, lm, **about):
    program = create("one-step", BM25.build([Passage("p1", "Ada", "Ada was born in London.")], folder=folder / "index"))
    save(program, folder / "p.json", corpus=folder / "index", about={"lm": lm, **about})
    return folder / "p.json"


def test_a_saved_program_runs_on_the_lm_it_was_compiled_for(run, tmp_path):
    path = saved(tmp_path, OURS)
    code, out, err = run("ask", "Where was Ada born?", "--program", path, "--json")
    assert (code, err) == (0, "")
    assert ujson.loads(out)["lm"] == OURS


def test_a_saved_program_on_another_lm_says_so_in_one_line(run, tmp_path):
    path = saved(tmp_path, "openai/foo")
    told = f"multihop: {path} was compiled for openai/foo and is used with {OURS}; "
    code, _, err = run("ask", "Where was Ada born?", "--program", path, "--lm", "local")
    assert (code, err) == (0, told + "its scores were not measured with it.\n")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Where was Ada born?", "answers": ["London"]}\n')
    code, _, err = run("evaluate", path, "-q", questions, "--lm", "local", "--out", tmp_path / "run")
    assert code == 0
    assert err.count("was compiled for") == 1


def test_an_lm_that_its_name_alone_does_not_reach_is_asked_for(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = saved(tmp_path, "openai/foo", **{"own server": True})
    code, _, err = run("ask", "Where?", "--program", path)
    assert code == 2
    assert err == (
        f"multihop: {path} was compiled for 'openai/foo' on a server whose address is not stored: "
        "give it with --lm openai/foo@http://HOST:PORT/v1, or name another LM.\n"
    )
    code, _, err = run("ask", "Where?", "--program", saved(tmp_path, "openai/foo"))
    assert code == 2
    assert err.startswith(f"multihop: {path} was compiled for 'openai/foo' (--lm names another one): ")
    assert "OPENAI_API_KEY" in err


def test_the_corpus_of_a_saved_program_is_found_from_anywhere_and_may_be_another(run, tmp_path, monkeypatch):
    path = saved(tmp_path, OURS)
    monkeypatch.chdir("/")
    assert run("ask", "Where was Ada born?", "--program", path)[0] == 0
    (tmp_path / "index").rename(tmp_path / "moved")
    code, _, err = run("ask", "Where was Ada born?", "--program", path)
    assert code == 2
    assert err.count("\n") == 1
    assert f"looked for {tmp_path / 'index'}" in err
    assert "--corpus" in err
    code, out, _ = run("ask", "Where was Ada born?", "--program", path, "--corpus", tmp_path / "moved", "--json")
    assert (code, ujson.loads(out)["answer"]) == (0, "London")


def test_compile_shows_its_stages_in_plain_lines_and_expands_the_home_folder(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    code, _, err = run(
        "compile", "one-step", "--train-limit", 4, "--dev-limit", 6, "--variants", "zero-shot", "--lm", "local",
        "--to", "~/p.json",
    )  # fmt: skip
    assert code == 0
    lines = err.splitlines()
    assert lines[1:5] == [
        "estimating what it takes, on a few training questions",
        "expects about 6 LM calls",
        "zero-shot: the program as it is",
        "zero-shot: scoring on 6 dev questions",
    ]
    assert any(line.startswith("zero-shot 6/6") for line in lines)
    assert lines[-1].startswith("zero-shot: f1 ")
    assert (tmp_path / "p.json").exists()
    assert ujson.loads((tmp_path / "p.json").read_text())["metadata"]["multihop"]["corpus"] == "little"


def test_an_interrupted_compilation_says_what_it_keeps(run, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("multihop.optimize.compile_variants", interrupted)
    code, _, err = run("compile", "mzqa", "--lm", "local", "--to", tmp_path / "made")
    assert code == 130
    kept = f"{tmp_path}/made.work keeps what is compiled and what is answered"
    assert f"interrupted; {kept}, the same command goes on." in err


@pytest.mark.parametrize("command", [("ask", "Where?", "-p"), ("show",), ("evaluate", "--out", "x"), ("serve",)])
def test_what_is_on_a_hub_is_downloaded_first(run, command):
    code, _, err = run(*command, "hf://ada/films")
    assert code == 2
    assert err == (
        "multihop: hf://ada/films is no file: download it with huggingface_hub.hf_hub_download and load the file.\n"
    )
