import io
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import ujson
from rich.console import Console
from small_town import PASSAGES, QUESTIONS, Remembering

from multihop import diagnose
from multihop.cli.showing.diagnosing import show_diagnosis
from multihop.diagnosis import HopRecall


@pytest.fixture
def town(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "corpus.jsonl").write_text("".join(ujson.dumps(page._asdict()) + "\n" for page in PASSAGES))
    rows = [
        {"id": each.id, "question": each.question, "answers": each.answers, "supporting": each.supporting}
        for each in QUESTIONS
    ]
    (tmp_path / "asked.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in rows))
    own = [{**row, "paragraphs": [page._asdict() for page in PASSAGES[:4]]} for row in rows]
    (tmp_path / "own.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in own))
    return tmp_path


def lines(out):
    assert max(map(len, out.splitlines())) <= 80
    return " ".join(out.split())


@pytest.mark.usefixtures("town")
def test_the_corpus_alone(run):
    code, out, err = run("diagnose", "corpus.jsonl")
    assert (code, err) == (0, "")
    told = lines(out)
    for figures in (
        "passages 6, 0.2 kB of text",
        "words 4 a passage; median 6, 19 of 20 up to 7, longest 7",
        "index about 0.6 kB for bm25, 5.1 kB for dense",
        "titles 1 (17 %) without one, 2 (33 %) share theirs with another passage",
        "texts 1 (17 %) empty, 2 (33 %) repeat another's",
        "links 0.7 other titles named a passage; 67 % name any what follows",
        "1. there are only 6 passages",
    ):
        assert figures in told
    assert "gold" not in told


@pytest.mark.usefixtures("town", "tiny_encoder")
def test_questions_over_a_corpus(run):
    code, out, err = run("diagnose", "corpus.jsonl", "-q", "asked.jsonl")
    assert (code, err) == (0, "")
    told = lines(out)
    for figures in (
        "questions 2, 2 with known gold",
        "gold 4 of 4 passages are in the corpus",
        "matching recall matched by id (2 questions)",
        "links in 100 % of the questions a gold page names another's title (100 % of all pairs)",
        "hops of 2 questions, read from the gold by rule",
        "hits recall all hop 1 hop 2",
        "100 75.0 ############### 50.0 100.0 50.0",
        "20 hits + pages they name + hits for their titles",
        "ranked-rag on 2 questions: recall@5",
    ):
        assert figures in told


def test_a_terminal_gets_bars_in_colour_and_its_width_is_kept():
    said = io.StringIO()
    found = diagnose(PASSAGES, QUESTIONS, retriever=Remembering(), sample=0)
    show_diagnosis(found, Console(file=said, force_terminal=True, width=80, color_system="standard"))
    plain = re.sub(r"\x1b\[[\d;]*m", "", said.getvalue())
    assert plain != said.getvalue()
    assert max(map(len, plain.splitlines())) <= 80
    rows = [line.split() for line in plain.splitlines()]
    assert ["1", "50.0", "█" * 10, "0.0", "100.0", "0.0"] in rows
    assert ["5", "75.0", "█" * 15, "50.0", "100.0", "50.0"] in rows
    assert "20 hits + pages they name + hits for their titles 6 100.0 100.0".split() in rows


def test_four_hops_fit_in_80_columns_and_a_fifth_is_left_out():
    found = diagnose(PASSAGES, QUESTIONS, retriever=Remembering(), sample=0)
    hops = tuple(HopRecall(number, 5, (1.0,) * 7) for number in range(1, 6))
    said = io.StringIO()
    show_diagnosis(replace(found, questions=replace(found.questions, hops=hops)), Console(file=said, width=80))
    assert max(map(len, said.getvalue().splitlines())) <= 80
    assert "hits recall all hop 1 hop 2 hop 3 hop 4".split() in [line.split() for line in said.getvalue().splitlines()]
    assert "█" not in said.getvalue()


@pytest.mark.usefixtures("town")
def test_json_has_what_python_has(run):
    code, out, err = run("diagnose", "corpus.jsonl", "-q", "asked.jsonl", "--sample", 0, "--json")
    assert (code, err) == (0, "")
    found = asdict(diagnose(PASSAGES, QUESTIONS, sample=0))
    assert ujson.loads(out) == ujson.loads(ujson.dumps(found))
    assert ujson.loads(out)["questions"]["depths"][2]["k"] == 5
    assert ujson.loads(out)["advice"][0]["rule"] == "small corpus"


@pytest.mark.usefixtures("town")
def test_an_index_another_retriever_and_fewer_questions(run):
    assert run("index", "corpus.jsonl", "--to", "index")[0] == 0
    over = [
        ujson.loads(run("diagnose", *corpus, "-q", "asked.jsonl", "--limit", 1, "--sample", 0, "--json")[1])
        for corpus in (["index"], ["corpus.jsonl"], ["-c", "corpus.jsonl", "--retriever", "bm25"])
    ]
    assert over[0] == over[1] == over[2]
    assert over[0]["questions"]["questions"] == 1
    assert over[0]["retriever"].startswith("bm25-")


@pytest.mark.usefixtures("town")
def test_questions_that_bring_their_own_paragraphs(run):
    code, out, err = run("diagnose", "-q", "own.jsonl", "--sample", 0, "--json")
    assert (code, err) == (
        0,
        "multihop: no --corpus, so the own paragraphs of the questions in own.jsonl are searched.\n",
    )
    found = ujson.loads(out)
    assert (found["corpus"]["passages"], found["questions"]["gold"]["matched_by"]) == (4, {"id": 2})
    assert ujson.loads(run("diagnose", "own.jsonl", "--json")[1])["corpus"] == found["corpus"]


@pytest.mark.usefixtures("tiny_encoder")
def test_the_world_is_told_by_itself_and_asked(run):
    code, out, err = run("diagnose", "-q", "world", "--limit", 20, "--sample", 2)
    assert (code, err) == (0, "")
    told = lines(out)
    assert "questions 20, 20 with known gold" in told
    assert "hops of 20 questions, told by the set" in told
    assert "ranked-rag on 2 questions" in told


@pytest.mark.usefixtures("town", "tiny_encoder")
def test_what_would_take_long_is_left_out_and_how_to_have_it_all_the_same(run, monkeypatch):
    monkeypatch.setattr("multihop.diagnosis.gain.MOST_WORDS", 200)
    question = ("diagnose", "corpus.jsonl", "-q", "asked.jsonl")
    reason = "ranked-rag was not compared: 2 questions are about 270 words to read, more than 200"
    assert f"{reason}; --deep compares it all the same" in lines(run(*question)[1])
    assert "ranked-rag on 2 questions: recall@5" in lines(run(*question, "--deep")[1])
    assert "ranked-rag was not compared: no sample was asked for what" in lines(run(*question, "--sample", 0)[1])


@pytest.mark.usefixtures("town")
def test_questions_over_another_corpus_have_no_recall(run, town):
    row = {"id": "q", "question": "Who?", "answers": ["Ada"], "supporting": ["Bath (city)"]}
    (town / "other.jsonl").write_text(ujson.dumps(row))
    code, out, err = run("diagnose", "corpus.jsonl", "-q", "other.jsonl")
    assert (code, err) == (0, "")
    told = lines(out)
    assert "gold 0 of 1 passages are in the corpus" in told
    assert "ranked-rag was not compared: no gold passage was recognised what follows" in told
    assert "it is another corpus, or its fields have other names" in told
    assert "hits" not in told.partition("what follows")[0]


@pytest.mark.usefixtures("town")
def test_bad_records_are_left_out_and_counted(run, town):
    with (town / "corpus.jsonl").open("a") as file:
        file.write("{}\n")
    code, out, err = run("diagnose", "corpus.jsonl", "--skip-bad", 1, "--json")
    assert (code, ujson.loads(out)["corpus"]["passages"]) == (0, 6)
    assert "1 bad record was left out" in err
    code, out, err = run("diagnose", "corpus.jsonl", "-q", "asked.jsonl", "--skip-bad", 1, "--sample", 0, "--json")
    assert (code, ujson.loads(out)["corpus"]["passages"]) == (0, 6)
    assert err.count("1 bad record was left out") == 1


@pytest.mark.usefixtures("town")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what to look at: multihop diagnose CORPUS"),
        (["missing.jsonl"], "missing.jsonl"),
        (["corpus.jsonl", "-q", "missing.jsonl"], "missing.jsonl"),
        (["-q", "asked.jsonl"], "bring no paragraphs to search; give --corpus"),
        (["asked.jsonl"], "questions without paragraphs of their own; give a corpus"),
        (["corpus.jsonl", "--sample", "-1"], "--sample"),
        (["corpus.jsonl", "-q", "corpus.jsonl"], "corpus.jsonl"),
        (["corpus.jsonl", "-q", "asked.jsonl", "--limit", "0"], "--limit"),
        (["corpus.jsonl", "--field", "text"], "name=field"),
    ],
)
def test_bad_input_gets_one_sentence(run, arguments, said):
    code, out, err = run("diagnose", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("multihop: ")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.seconds
def test_the_page_shows_what_is_said_of_real_questions_today(run, monkeypatch):
    """Four seconds: it is the one test over thousands of real passages."""
    name, data = "hotpotqa", Path(__file__).parents[3] / "shared" / "data"
    if not (data / f"{name}.dev.jsonl.gz").exists():
        pytest.skip("the real questions are not here: no ../shared/data beside the repository")
    monkeypatch.setenv("COLUMNS", "80")
    page = (Path(__file__).parents[2] / "docs" / "diagnose.md").read_text()
    shown = page.partition(f"{name}.dev.jsonl.gz --sample 40\n")[2].partition("ranked-rag on")[0]
    code, out, err = run(
        "diagnose", data / f"{name}.corpus.jsonl.gz", "-q", data / f"{name}.dev.jsonl.gz", "--sample", 0
    )
    assert (code, err) == (0, "")
    assert shown.split() == out.partition("ranked-rag was not")[0].split()
