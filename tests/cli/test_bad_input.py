import gzip


def bad(tmp_path):
    """Every kind of bad input, with a word its message must hold."""
    files = {
        "malformed.jsonl": b'{"id": "1", "title": "a", "text": "b"}\n{"id": \n',
        "no_text.jsonl": b'{"id": "1", "title": "a", "prose": "b"}\n',
        "empty.jsonl": b"",
        "broken.jsonl": b'{"id": "1", "title": "a", "text": "\xff\xfe"}\n',
        "nul.jsonl": b'{"id": "1", "title": "a", "text": "x\\u0000y"}\n',
        "questions.jsonl": b'{"question": "Who wrote Emma?", "answer": "Jane Austen"}\n',
        "twice.jsonl": b'{"id": "1", "text": "b"}\n{"id": "1", "text": "c"}\n',
        "torn.jsonl.gz": gzip.compress(b'{"id": "1", "text": "b"}\n' * 1000)[:60],
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    ask = ["ask", "Who?", "--corpus"]
    yield [*ask, tmp_path / "missing.jsonl"], "missing.jsonl"
    yield [*ask, tmp_path / "malformed.jsonl"], "line 2"
    yield [*ask, tmp_path / "no_text.jsonl"], "text"
    yield [*ask, tmp_path / "empty.jsonl"], "empty"
    yield [*ask, tmp_path / "broken.jsonl"], "UTF-8"
    yield [*ask, tmp_path / "nul.jsonl"], "NUL"
    yield [*ask, tmp_path / "twice.jsonl"], "twice"
    yield [*ask, tmp_path / "torn.jsonl.gz"], "torn.jsonl.gz"
    yield [*ask, tmp_path / "folder"], "without a file that can be read"
    yield [*ask, "https://here.org/corpus.jsonl"], "download the file first"
    yield [*ask, tmp_path / "no_text.jsonl", "--field", "text=words"], "the fields are id, title, prose"
    yield [*ask, tmp_path / "malformed.jsonl", "--field", "txt=body"], "did you mean 'text'"
    yield [*ask, tmp_path / "malformed.jsonl", "--field", "text"], "name=field"
    yield [*ask, tmp_path / "malformed.jsonl", "--skip-bad", "-1"], "0"
    questions = tmp_path / "questions.jsonl"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--questions", questions], "give --corpus"
    yield (
        ["compile", "one-step", "--to", tmp_path / "p.json", "--train", questions, "--dev", "little"],
        "two sources; give --corpus",
    )
    yield ["clone", "mzqa", "--from-gold", "--out", tmp_path / "run", "--train", questions], "give --corpus"
    yield ["clone", "mzqa", "--out", tmp_path / "run"], "from a finished run (multihop evaluate ... --out RUN"
    yield ["train", questions, "--as-is", "--to", tmp_path / "encoder"], "--as-is is gone: "
    yield ["train", "--to", tmp_path / "encoder"], "there is nothing to learn from: name files of training questions"
    yield ["reproduce", "resp-table-1", "--weights", "hotpotqa=x"], "no row of resp-table-1 takes weights of its own"
    yield ["reproduce", "efficientrag-table-6", "--weights", "hotpot=x"], "did you mean 'hotpotqa'"
    yield ["ask", "Who?", "--program", "one_step"], "did you mean 'one-step'"
    yield ["ask", "Who?", "--set", "kk=3"], "did you mean 'k'"
    yield ["ask", "Who?", "--set", "k=0"], "greater than or equal to 1"
    yield ["ask", "Who?", "--set", "k"], "name=value"
    yield ["ask", "Who?", "--lm", "openai/gpt-4o-mini"], "OPENAI_API_KEY"
    yield ["ask", "Who?", "--lm", "gibberish"], "gibberish"
    yield ["ask", ""], "empty"
    yield ["ask", "x" * 1_000_000], "1,000,000 characters"
    yield ["ask", "a\0b"], "NUL"
    yield ["ask", "a\udcffb"], "UTF-8"
    yield ["ask"], "QUESTION"
    yield ["ask", "Who?", "--colour", "red"], "--colour"
    yield ["nonsense"], "nonsense"
    yield ["programs", "tor", "mzqa"], "'mzqa' is more than programs takes"
    yield ["programs", "tro"], "did you mean 'tor'? Valid: cor, cot, "
    yield ["index", tmp_path / "empty.jsonl", "--to", tmp_path / "index"], "empty"
    yield ["index", tmp_path / "malformed.jsonl", "--to", tmp_path / "index"], "line 2"
    yield ["index", tmp_path / "missing.jsonl", "--to", tmp_path / "index"], "missing.jsonl"
    yield ["evaluate", "one-step", "-q", "little", "--out", tmp_path / "run", "--rules", "squad"], "hotpotqa"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--limit", 0], "--limit"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--repeats", 0], "--repeats"
    yield (
        ["evaluate", "one-step", "--out", tmp_path / "run", "--questions", tmp_path / "missing.jsonl"],
        "missing.jsonl",
    )
    yield ["evaluate", "one-step", "-q", "little", "--out", tmp_path / "empty.jsonl"], "empty.jsonl"
    yield ["evaluate", "tor2", "-q", "little", "--out", tmp_path / "run"], "unknown program"
    yield ["compare", tmp_path / "folder", tmp_path / "folder"], "not a run"


def test_bad_input_gets_one_sentence_and_exit_code_2_and_leaves_nothing(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cases = list(bad(tmp_path))
    before = sorted(tmp_path.rglob("*"))
    for arguments, word in cases:
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), (arguments, out, err)
        assert err.startswith("multihop: ")
        assert err.count("\n") == 1, err
        assert word in err, (arguments, err)
        assert "Traceback" not in err
    assert sorted(tmp_path.rglob("*")) == before
