import base64
import gzip
import json
from pprint import pformat

import pytest
from golden import check_picture
from written_runs import HOSTILE, rows

from multihop import DamagedFileError, InputError, MismatchError, Passage
from multihop.view.run_page import LARGEST, describe_whole_run, pack_in_chunks

CORPUS = [Passage("p1", "Night Train", "By Jerzy."), Passage("p2", "Jerzy", "Born in Łódź."), Passage("x", "No", "No.")]


def unpacked(page):
    return [each for chunk in page["chunks"] for each in json.loads(gzip.decompress(base64.b64decode(chunk)))]


def test_what_is_told_of_a_run_is_as_its_picture_shows(a_run):
    told = describe_whole_run(a_run("first", rows(), status="interrupted"))
    for part in ("card", "figures", "questions"):
        shown = pformat(told[part], width=118, sort_dicts=False)
        check_picture(f"run-{part}", shown)


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
