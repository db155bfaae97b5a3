"""Protocols: over the corpus that they name and no other, with what it lacks beside every figure."""

import shutil

import pytest
import ujson
from small_corpus import write_lines

from multihop import InputError, Little
from multihop.base import MismatchError
from multihop.data import known_set
from multihop.encoder import taught
from multihop.experiments import open_experiment, reproduce, study_inputs
from multihop.experiments.study_inputs import check_corpus, coverage_notes

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
MINE = """
title = "Two sets"
paper = "mine"
place = "Table 1"
lm = "local"
columns = [
  { set = "one", metric = "em" }, { set = "one", metric = "recall@5" }, { set = "two", metric = "em" },
  { set = "mean", metric = "em" },
]

[sets.one]
questions = "little"
limit = 3

[sets.two]
questions = "little:dev"
limit = 4

[[rows]]
name = "ours"
program = "one-step"
published = [30, "–", 50, 40]

[[rows]]
name = "theirs"
lm = "another LM"
published = [10, 20, "–", "–"]
"""


@pytest.fixture
def shelf(town, tmp_path, monkeypatch):
    """A folder with protocol A's sets as they are fetched, of eight questions and a corpus without one gold page."""
    questions, gone = list(Little().questions())[:8], next(Little().questions()).supporting[0]
    pages = [page._asdict() for page in Little().passages() if page.id != gone]
    for name in SETS:
        home = tmp_path / "data" / f"{name}-1000"
        home.mkdir(parents=True)
        shutil.copy(town["questions"], home / "dev.jsonl")
        write_lines(home / "corpus.jsonl", pages)
    small = {f"{name}-1000": known_set(f"{name}-1000")._replace(passages=len(pages)) for name in SETS}
    monkeypatch.setattr(study_inputs, "known_set", lambda name: small.get(name) or known_set(name))
    return tmp_path / "data", questions


@pytest.fixture
def planted(shelf, tmp_path, monkeypatch):
    """Two questions that are said to have taught the built-in networks."""
    file = tmp_path / "taught.bin"
    file.write_bytes(taught.packed([taught.words_of(shelf[1][2].question), shelf[1][4].id]))
    monkeypatch.setattr(taught, "FILE", file)
    taught._kept.cache_clear()
    yield
    taught._kept.cache_clear()


def test_a_protocol_says_what_its_corpus_lacks_and_what_taught_the_networks(shelf, planted, tmp_path):
    row = "bm25, local reads"
    for _ in range(2):  # the second time from what the folder keeps
        table = reproduce("protocol-a", out=tmp_path / "out", data=shelf[0], rows=[row], limit=8)
    lacking = sum(shelf[1][0].supporting[0] in each.supporting for each in shelf[1])
    assert f"HotpotQA: {lacking} of 8 questions have gold that the corpus lacks" in table["caveats"]
    told = [each for each in table["caveats"] if each.startswith(f"{row} on musique: 2 of 8 questions taught")]
    assert "without them" in "".join(told)
    lines = [line for line in (tmp_path / "out" / "table.md").read_text().splitlines() if line.startswith("| ")]
    ours = [line for line in lines if "±" in line or "lack gold" in line]
    assert [f"{100 * lacking / 8:.1f} % lack gold" in line for line in ours] == [True] * 12
    published = next(each for each in table["rows"] if each["row"].startswith("NV-Embed") and each["set"] == "MuSiQue")
    assert [cell["published"] for cell in published["cells"]] == [None, 69.7, 34.7, 45.7]
    assert (published["lm"], published["n"], published["folder"]) == ("Llama-3.3-70B-Instruct", 0, "")


def test_another_corpus_is_refused_before_anything_is_asked(shelf, tmp_path):
    with pytest.raises(MismatchError, match=r"asked of the \d+ passages of hotpotqa-1000, and .* has 200: .* data get"):
        other = write_lines(tmp_path / "other.jsonl", [page._asdict() for page in Little().passages()])
        reproduce("protocol-a", out=tmp_path / "out", data=shelf[0], corpus={"hotpotqa": str(other)}, limit=2)
    assert not list((tmp_path / "out").rglob("run.json"))
    (shelf[0] / "hotpotqa-1000" / "set.json").write_text(
        ujson.dumps(
            {**dict.fromkeys(("title", "licence", "citation", "homepage"), ""), "name": "musique-1000", "files": {}}
        )
    )
    with pytest.raises(MismatchError, match=r"hotpotqa-1000, and .* is of musique-1000: "):
        reproduce("protocol-a", out=tmp_path / "out", data=shelf[0], limit=2)


def test_a_corpus_that_cannot_be_looked_at_is_told(shelf):
    asked = open_experiment("protocol-b").sets["nq"]
    found = check_corpus(asked, "http://localhost:1", [])
    assert coverage_notes([(asked, found)]) == [
        "37 % of sampled questions cannot be answered from wiki18",
        "whether what is searched is wiki18 could not be checked",
    ]
    assert found.note == "37 % unanswerable"
    fixed = open_experiment("protocol-b-fixed").sets["nq"]
    assert not check_corpus(fixed, str(shelf[0] / "hotpotqa-1000" / "corpus.jsonl"), []).checked


def test_a_set_that_is_not_there_names_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"multihop data get flashrag-nq --to data/flashrag-nq gets it"):
        reproduce("protocol-b", out=tmp_path / "out", data=tmp_path, limit=1)
    with pytest.raises(InputError, match=r"over: unknown question set 'wiki19'; did you mean 'wiki"):
        (tmp_path / "mine.toml").write_text(MINE.replace("limit = 3", 'limit = 3\nover = "wiki19"'))
        open_experiment(tmp_path / "mine.toml")


def test_the_mean_over_all_sets_stands_last(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    table = reproduce(tmp_path / "mine.toml", out=tmp_path / "out", lm="local")
    ours, theirs = [each for each in table["rows"] if each["set"] == "The mean of 2 sets"]
    one, two = (each["cells"][0] for each in table["rows"] if each["row"] == "ours" and each["n"])
    assert ours["cells"][0]["ours"] == pytest.approx((one["ours"] + two["ours"]) / 2)
    assert (ours["cells"][0]["published"], ours["cells"][0]["n"], theirs["cells"][0]["ours"]) == (40, 7, None)
    with pytest.raises(InputError, match=r"rows\[2\]\.program: it is missing"):
        (tmp_path / "mine.toml").write_text(MINE.replace("published = [10, 20", "note = 'x' #"))
        open_experiment(tmp_path / "mine.toml")
