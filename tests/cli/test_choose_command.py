import ujson
from rich.console import Console
from some_rows import some_row

from multihop.cli.showing.choosing import next_command, show_choice
from multihop.experiments import choose
from multihop.experiments.choosing import choosing, measured

LM = "gguf:tiny-1.5b.gguf"
ROWS = [
    some_row("one-step", 40.0, tokens=1000),
    some_row("resp", 50.0, tokens=5000, calls=5.0, unreadable=3, prefix_cached=0.62, settings={"turns": 4}),
    some_row("tor", 60.0, tokens=9000, calls=13.0, retriever="hybrid", seconds=61.0),
    some_row("ircot", 30.0, set="2wikimultihopqa", hops=2.5, calls=2.6, variant="labeled-3"),
]


def use(monkeypatch, rows):
    monkeypatch.setattr(choosing, "measured_rows", lambda: tuple(rows))
    monkeypatch.setattr(measured, "measured_rows", lambda: tuple(rows))


def test_a_corpus_questions_and_a_budget(run, corpus, tmp_path, monkeypatch):
    use(monkeypatch, ROWS)
    monkeypatch.setenv("COLUMNS", "100")
    asked = tmp_path / "dev.jsonl"
    asked.write_text(ujson.dumps({"question": "Who?", "answer": "Ada", "hops": 2}) + "\n")
    code, out, err = run("choose", "-c", corpus, "-q", asked, "--lm", LM, "--calls", 5)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "take resp (turns=4) over bm25"
    command = f"multihop evaluate resp -q {asked} --out runs/resp -c {corpus} --set turns=4 --lm {LM}"
    assert lines[1] == f"  {command}"
    told = " ".join(out.split())
    for line in (
        "taken resp (turns=4) over bm25 50.0±4.0 5.0 5,000 100 –",
        "runner-up one-step over bm25 40.0±4.0 1.0 1,000 100 –",
        "costs more tor over hybrid 60.0±4.0 13.0 9,000 100 61.0",
        "on 2WikiMultiHopQA ircot over bm25, labeled-3 30.0±4.0 2.6 1,000 100 –",
        "HotpotQA over 8,000 passages with tiny-1.5b, asked for schema, 2026-11-01: EM 50.0±4.0, "
        "4,980 tokens in (62% served by a prefix cache) and 20 out, 3 completions unreadable.",
        "- measured over 8,000 passages, not",
    ):
        assert line in told


def test_a_budget_that_is_enough_is_told(run, monkeypatch):
    use(monkeypatch, ROWS)
    told = "A larger budget buys nothing that was measured."
    assert told in run("choose", "--lm", LM, "--calls", 20)[1]
    assert told not in run("choose", "--lm", LM)[1]
    assert told not in run("choose", "--lm", LM, "--calls", 1)[1]


def test_json_has_the_command_and_the_whole_choice(run, monkeypatch):
    use(monkeypatch, ROWS)
    code, out, _ = run("choose", "--lm", LM, "--calls", 1, "--json")
    found = ujson.loads(out)
    assert code == 0
    assert found["command"] == f"multihop ask 'Who directed it?' -p one-step --lm {LM}"
    assert (found["row"]["program"], found["row"]["f1"], found["fits"]) == ("one-step", [40.0, 36.0, 44.0], True)
    assert (found["runner_up"], found["more"]["program"]) == (None, "tor")


def test_an_index_says_what_searches(run, corpus, tmp_path, monkeypatch):
    use(monkeypatch, ROWS)
    assert run("index", corpus, "--to", tmp_path / "index")[0] == 0
    code, out, _ = run("choose", "-c", tmp_path / "index", "--lm", LM, "--json")
    found = ujson.loads(out)
    assert (code, found["row"]["program"], found["more"]) == (0, "resp", None)  # tor was measured over another kind
    assert "--retriever" not in found["command"]


def test_a_server_does_not_tell_its_passages(run, monkeypatch):
    use(monkeypatch, ROWS)
    code, out, _ = run("choose", "-c", "http://localhost:9", "--lm", LM, "--json")
    assert (code, [each for each in ujson.loads(out)["caveats"] if "passages" in each]) == (0, [])


def test_the_command_opens_what_the_row_was_searched_with():
    choice = choose(LM, hops=2, rows=ROWS)
    assert next_command(choice, lm=LM, corpus="c.jsonl").endswith(f"-p tor -c c.jsonl --retriever hybrid --lm {LM}")
    assert "--retriever" not in next_command(choice, lm=LM, corpus="indexes/c", indexed=True)


def test_settings_and_budgets_are_options_of_the_command():
    settings = {"widths": [4, 2], "order": "by-level", "budget": {"calls": 25}}
    choice = choose(LM, hops=2, rows=[some_row("tor", settings=settings)])
    assert next_command(choice, lm=LM) == (
        f"multihop ask 'Who directed it?' -p tor --set 'widths=[4,2]' --set order=by-level --budget-calls 25 --lm {LM}"
    )


def test_a_compiled_row_leads_to_compiling():
    choice = choose(LM, hops=2.5, rows=ROWS)
    assert next_command(choice, lm=LM, corpus="c.jsonl", questions="q.jsonl") == (
        "multihop compile ircot --variants zero-shot,labeled-3 --train q.jsonl --dev q.jsonl --to ircot.json "
        f"-c c.jsonl --lm {LM}"
    )


def test_where_nothing_fits_it_says_so_and_shows_what_papers_report(capsys):
    for width in (80, 160):
        show_choice(choose("server/Qwen/Qwen3-8B", hops=2, calls=1, rows=ROWS), "multihop ...", Console(width=width))
        out = capsys.readouterr().out
        assert max(map(len, out.splitlines())) <= width
        assert out.startswith("nothing measured fits; nearest is one-step over bm25\n")
        assert "- no LM of 3 to 14 B was measured; the nearest is tiny-1.5b" in out
        assert "published for HotpotQA (other prompts, corpora and questions; not measured here)" in out
        assert " iter-retgen    60.9   Llama-3-8B-Instruct   efficientrag-table-3 " in out


def test_bad_input_is_one_sentence(run, tmp_path):
    for arguments, message in (
        (
            ["--lm", "gpt-4"],
            "LM 'gpt-4' is none that a command takes; write local, gguf:PATH, folder:PATH, server/MODEL",
        ),
        (["--lm", "gguf:mine.gguf"], "does not tell its size; give it in billions of parameters (--size 7)"),
        (["--retriever", "colbert"], "unknown kind of retriever that was measured 'colbert'"),
        (["--calls", "0"], "--calls"),
        (["--calls", "few"], "--calls"),
        (["-c", tmp_path / "missing.jsonl"], "missing.jsonl"),
        (["-q", tmp_path / "missing.jsonl"], "missing.jsonl"),
        (["tor"], "'tor'"),
    ):
        code, out, err = run("choose", *arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith("multihop: ")
        assert err.count("\n") == 1
        assert message in err


def test_the_limit_bounds_the_questions_whose_hops_count(run, tmp_path, monkeypatch):
    use(monkeypatch, ROWS)
    asked = tmp_path / "dev.jsonl"
    rows = [{"question": f"Who was {hops}?", "answer": "Ada", "hops": hops} for hops in (2, 3, 4)]
    asked.write_text("".join(ujson.dumps(row) + "\n" for row in rows))
    for limit, taken in ((3, "2wikimultihopqa"), (1, "hotpotqa")):
        out = run("choose", "-q", asked, "--lm", LM, "--json", "--limit", limit)[1]
        assert ujson.loads(out)["row"]["set"] == taken
