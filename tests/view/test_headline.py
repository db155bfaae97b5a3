import re

from written_runs import failed, row

from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.summary import summarize
from multihop.view import write_run_page
from multihop.view.page import name_source, say_run


def said(folder, name="tor", **changes):
    header = {**read_header(folder), **changes}
    return say_run({"name": name, "header": header, "summary": summarize(read_rows(folder), header)})


def test_set_share_quality_and_cost(a_run):
    run = a_run("a", [row(f"q{place}", [], right=place % 2 == 0) for place in range(20)])
    identity = {**read_header(run)["identity"], "data": {"questions": 416}}
    assert re.fullmatch(
        r"tor on HotpotQA dev, 20 of 416 questions: F1 50\.0, \d\d to \d\d, 3\.0 calls a question",
        said(run, source="hotpotqa/dev.jsonl", identity=identity),
    )
    assert said(run, identity={**identity, "data": {"questions": 20}}).startswith("tor, 20 questions: ")


def test_what_a_reader_must_not_miss(a_run):
    rows = [row("q1", []), row("q2", [], status="over_budget"), failed("q3")]
    told = said(a_run("a", rows), status="interrupted")
    assert told.endswith("1 failed, 1 cut short by the budget, not whole: interrupted")
    assert "F1 100.0, 3.0 calls" in told


def test_two_runs_are_told_by_their_difference_and_more_by_their_range(a_run, tmp_path):
    half = [row(f"q{place}", [], right=place % 2 == 0) for place in range(8)]
    full = [row(f"q{place}", []) for place in range(8)]
    runs = [a_run("a", half, program="resp"), a_run("b", full, program="tor"), a_run("c", full, program="mzqa")]

    def first_line(some):
        page = write_run_page(some, tmp_path / "page.html").read_text(encoding="utf-8")
        return re.search(r"<h1>(.*?)</h1>", page)[1]

    two = first_line(runs[:2])
    assert two.startswith("tor against resp, 8 questions that both answered: F1 +50.0, −1.1 to +81.1, ")
    assert "3.0 calls a question against 3.0" in two
    three = first_line(runs)
    assert three.startswith("3 runs: F1 from 50.0 of resp to 100.0 of tor, 3.0 to 3.0 calls a question")


SOURCES = {
    "little": "the little encyclopedia",
    "little:dev": "the little encyclopedia (dev)",
    "data/hotpotqa.dev.jsonl.gz": "HotpotQA dev",
    "2wikimultihopqa/test.parquet": "2WikiMultiHopQA test",
    "hub:hotpotqa:dev": "HotpotQA dev",
    "hub:me/mine:train": "me/mine train",
    "mine/questions.csv": "questions.csv",
}


def test_a_source_has_the_name_of_its_set():
    assert {source: name_source(source) for source in SOURCES} == SOURCES
