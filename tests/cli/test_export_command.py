import pytest


@pytest.fixture
def finished_run(run, corpus, tmp_path):
    (tmp_path / "dev.jsonl").write_text('{"id": "q1", "question": "When was Jerzy Kowal born?", "answers": ["1922"]}\n')
    out = tmp_path / "runs" / "dev"
    assert (
        run("evaluate", "one-step", "-q", tmp_path / "dev.jsonl", "-c", corpus, "--lm", "local", "--out", out)[0] == 0
    )
    return out


def test_the_rankings_are_written(run, finished_run, tmp_path):
    code, out, err = run("export", finished_run, "--to", tmp_path / "t")
    assert (code, out, err) == (0, f"wrote {tmp_path / 't' / 'run.trec'} and {tmp_path / 't' / 'qrels.trec'}\n", "")
    assert (tmp_path / "t" / "run.trec").read_text().startswith("q1 Q0 p2 1 1 one-step\n")
    assert not (finished_run / "run.trec").exists()


def test_bad_input_is_one_sentence(run, finished_run, tmp_path):
    (tmp_path / "file").write_text("")
    for given, to, problem in (
        (tmp_path, tmp_path / "x", f"{tmp_path} is not a run: it has no run.json."),
        (finished_run, tmp_path / "file", f"{tmp_path / 'file'} is a file; give --to a folder."),
    ):
        assert run("export", given, "--to", to) == (2, "", f"multihop: {problem}\n")


def test_other_forms_are_gone(run, finished_run, tmp_path):
    code, out, err = run("export", finished_run, "--as", "lm-eval", "--to", tmp_path / "x")
    assert (code, out) == (2, "")
    assert "--as is gone: export writes TREC's files" in err
