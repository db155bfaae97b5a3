import re
from collections import Counter

import pytest
import ujson
from misfits import misfits

from multihop import MismatchError, scripted
from multihop.__main__ import main
from multihop.base import RunFailed
from multihop.experiments import reproduce
from multihop.experiments.study_table import StudyTable

MINE = """
title = "Two ways to ask"
paper = "mine"
place = "Table 1"
lm = "a-model"
retriever = "Contriever"
corpus = "Wikipedia"
shots = 3
runs = 3
differs = ["The paper asks others."]
sets.small = { title = "Small", questions = "questions.jsonl", corpus = "corpus.jsonl", limit = 500 }
columns = [
  { set = "small", metric = "em" },
  { set = "small", metric = "f1" },
  { set = "small", metric = "calls", title = "#API" },
  { set = "small", metric = "em", hops = 3 },
  { set = "small", metric = "count:rounds/calls" },
  { set = "small", metric = "unmeasured" },
]

[[rows]]
name = "closed book"
program = "direct"
repeats = 1
published = [10.0, 20.5, 1, "–", "–", 4]

[[rows]]
name = "two turns"
program = "iter-retgen"
repeats = 1
settings = { turns = 2, k = 1 }
published = [40.0, 50.0, 2, 30.0, "–", "–"]
"""
ASKED = [
    {"id": "q1", "question": "Who wrote Emma?", "answers": ["Jane Austen"], "hops": 2},
    {"id": "q2", "question": "Who wrote it?", "answers": ["Jane"], "hops": 3},
    {"id": "q3", "question": "Where?", "answers": ["here"], "hops": 3},
    {"id": "q4", "question": "When?", "answers": ["now"], "hops": 2},
]
SAID = {"Who wrote Emma?": "Jane Austen", "Who wrote it?": "Jane Austen", "Where?": "there", "When?": "now"}


@pytest.fixture
def mine(write_study):
    return write_study(MINE, ASKED)


class Knows:
    """An LM that answers from a table and counts what it is asked; it dies at one call."""

    def __init__(self, dies_at=None):
        self.asked, self.dies_at = 0, dies_at
        self.lm = scripted(self.answer)

    def answer(self, prompt):
        if self.asked == self.dies_at:
            raise KeyboardInterrupt
        self.asked += 1
        return {"reasoning": "", "answer": SAID[prompt.inputs["question"]]}


def made(lm, **options):
    return reproduce("mine.toml", out="out", lm=lm, concurrency=1, **options)


def figures(table):
    return [(row["row"], row["n"], [cell["ours"] for cell in row["cells"]]) for row in table["rows"]]


def test_a_table_by_hand(mine, tmp_path):
    table = made(Knows().lm)
    closed, turns = table["rows"]
    assert [row["row"] for row in table["rows"]] == ["closed book", "two turns"]
    assert (closed["n"], closed["errors"], closed["calls"], closed["paid_calls"]) == (4, 0, 1.0, 4)
    assert (turns["calls"], turns["paid_calls"], turns["settings"]) == (2.0, 8, {"turns": 2, "k": 1})
    em, f1, calls, hops, ratio, nothing = closed["cells"]
    assert (em["ours"], em["published"], em["difference"], em["n"]) == (50.0, 10.0, 40.0, 4)
    assert (em["low"], em["high"]) == (None, None)  # of four questions
    assert f1["ours"] == pytest.approx(100 * (1 + 2 / 3 + 0 + 1) / 4, abs=1e-4)
    assert f1["difference"] == pytest.approx(66.6667 - 20.5, abs=1e-3)
    assert {each["published_lm"] for each in closed["cells"]} == {closed["lm"]} == {"a-model"}
    assert (calls["measure"], calls["ours"], calls["difference"]) == ("#API", 1.0, 0.0)
    assert (hops["measure"], hops["ours"], hops["n"], hops["difference"]) == ("EM, 3 hops", 0.0, 2, None)
    assert [(each["ours"], each["low"]) for each in (ratio, nothing)] == [(None, None), (None, None)]
    assert turns["cells"][4]["ours"] == 100.0  # two rounds over two calls
    assert ujson.loads((tmp_path / "out" / "table.json").read_text()) == table
    assert misfits(table, StudyTable, "table.json") == set()
    page = (tmp_path / "out" / "table.md").read_text()
    assert "| closed book | EM | 10.0 | 50.0 | – | +40.0 | 1.0 |" in page
    assert "|  | unmeasured | 4.00 | – | – | – |  |  |  |" in page
    assert (tmp_path / "out" / "experiment.toml").read_text() == MINE


def test_the_first_line_says_what_sets_it_apart(mine, tmp_path):
    table = made(Knows().lm, limit=2, rows=["two turns"], budget_calls=9)
    page = (tmp_path / "out" / "table.md").read_text()
    assert table["caveats"] == [
        f"answered by {table['rows'][1]['lms'][0]}, not a-model",
        "2 questions, not 500",
        "searched by bm25, not Contriever",
        "over corpus.jsonl, not Wikipedia",
        "no demonstrations, where the paper shows 3",
        "one run, where the paper has the mean of 3",
        "at most 9 LM calls a question, where the paper has no limit",
        "1 of 2 runs are begun; the others show '–'",
    ]
    assert page.startswith(f"**Not the published setting: {'; '.join(table['caveats'])}.**\n")
    assert (table["rows"][0]["n"], table["rows"][0]["cells"][0]["ours"]) == (0, None)
    assert table["rows"][0]["cells"][0]["published"] == 10.0
    assert "The paper asks others." in page


def test_the_first_line_says_what_a_judge_failed_on_and_what_was_cut_short(mine, tmp_path):
    (tmp_path / "mine.toml").write_text(MINE.replace('metric = "unmeasured"', 'metric = "judged"'))
    judge = scripted(lambda prompt: {"correct": True} if prompt.inputs["question"] == "Where?" else "hm")
    table = made(Knows().lm, judge=judge, rows=["two turns"], budget_calls=1)
    assert table["caveats"][-2:] == [
        "judged failed on 3 answers, which its intervals count against it",
        "4 of 4 questions were cut short by the budget",
    ]
    judged = table["rows"][1]["cells"][-1]
    assert (judged["ours"], judged["n"], judged["asked"], judged["low"]) == (100.0, 1, 4, None)


def test_the_files_that_the_experiment_names_may_be_in_another_folder(mine, tmp_path):
    (tmp_path / "data").mkdir()
    for name in ("questions.jsonl", "corpus.jsonl"):
        (tmp_path / name).rename(tmp_path / "data" / name)
    table = made(Knows().lm, data="data")
    assert [row["asked"] for row in table["rows"]] == ["data/questions.jsonl"] * 2
    assert not any("in the place of" in each for each in table["caveats"])


def test_what_a_kill_leaves_is_finished_without_asking_twice(mine):
    whole = reproduce(mine, out="whole", lm=Knows().lm, concurrency=1)
    lives = [Knows(dies_at=3), Knows(dies_at=5), Knows()]
    for knows in lives[:2]:
        with pytest.raises(KeyboardInterrupt):
            made(knows.lm)
    assert figures(made(lives[2].lm)) == figures(whole)
    assert 12 <= sum(knows.asked for knows in lives) <= 14  # what was under way when it died is asked again


def test_calls_are_counted_over_all_invocations(mine):
    counts = []
    for most in (3, 7, 7, 20):
        knows = Knows()
        table = made(knows.lm, max_calls=most)
        counts.append((knows.asked, table["stopped"], [row["n"] for row in table["rows"]]))
    assert counts == [
        (3, True, [2, 0]),  # the question whose call was the last one is asked again
        (4, True, [4, 0]),
        (0, True, [4, 0]),
        (8, False, [4, 4]),
    ]


def test_rows_of_other_settings_are_refused(mine, tmp_path):
    made(Knows().lm, rows=["two turns"])
    (tmp_path / "mine.toml").write_text(MINE.replace("turns = 2", "turns = 3"))
    said = r"out/two-turns/small was made with program.settings.turns = 2, and now it"
    with pytest.raises(MismatchError, match=said):
        made(scripted([]), rows=["closed book"])
    (tmp_path / "mine.toml").write_text(MINE)
    with pytest.raises(MismatchError, match=r"was made with draw = null, and now it is 1"):
        made(scripted([]), rows=["closed book"], seed=1)


def test_each_step_is_answered_by_the_lm_that_the_row_names(little_files, tmp_path):
    spoken = {"small": Counter(), "large": Counter()}

    def lm(name):
        def answer(prompt):
            spoken[name].update(field.name for field in prompt.output_fields)
            return {"enough": True, "summary": "A summary.", "answer": "word", "sub_question": "Who?"}

        return scripted(answer)

    options = {"rows": ["generator Llama3-70B-Instruct"], "limit": 1, **little_files}
    table = reproduce("resp-table-2", out=tmp_path, lm=lm("small"), lms={"Llama3-70B-Instruct": lm("large")}, **options)
    assert spoken == {"small": Counter(summary=1, enough=1), "large": Counter(answer=1)}
    assert not any("was not given" in each for each in table["caveats"])
    again = reproduce("resp-table-2", out=tmp_path / "2", lm=lm("small"), **options)
    assert "Llama3-70B-Instruct was not given: the study's own LM answers there" in again["caveats"]


def run(capsys, *arguments):
    code = main(list(map(str, arguments)))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_dry_run_asks_nothing_and_says_what_would_be_asked(mine, capsys, tmp_path):
    code, out, _ = run(capsys, "reproduce", mine, "--dry-run")
    assert code == 0
    assert re.search(r"two turns +Small +4 +0 +8 ", out)
    assert "2 runs, 8 questions, at most 12 LM calls" in " ".join(out.split())
    assert not (tmp_path / "runs").exists()
    reproduce(mine, out="runs/mine", lm=Knows().lm, rows=["two turns"], limit=3)
    _, out, _ = run(capsys, "reproduce", mine, "--dry-run")
    assert re.search(r"two turns +Small +4 +3 +2 ", out)
    code, _, err = run(capsys, "reproduce", mine, "--dry-run", "--rows", "nobody")
    assert (code, err) == (2, "multihop: unknown row of mine 'nobody'. Valid: closed book, two turns\n")


def test_the_commands_fit_into_eighty_columns(mine, capsys, monkeypatch, tiny_encoder):
    monkeypatch.setenv("COLUMNS", "80")
    for command in (["experiments", "tor-table-1"], ["reproduce", "resp-table-1", "--dry-run"]):
        code, out, _ = run(capsys, *command)
        assert code == 0
        assert max(len(line) for line in out.splitlines()) <= 80
        assert "…" not in out
    code, out, err = run(capsys, "reproduce", mine, "--lm", "local", "--limit", "2")
    assert code == 0, err
    assert out.startswith("Not the published setting: answered by multihop/local@")
    assert "runs/mine/table.md and runs/mine/table.json hold the table" in out


def test_a_server_that_is_gone_for_the_last_questions_of_a_row_leaves_no_table_until_it_is_back(mine):
    knows, gone = Knows(), {"Who wrote it?", "Where?", "When?"}

    def answer(prompt):
        return ConnectionError("nobody is there") if prompt.inputs["question"] in gone else knows.answer(prompt)

    lm = scripted(answer)
    told = r"nobody is there\. The last 3 questions all failed in this way; the same command asks them again for out/"
    with pytest.raises(RunFailed, match=told):
        made(lm, rows=["closed book"])
    gone.clear()
    assert figures(made(lm, rows=["closed book"]))[0][1] == 4
    assert knows.asked == 4
