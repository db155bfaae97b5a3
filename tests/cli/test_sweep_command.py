import ujson

from multihop.programs.presets import preset_for

ASKED = ("--questions", "world", "--limit", 3, "--lm", "simulated")


def test_a_sweep_over_two_settings(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    folder = tmp_path / "swept"
    asked = ("sweep", "iter-retgen", "--over", "k=2,5", "--over", "turns=1,3", *ASKED, "--out", folder)
    code, out, _ = run(*asked)
    assert code == 0
    assert out.startswith("SIMULATED: the LM knew the gold answers.")
    assert "iter-retgen over k and turns, on multihop/simulated" in out
    assert "k (5, 2): F1 from " in out
    assert f"{folder}/sweep.md and {folder}/sweep.json hold the table" in out
    assert f"drawn in {folder}/k.svg, {folder}/turns.svg" in out
    points = {each.name for each in (folder / "points").iterdir()}
    assert points == {"default", "k-2", "turns-1", "k-2+turns-1"}
    assert "SIMULATED" in (folder / "k.svg").read_text()
    again = run(*asked, "--json", "--quiet")
    table = ujson.loads(again[1])
    assert (again[0], again[2], table["simulated"], table["stopped"]) == (0, "", True, False)
    assert table["plots"] == [f"{folder}/k.svg", f"{folder}/turns.svg"]
    assert [row["paid_calls"] for row in table["rows"]] == [round(3 * row["calls"]["mean"]) for row in table["rows"]]
    code, out, _ = run("view", folder)
    assert (code, out) == (0, f"wrote {folder}/page.html\n")
    page = (folder / "page.html").read_text()
    assert "<h1>iter-retgen over k and turns, on multihop/simulated" in page
    assert page.count('<figure class="plot">') == 2


def test_each_setting_alone_and_a_setting_for_all_points(run, tmp_path):
    code, out, _ = run(
        "sweep", "iter-retgen", "--over", "k=2,5", "--over", "turns=2,1", "--one-at-a-time", "--set", "turns=1", *ASKED,
        "--json", "--quiet", "--out", tmp_path / "swept",
    )  # fmt: skip
    assert code == 0
    assert [row["changed"] for row in ujson.loads(out)["rows"]] == [{}, {"k": 2}, {"turns": 2}]


def test_a_dry_run_needs_no_key_and_asks_nothing(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    asked = ("sweep", "mzqa", "--over", "exploration=0.5,2", "--limit", 3, "--lm", "openai/gpt-4o-mini", "--dry-run")
    code, out, err = run(*asked)
    assert (code, err) == (0, "")
    assert "nothing is asked: 3 points, 9 questions, at most " in " ".join(out.split())
    prices = ujson.loads(run(*asked, "--json")[1])
    assert [each["settings"] for each in prices] == [{"exploration": value} for value in (1.0, 0.5, 2.0)]
    assert [each["default"] for each in prices] == [True, False, False]
    assert len({each["most_calls"] for each in prices}) == 1
    assert not list(tmp_path.iterdir())


def test_without_values_those_that_the_paper_leaves_open(run, tmp_path):
    code, out, err = run("sweep", "iter-retgen", "--set", "retries=0", *ASKED, "--json", "--out", tmp_path / "swept")
    table = ujson.loads(out)
    part = preset_for("efficientrag/paper", "iter-retgen")
    assert code == 0
    assert err.count("efficientrag/paper: settings and decoding are the paper's") == 1
    assert {row["settings"]["k"] for row in table["rows"]} == {*part.left_open()["k"]}
    assert {name: table["settings"][name] for name in part.values()} == part.values()
    assert table["settings"]["retries"] == 0
    for row in table["rows"]:
        header = ujson.loads((tmp_path / "swept" / row["folder"] / "run.json").read_text())
        settings = header["identity"]["program"]["settings"]
        assert settings == {name: {**table["settings"], **row["changed"]}[name] for name in settings}


def test_a_saved_program_is_swept_with_its_prompts(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from multihop import create, save

    program = create("one-step", lambda query, k: [], k=4)
    program.answer.signature = program.answer.signature.with_instructions("Read, and answer in one word.")
    save(program, tmp_path / "mine.json")
    code, out, err = run("sweep", "mine.json", "-c", "world", "--over", "k=2", *ASKED, "--json", "--quiet")
    assert code == 0, err
    assert [row["settings"] for row in ujson.loads(out)["rows"]] == [{"k": 4}, {"k": 2}]
    for folder in ("default", "k-2"):
        header = ujson.loads((tmp_path / "runs" / "sweep-mine" / "points" / folder / "run.json").read_text())
        prompts = header["identity"]["program"]["prompts"]
        assert [each["instructions"] for each in prompts.values()] == ["Read, and answer in one word."]


def test_bad_input_is_one_sentence(run, tmp_path):
    for options, said in (
        ((), "leaves nothing of 'one-step' open for which a range is known; say what to sweep, such as --over "),
        (("--over", "k"), "a sweep goes over NAME=VALUE,VALUE, such as exploration=0.5,1,2, not 'k'."),
        (("--over", "retriever=bm25,dense"), "unknown setting of one-step 'retriever'"),
        (("--over", "kk=3"), "unknown setting of one-step 'kk'; did you mean 'k'? Valid: "),
        (("--over", "k=three"), "setting 'k' of one-step cannot be 'three': "),
        (("--over", "k=1,2,3", "--max-points", 3), "the sweep has 4 points, and 3 are allowed: "),
        (("--over", "k=1", "--max-points", 0), 'Invalid value "0" for --max-points. Must be >= 1.'),
    ):
        code, out, err = run("sweep", "one-step", *options, *ASKED, "--out", tmp_path / "swept")
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1
    assert not (tmp_path / "swept").exists()


def test_calls_that_are_used_up_before_a_question_is_answered(run, tmp_path):
    asked = ("sweep", "iter-retgen", "--over", "k=2,3", "--set", "turns=3", *ASKED, "--out", tmp_path / "swept")
    code, out, _ = run(*asked, "--concurrency", 1, "--max-calls", 1)
    assert code == 0
    assert "iter-retgen over k, on no LM, 0 questions" in " ".join(out.split())
    told = " ".join(out.split())
    assert "The LM calls are used up after 0 of 3 points; the same command with more goes on from here" in told
    code, out, _ = run(*asked, "--max-calls", 999)
    assert code == 0
    assert "3 questions" in " ".join(out.split())


def test_a_sweep_whose_questions_all_fail_is_no_result(run, tmp_path):
    asked = ("sweep", "one-step", "--over", "k=2", "--limit", 3, "--timeout", 1e-6, "--lm", "simulated")
    code, out, err = run(*asked, "--out", tmp_path / "swept")
    assert code == 1
    assert "5 (default)" in out
    assert "every question failed, the first with " in err


def test_a_damaged_table_and_a_sweep_among_runs_are_refused(run, tmp_path):
    folder = tmp_path / "swept"
    folder.mkdir()
    (folder / "sweep.json").write_text("{}")
    code, _, err = run("view", folder)
    assert code == 2
    assert err.endswith("is damaged (KeyError('stopped')); the same `multihop sweep` writes it again.\n")
    code, _, err = run("view", folder, folder)
    assert (code, err) == (2, f"multihop: {folder} is a sweep, which has a page of its own; give it alone.\n")
    code, _, err = run("view", folder, "--corpus", "world")
    assert (code, err) == (
        2,
        "multihop: --corpus goes with runs; the page of a sweep shows figures alone.\n",
    )
