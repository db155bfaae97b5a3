import gzip
import io
import re
import subprocess
import sys
from importlib import import_module

import pytest
import ujson

from multihop import BM25, Passage, create, save
from multihop.__main__ import main
from multihop.commands import COMMANDS

CORPUS = [
    {"id": "p1", "title": "Night Train (film)", "text": "Night Train is a 1959 film directed by Jerzy Kowal."},
    {"id": "p2", "title": "Jerzy Kowal", "text": "Jerzy Kowal was born in Torun in 1922."},
    {"id": "p3", "title": "Torun", "text": "Torun is a city on the Vistula."},
]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(ujson.dumps(row) + "\n" for row in CORPUS))
    return str(path)


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_ask_shows_answer_passages_and_steps(run, corpus):
    code, out, err = run("ask", "When was Jerzy Kowal born?", "--corpus", corpus, "--set", "k=2")
    assert (code, err) == (0, "")
    assert "→ 1922" in out
    assert "1. Jerzy Kowal" in out
    assert "one-step on multihop/local" in out
    assert "1 LM call · 1 retrieval" in out


def test_ask_as_json_holds_everything(run, corpus):
    code, out, _ = run("ask", "When was Jerzy Kowal born?", "--corpus", corpus, "--set", "k=1", "--json")
    record = ujson.loads(out)
    assert code == 0
    assert record["answer"] == "1922"
    assert record["passages"] == [CORPUS[1]]
    assert record["settings"]["k"] == 1
    assert [step["step"] for step in record["trajectory"]] == ["find", "answer"]
    assert record["cost"]["calls"] == 1


@pytest.mark.usefixtures("tiny_encoder")
def test_ask_without_retrieval_needs_no_corpus(run):
    code, out, _ = run("ask", "Is it?", "--program", "direct", "--corpus", "/nowhere", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"] == []


@pytest.mark.usefixtures("tiny_encoder")
def test_ask_reads_the_question_from_standard_input(run, corpus, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Wo? é".encode())))
    code, out, _ = run("ask", "-", "--corpus", corpus, "--json")
    assert code == 0
    assert ujson.loads(out)["question"] == "Wo? é"


@pytest.mark.usefixtures("tiny_encoder")
def test_index_then_ask(run, corpus, tmp_path):
    code, out, _ = run("index", corpus, "--to", tmp_path / "index")
    assert code == 0
    assert "indexed 3 passages" in out
    code, out, _ = run("ask", "Where is Torun?", "--corpus", tmp_path / "index", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p3"


@pytest.mark.usefixtures("tiny_encoder")
def test_world_writes_what_ask_and_index_read(run, tmp_path):
    code, out, _ = run("world", "--questions", 5, "--passages", 50, "--to", tmp_path / "world")
    assert code == 0
    rows = [ujson.loads(line) for line in (tmp_path / "world" / "questions.jsonl").read_text().splitlines()]
    assert len(rows) == 5
    code, out, _ = run("ask", rows[0]["question"], "--corpus", tmp_path / "world" / "corpus.jsonl", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"]


def test_programs_lists_every_program_with_its_settings(run):
    code, out, _ = run("programs")
    assert code == 0
    assert all(name in out for name in ("direct", "cot", "one-step", "one-step-cot", "k=5"))
    code, out, _ = run("programs", "--json")
    assert {row["name"]: row["settings"] for row in ujson.loads(out)}["one-step"] == {"k": 5}


@pytest.mark.usefixtures("tiny_encoder")
def test_demo_runs_from_nothing(run):
    code, out, _ = run("demo", "--questions", 30)
    assert code == 0
    assert "the gold answer is" in out
    assert re.search(
        r"labeled-3 against zero-shot: F1 [+-]\d+\.\d \[[+-]\d+\.\d, [+-]\d+\.\d\], ", " ".join(out.split())
    )
    assert "what changed: paths found enough, of those reviewed: " in out


@pytest.mark.usefixtures("tiny_encoder")
def test_evaluate_measures_and_continues(run, tmp_path):
    out = tmp_path / "run"
    code, table, said = run("evaluate", "one-step", "--out", out, "--limit", 10)
    assert code == 0
    assert "one-step: done 10/10" in said
    assert "recall@5" in table
    assert "10 questions" in table
    summary = ujson.loads((out / "summary.json").read_text())
    assert summary["n_ok"] == 10
    code, _, said = run("evaluate", "one-step", "--out", out, "--limit", 12)
    assert code == 0
    assert "one-step: done 12/12" in said
    assert len((out / "questions.jsonl").read_text().splitlines()) == 12
    code, _, said = run("evaluate", "one-step", "--out", out, "--set", "k=3")
    assert code == 2
    assert said.startswith(f"multihop: {out} was made with program.settings.k = 5, and now it is 3")


@pytest.mark.usefixtures("tiny_encoder")
def test_evaluate_on_an_index_with_references(run, tmp_path):
    run("world", "--questions", 5, "--to", tmp_path / "world")
    run("index", tmp_path / "world" / "corpus.jsonl", "--to", tmp_path / "index")
    code, table, _ = run(
        "evaluate", "direct", "--questions", tmp_path / "world" / "questions.jsonl", "--corpus", tmp_path / "index",
        "--out", tmp_path / "run", "--references", "--budget-calls", 3,
    )  # fmt: skip
    assert code == 0
    assert [word for word in ("direct", "closed-book", "one-step", "gold-passages") if word not in table] == []
    gold = ujson.loads((tmp_path / "run" / "references" / "gold-passages" / "summary.json").read_text())
    assert gold["metrics"]["recall@5"]["mean"] == 1.0


def test_a_simulated_run_says_so_everywhere(run, tmp_path):
    out = tmp_path / "run"
    code, table, _ = run(
        "evaluate", "one-step", "--lm", "simulated", "--lm-set", "error_rate=0", "--limit", 5, "--out", out
    )
    assert code == 0
    assert "SIMULATED" in table
    assert "SIMULATED" in (out / "summary.md").read_text()
    assert ujson.loads((out / "run.json").read_text())["simulated"] is True


def test_a_run_in_which_everything_fails_says_why_and_exits_with_1(run, tmp_path):
    lm = ("--lm", "simulated", "--lm-set", "luck=3")
    code, _, said = run("evaluate", "one-step", *lm, "--limit", 3, "--out", tmp_path / "run")
    assert code == 1
    assert "every question failed, the first with" in said
    assert "luck" in said


@pytest.mark.parametrize(
    ("options", "how_often"),
    [((), "The first 10 questions all failed in this way"), (("--max-errors", 4), "4 questions failed")],
)
def test_a_run_that_is_not_worth_going_on_stops_with_a_sentence_and_1(run, tmp_path, options, how_often):
    out = tmp_path / "run"
    lm = ("--lm", "simulated", "--lm-set", "luck=3", "--concurrency", 1)
    code, _, said = run("evaluate", "one-step", *lm, "--limit", 30, "--out", out, *options)
    assert code == 1
    assert how_often in said.splitlines()[-1]
    assert f"the run in {out} was stopped, the same command goes on with it" in said
    assert len((out / "questions.jsonl").read_text().splitlines()) == (4 if options else 10)


@pytest.mark.usefixtures("tiny_encoder")
def test_compare_shows_what_changed(run, tmp_path):
    for k in (1, 5):
        run("evaluate", "one-step", "--set", f"k={k}", "--limit", 15, "--out", tmp_path / f"k{k}")
    code, table, _ = run("compare", tmp_path / "k1", tmp_path / "k5")
    assert code == 0
    assert "15 questions in common" in table
    assert "A: one-step k=1" in table
    assert "B: one-step k=5" in table
    assert "recall@5" in table
    assert "wrong in A, right in B" in table


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_every_command_with_the_first_line_of_its_own_help(run, arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run(*arguments)
    assert code == 0
    for name, line in COMMANDS.items():
        module = import_module(f"multihop.commands.{name}")
        assert getattr(module, f"{name}_command").__doc__.partition("\n")[0] == line
        assert re.search(rf"{name} +{re.escape(line)}", out)


def test_help_needs_no_dspy():
    code = "import sys; from multihop.__main__ import main; main(['--help']); print('dspy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def saved(folder, lm, **about):
    program = create("one-step", BM25.build([Passage("p1", "Ada", "Ada was born in London.")], folder=folder / "index"))
    save(program, folder / "p.json", corpus=folder / "index", about={"lm": lm, **about})
    return folder / "p.json"


def test_a_saved_program_runs_on_the_lm_it_was_compiled_for(run, tmp_path):
    path = saved(tmp_path, "multihop/lexical@1")
    code, out, err = run("ask", "Where was Ada born?", "--program", path, "--json")
    assert (code, err) == (0, "")
    assert ujson.loads(out)["lm"] == "multihop/lexical@1"


def test_a_saved_program_on_another_lm_says_so_in_one_line(run, tmp_path):
    path = saved(tmp_path, "openai/foo")
    told = f"multihop: {path} was compiled for openai/foo and is used with multihop/lexical@1; "
    code, _, err = run("ask", "Where was Ada born?", "--program", path, "--lm", "lexical")
    assert (code, err) == (0, told + "its scores were not measured with it.\n")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Where was Ada born?", "answers": ["London"]}\n')
    code, _, err = run("evaluate", path, "-q", questions, "--lm", "lexical", "--out", tmp_path / "run")
    assert code == 0
    assert err.count("was compiled for") == 1


def test_an_lm_that_its_name_alone_does_not_reach_is_asked_for(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = saved(tmp_path, "openai/foo", **{"own server": True})
    code, _, err = run("ask", "Where?", "--program", path)
    assert code == 2
    assert err == (
        f"multihop: {path} was compiled for 'openai/foo' on a server whose address is not stored: "
        "give it with --api-base, or another LM with --lm.\n"
    )
    code, _, err = run("ask", "Where?", "--program", saved(tmp_path, "openai/foo"))
    assert code == 2
    assert err.startswith(f"multihop: {path} was compiled for 'openai/foo' (--lm names another one): ")
    assert "OPENAI_API_KEY" in err


def test_the_corpus_of_a_saved_program_is_found_from_anywhere_and_may_be_another(run, tmp_path, monkeypatch):
    path = saved(tmp_path, "multihop/lexical@1")
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
        "compile", "one-step", "--train-limit", 4, "--dev-limit", 6, "--variants", "zero-shot", "--lm", "lexical",
        "--to", "~/p.json",
    )  # fmt: skip
    assert code == 0
    lines = err.splitlines()
    assert lines[:4] == [
        "estimating what it takes, on a few training questions",
        "expects about 6 LM calls",
        "zero-shot: the program as it is",
        "zero-shot: scoring on 6 dev questions",
    ]
    assert any(line.startswith("zero-shot: done 6/6") for line in lines)
    assert lines[-1].startswith("zero-shot: f1 ")
    assert (tmp_path / "p.json").exists()
    assert ujson.loads((tmp_path / "p.json").read_text())["metadata"]["multihop"]["corpus"] == "world"


@pytest.mark.parametrize(("command", "asks"), [("compile", "compile_variants"), ("clone", "clone")])
def test_an_interrupted_command_says_what_it_keeps(run, tmp_path, monkeypatch, command, asks):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"multihop.optimize.{asks}", interrupted)
    option = "--to" if command == "compile" else "--out"
    code, _, err = run(command, "mzqa", "--lm", "lexical", option, tmp_path / "made")
    assert code == 130
    keeps = {"compile": "made.work keeps what is compiled and what is answered", "clone": "made keeps what is answered"}
    assert f"interrupted; {tmp_path}/{keeps[command]}, the same command goes on." in err


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["index", "--help"], ["--version"]])
def test_help_is_there(run, arguments):
    code, out, _ = run(*arguments)
    assert code == 0
    assert out.strip()
    if arguments[0] != "--version":
        assert "For example:" in out


def bad(tmp_path):
    """Every kind of bad input, with a word its message must hold."""
    files = {
        "malformed.jsonl": b'{"id": "1", "title": "a", "text": "b"}\n{"id": \n',
        "no_text.jsonl": b'{"id": "1", "title": "a", "body": "b"}\n',
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
    yield [*ask, tmp_path / "no_text.jsonl", "--field", "text=words"], "the fields are id, title, body"
    yield [*ask, tmp_path / "malformed.jsonl", "--field", "txt=body"], "did you mean 'text'"
    yield [*ask, tmp_path / "malformed.jsonl", "--field", "text"], "name=field"
    yield [*ask, tmp_path / "malformed.jsonl", "--skip-bad", "-1"], "0"
    questions = tmp_path / "questions.jsonl"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--questions", questions], "give --corpus"
    yield ["compile", "one-step", "--to", tmp_path / "p.json", "--train", questions], "two sources; give --corpus"
    yield ["clone", "mzqa", "--out", tmp_path / "run", "--train", questions], "give --corpus"
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
    yield ["index", tmp_path / "empty.jsonl", "--to", tmp_path / "index"], "empty"
    yield ["index", tmp_path / "malformed.jsonl", "--to", tmp_path / "index"], "line 2"
    yield ["index", tmp_path / "missing.jsonl", "--to", tmp_path / "index"], "missing.jsonl"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--rules", "squad"], "hotpotqa"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--limit", 0], "--limit"
    yield ["evaluate", "one-step", "--out", tmp_path / "run", "--max-errors", 0], "--max-errors"
    yield (
        ["evaluate", "one-step", "--out", tmp_path / "run", "--questions", tmp_path / "missing.jsonl"],
        "missing.jsonl",
    )
    yield ["evaluate", "one-step", "--out", tmp_path / "empty.jsonl"], "empty.jsonl"
    yield ["evaluate", "tor2", "--out", tmp_path / "run"], "unknown program"
    yield ["compare", tmp_path / "folder", tmp_path / "folder"], "not a run"
    yield ["world", "--questions", 0, "--to", tmp_path / "world"], "questions"
    yield ["world", "--to", tmp_path / "empty.jsonl" / "world"], "not a folder"


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


@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_index_of_meanings_is_built_and_asked(run, corpus, tmp_path, kind):
    code, out, err = run("index", corpus, "--retriever", kind, "--to", tmp_path / "index")
    assert (code, err) == (0, "")
    assert f"indexed {len(CORPUS)} passages" in out
    code, out, _ = run("ask", "When was Jerzy Kowal born?", "--corpus", tmp_path / "index", "--program", "efficientrag")
    assert code == 0
    assert "→ 1922" in out
    assert "label" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rerank", "5"], "a bm25 index takes no --rerank; it takes --k1, --b."),
        (["--retriever", "dense", "--k1", "1"], "a dense index takes no --k1; it takes --weights."),
        (["--retriever", "dense", "--weights", "nowhere"], "holds no encoder"),
    ],
)
def test_an_index_takes_the_options_of_its_kind(run, corpus, tmp_path, options, said):
    code, _, err = run("index", corpus, "--to", tmp_path / "index", *options)
    assert code == 2
    assert said in err
    assert not (tmp_path / "index").exists()


PARAGRAPHS = [{"title": row["title"], "text": row["text"]} for row in CORPUS]
OWN = {"id": "q1", "prompt": "When was Jerzy Kowal born?", "answers": ["1922"], "paragraphs": PARAGRAPHS}


def test_questions_with_paragraphs_are_their_own_corpus(run, tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(ujson.dumps(OWN) + "\n{}\n")
    code, _, said = run(
        "evaluate", "one-step", "--questions", path, "--field", "question=prompt", "--skip-bad", 1, "--out",
        tmp_path / "run",
    )  # fmt: skip
    assert code == 0
    assert f"multihop: no --corpus, so the own paragraphs of the questions in {path} are searched.\n" in said
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 2: no field" in said
    row = ujson.loads((tmp_path / "run" / "questions.jsonl").read_text())
    assert row["metrics"]["em"] == 1.0


def test_questions_without_retrieval_need_no_corpus(run, tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "Who wrote Emma?", "answer": "Jane Austen"}')
    code, _, said = run("evaluate", "direct", "--questions", path, "--out", tmp_path / "run")
    assert code == 0
    assert "--corpus" not in said


def test_an_index_of_named_fields_without_the_bad_records(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("pid,heading,body\np2,Jerzy Kowal,Jerzy Kowal was born in Torun in 1922.\np3,,\n")
    fields = ("--field", "id=pid", "--field", "title=heading", "--field", "text=body")
    code, out, said = run("index", path, *fields, "--skip-bad", 1, "--to", tmp_path / "index")
    assert code == 0
    assert "indexed 1 passages" in out
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 3: neither title nor text" in said
    code, out, said = run("ask", "When was Jerzy Kowal born?", "--corpus", path, *fields, "--skip-bad", 1, "--json")
    assert code == 0
    assert ujson.loads(out)["answer"] == "1922"
    assert "1 bad record was left out" in said


def test_ask_says_that_the_world_is_searched(run):
    code, _, said = run("ask", "Who?", "--lm", "lexical")
    assert code == 0
    assert said == (
        "multihop: no --corpus, so the fictional world is searched; give --corpus to search your own passages.\n"
    )
    assert run("ask", "Who?", "--lm", "lexical", "--corpus", "world")[2] == ""


def test_the_home_folder_where_the_shell_leaves_it(run, tmp_path, corpus, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("index", "~/corpus.jsonl", "--to=~/index")[0] == 0
    assert (tmp_path / "index" / "index.json").is_file()
    code, out, _ = run("ask", "Where is Torun?", "--corpus=~/index", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p3"
