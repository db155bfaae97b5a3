import base64
import gzip
import json

import pytest
from written_runs import HOSTILE, rows

from multihop import DamagedFileError, InputError, MismatchError, Passage
from multihop.view.run_page import LARGEST, describe_whole_run, pack_in_chunks

CORPUS = [Passage("p1", "Night Train", "By Jerzy."), Passage("p2", "Jerzy", "Born in Łódź."), Passage("x", "No", "No.")]


def unpacked(page):
    return [each for chunk in page["chunks"] for each in json.loads(gzip.decompress(base64.b64decode(chunk)))]


def test_the_card_says_what_was_run_and_what_must_be_known_first(a_run):
    card = describe_whole_run(a_run("first", rows(), status="interrupted"))["card"]
    assert (card["program"], card["lm"], card["folder"]) == ("tor", "openai/gpt", "first")
    assert card["warnings"] == [
        "1 of 5 questions was cut short by the budget.",
        "The run is not whole: it was interrupted.",
        "A slice: the first 5 of 40 questions were asked.",
        "1 of 5 questions failed and are in no mean.",
        "Only 5 questions: mind the intervals.",
    ]
    facts = dict(card["facts"])
    assert facts["LM"] == "openai/gpt (temperature 0.5)"
    assert facts["searched by"] == "bm25-1234"
    assert facts["came to"] == "3 answered, 1 answered when the budget ran out, 1 error"
    assert facts["begun"] == "2026-01-02 03:04:05 UTC"
    assert card["settings"] == [("depth", "2"), ("widths", "[4,2]"), ("budget", "none")]
    assert card["prompts"][0]["demos"] == [[("question", HOSTILE)]]


def test_the_figures_are_those_of_the_summary(a_run):
    figures = describe_whole_run(a_run("first", rows()))["figures"]
    em = next(bar for bar in figures["bars"] if bar["name"] == "em")
    assert (em["text"], em["n"], em["mean"]) == ("50.0 (n=4)", 4, 50.0)
    assert em["low"] <= em["mean"] <= em["high"]
    assert figures["steps"] == [
        {"step": "review", "calls": 2.0, "share": 66.7, "tokens": 90.0},
        {"step": "read", "calls": 1.0, "share": 33.3, "tokens": 30.0},
    ]
    assert ("LM calls", "3.00", "15") in figures["cost"]
    assert ("tokens in, m", "100", "500") in figures["cost"]
    assert figures["errors"] == [("TimeoutError", 1)]
    assert figures["seconds"][0] == ("a question, half of them within", "0.50 s")
    assert figures["counts"] == [("rounds", "2.00")]


def test_the_table_has_a_column_for_each_value(a_run):
    table = describe_whole_run(a_run("first", rows()))["questions"]
    assert table["id"] == ["q1", "q2", "q3", "q4", "q10"]
    assert table["outcome"] == ["right", "wrong", "right", "wrong", "error"]
    assert table["complete"] == [True, True, False, False, None]
    assert table["status"] == ["ok", "ok", "ok", "over_budget", "error"]
    assert table["answer"] == ["Łódź", "Warsaw", "Łódź", HOSTILE, "TimeoutError"]
    assert table["metrics"]["recall@5"] == [1.0, 1.0, 0.5, 0.5, None]
    assert table["tokens"] == [120] * 5


def test_each_question_is_packed_with_what_became_of_its_gold(a_run):
    page = describe_whole_run(a_run("first", rows()))
    records = unpacked(page)
    assert page["chunk_sizes"] == [5]
    assert [(gold["title"], gold["rank"], gold["found"]) for gold in records[2]["gold"]] == [
        ("P1", 1, True),
        ("P2", None, True),
    ]
    assert [step["step"] for step in records[0]["steps"]] == ["branches", "read"]
    assert records[4]["error"] == {"type": "TimeoutError", "message": HOSTILE}
    assert "texts" not in records[0]


def test_texts_and_titles_come_from_the_corpus_and_another_one_is_refused(a_run):
    records = unpacked(describe_whole_run(a_run("first", rows()), lambda: CORPUS))
    assert records[0]["texts"] == {"p1": "By Jerzy.", "p2": "Born in Łódź."}
    assert [gold["title"] for gold in records[4]["gold"]] == ["Night Train", "Jerzy"]
    with pytest.raises(MismatchError, match="none of the 5 passages of the run is in the corpus, such as 'p1'"):
        describe_whole_run(a_run("other", rows()), lambda: CORPUS[2:])


def test_a_run_without_a_question_or_with_half_a_row_is_refused(a_run):
    with pytest.raises(InputError, match="is a run without a finished question; there is nothing to show"):
        describe_whole_run(a_run("empty", []))
    half = {name: value for name, value in rows()[0].items() if name != "evidence"}
    with pytest.raises(DamagedFileError, match="the row of question 'q1' is damaged: it lacks 'evidence'"):
        describe_whole_run(a_run("half", [half]))


def test_large_records_have_chunks_of_their_own():
    records = ["a" * LARGEST, "b", "c", "d" * LARGEST]
    chunks = list(pack_in_chunks(records))
    assert [count for count, _ in chunks] == [1, 2, 1]
    assert unpacked({"chunks": [chunk for _, chunk in chunks]}) == records
