"""A known set fetched from the hub or a copy: what is written, what is checked, and how it goes on after a failure."""

import json
import shutil

import pytest
from filelock import FileLock
from hub_server import HubServer
from hub_sets import PAGES, make_repositories

from multihop.base import DamagedFileError, InputError, MismatchError
from multihop.data import fetch_set, open_corpus, open_questions
from multihop.data.fetching import checksum
from multihop.data.question import content_id

VALIDATION = "distractor/validation-00000-of-00001.parquet"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    with HubServer(make_repositories(tmp_path / "hub")) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def to(tmp_path):
    return tmp_path / "to"


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_whole_set_with_a_corpus_of_its_paragraphs(hub, to):
    record = fetch_set("hotpotqa", to)
    assert files(to) == ["corpus.jsonl", "dev.jsonl", "set.json", "train.jsonl"]
    assert [question.id for question in open_questions(to / "train.jsonl")] == ["t1", "t2"]
    first = next(iter(open_questions(to / "dev.jsonl")))
    assert (first.id, first.answers, first.supporting) == ("h1", ("Torun",), ("Dusk", "Rosa Tiel"))
    assert {passage.id: passage.text for passage in open_corpus(to / "corpus.jsonl")} == {
        title: "".join(text) for title, text in PAGES.items()
    }
    assert record == json.loads((to / "set.json").read_text())
    assert (record["name"], record["licence"]) == ("hotpotqa", "CC BY-SA 4.0")
    dev = record["files"]["dev.jsonl"]
    assert (dev["records"], dev["sha256"]) == (2, checksum(to / "dev.jsonl"))
    (source,) = dev["made_of"]
    assert len(source.pop("revision")) == 40
    sha256 = checksum(hub.root / "hotpotqa/hotpot_qa" / VALIDATION)
    assert source == {"repository": "hotpotqa/hotpot_qa", "path": VALIDATION, "sha256": sha256}
    corpus = record["files"]["corpus.jsonl"]
    assert (corpus["records"], corpus["made_of"]) == (5, [])


def test_a_corpus_that_is_matched_by_its_text_and_one_alone_in_an_archive(hub, tmp_path):
    fetch_set("hotpotqa-1000", tmp_path / "a")
    alone = content_id("Nobody", "Asks for this.")
    assert [passage.id for passage in open_corpus(tmp_path / "a" / "corpus.jsonl")] == [*PAGES, alone]
    fetch_set("musique-1000", tmp_path / "b")
    (question,) = open_questions(tmp_path / "b" / "dev.jsonl")
    ids = {passage.id for passage in open_corpus(tmp_path / "b" / "corpus.jsonl")}
    assert len(ids) == 5
    assert set(question.supporting) < ids
    fetch_set("wiki18", tmp_path / "c")
    assert files(tmp_path / "c") == ["corpus.jsonl", "set.json"]
    assert next(iter(open_corpus(tmp_path / "c" / "corpus.jsonl"))) == ("0", "Dusk", "".join(PAGES["Dusk"]))


def test_a_split_alone_and_the_rest_later_of_the_same_revision(hub, to, tmp_path):
    first = fetch_set("hotpotqa", to, splits=["dev"])
    assert list(first["files"]) == ["dev.jsonl", "corpus.jsonl"]
    (hub.root / "hotpotqa/hotpot_qa/README.md").write_text("Changed since.")
    whole = fetch_set("hotpotqa", to)
    assert set(whole["files"]) == {"dev.jsonl", "corpus.jsonl", "train.jsonl"}
    assert whole["files"]["corpus.jsonl"] == first["files"]["corpus.jsonl"]
    assert [name for name, _, _ in hub.sent].count(VALIDATION) == 1
    other = fetch_set("hotpotqa", tmp_path / "b", splits=["dev"])
    revisions = [
        {source["revision"] for source in record["files"][name]["made_of"]}
        for record, name in ((first, "dev.jsonl"), (whole, "train.jsonl"), (other, "dev.jsonl"))
    ]
    assert revisions[0] == revisions[1] != revisions[2]


def test_what_is_whole_is_checked_and_not_asked_for_again(hub, to):
    first = fetch_set("hotpotqa-1000", to)
    hub.sent.clear()
    assert fetch_set("hotpotqa-1000", to) == first
    assert hub.sent == []
    (to / "dev.jsonl").unlink()
    assert fetch_set("hotpotqa-1000", to)["files"] == first["files"]
    assert [name for name, _, _ in hub.sent] == ["hotpotqa.json"]
    with (to / "dev.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(DamagedFileError, match=r"to/dev\.jsonl is not as it was fetched: its checksum is not the one"):
        fetch_set("hotpotqa-1000", to)


def test_a_damaged_download_is_deleted_and_named_and_files_that_are_whole_are_kept(hub, to, tmp_path):
    second = "distractor/train-00001-of-00002.parquet"
    hub.damage = {second, "bamboogle/test.jsonl"}
    with pytest.raises(DamagedFileError, match=rf"^{second} of hotpotqa/hotpot_qa came with another checksum"):
        fetch_set("hotpotqa", to, splits=["train"])
    assert not (to / "train.jsonl").exists()
    small = "bamboogle/test.jsonl of RUC-NLPIR/FlashRAG_datasets came with another"  # checked by git's own checksum
    with pytest.raises(DamagedFileError, match=small):
        fetch_set("flashrag-bamboogle", tmp_path / "b")
    hub.damage.clear()
    hub.sent.clear()
    record = fetch_set("hotpotqa", to, splits=["train"])
    assert [name for name, _, _ in hub.sent] == [second, VALIDATION]
    assert files(to) == ["corpus.jsonl", "set.json", "train.jsonl"]
    assert [source["path"] for source in record["files"]["corpus.jsonl"]["made_of"]] == [VALIDATION]
    fetch_set("flashrag-bamboogle", tmp_path / "b")
    assert [question.answers for question in open_questions(tmp_path / "b" / "test.jsonl")] == [("Oslo",)]


def test_a_broken_connection_is_tried_again_and_given_up_where_it_brings_no_more(hub, to, monkeypatch):
    hub.break_after = 0
    monkeypatch.setattr("time.sleep", lambda seconds: setattr(hub, "break_after", 0))
    said = r"^cannot get hotpotqa\.json of osunlp/HippoRAG_2 from the hub \(.+\); the files that are whole are kept; "
    with pytest.raises(InputError, match=f"{said}without a network, give a copy"):
        fetch_set("hotpotqa-1000", to)
    assert {sent for _, _, sent in hub.sent} == {0}
    assert not to.exists()
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    hub.break_after, hub.sent = 100, []
    fetch_set("hotpotqa-1000", to)
    size = (hub.root / "osunlp/HippoRAG_2/hotpotqa.json").stat().st_size
    assert hub.sent[:2] == [("hotpotqa.json", 0, 100), ("hotpotqa.json", 0, size)]
    assert len(list(open_questions(to / "dev.jsonl"))) == 2


def test_a_copy_of_the_repository_needs_no_hub(hub, to, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    copy = hub.root / "hotpotqa/hotpot_qa"
    record = fetch_set("hotpotqa", to, splits=["dev"], copy=copy)
    (source,) = record["files"]["dev.jsonl"]["made_of"]
    sha256 = checksum(copy / VALIDATION)
    assert source == {"repository": str(copy), "revision": "", "path": VALIDATION, "sha256": sha256}
    shutil.rmtree(copy / "distractor")
    with pytest.raises(InputError, match=r"holds no distractor/train-\*\.parquet; give --from a copy of hotpotqa/"):
        fetch_set("hotpotqa", to, copy=copy)


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("hotpot", {}, "unknown question set 'hotpot'; did you mean 'hotpotqa'. Valid: 2wikimultihopqa"),
        ("hotpotqa", {"splits": ["validation"]}, "unknown split of hotpotqa 'validation'. Valid: dev, train"),
        ("hotpotqa", {"copy": "nowhere"}, "nowhere is not a folder; give --from the folder that a copy of hotpotqa/"),
        ("hotpotqa", {}, r"^cannot get the files of hotpotqa/hotpot_qa from .* --from FOLDER\.$"),
    ],
)
def test_nothing_is_left_behind_where_nothing_has_come(to, monkeypatch, name, options, problem):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=problem):
        fetch_set(name, to, **options)
    assert not to.exists()


def test_what_the_hub_no_longer_has_and_what_fits_no_layout(hub, tmp_path):
    with pytest.raises(InputError, match=r"the hub has no data set chiayewken/bamboogle\."):
        fetch_set("bamboogle", tmp_path / "a")
    (hub.root / "osunlp/HippoRAG_2/musique_corpus.json").unlink()
    with pytest.raises(InputError, match=r"the hub's osunlp/HippoRAG_2 holds no musique_corpus\.json any more"):
        fetch_set("musique-1000", tmp_path / "b")
    (hub.root / "osunlp/HippoRAG_2/hotpotqa.json").write_text(json.dumps([{"prompt": "Who?"}] * 20))
    with pytest.raises(InputError, match=r"hotpotqa\.json, item 1: not a question in a known layout"):
        fetch_set("hotpotqa-1000", tmp_path / "c")
    assert "dev.jsonl" not in files(tmp_path / "c")


def test_a_folder_with_something_else(hub, to, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"mine holds other files and no set\.json; give --to an empty folder"):
        fetch_set("hotpotqa-1000", tmp_path / "mine")
    with pytest.raises(InputError, match=r"notes\.txt is a file; give --to a folder"):
        fetch_set("hotpotqa-1000", tmp_path / "mine" / "notes.txt")
    assert files(tmp_path / "mine") == ["notes.txt"]
    fetch_set("musique-1000", to)
    with pytest.raises(MismatchError, match="to holds the set musique-1000; give --to another folder for hotpotqa"):
        fetch_set("hotpotqa-1000", to)
    (to / ".parts").mkdir()
    with FileLock(to / ".parts" / "lock"), pytest.raises(InputError, match="another process is fetching into"):
        fetch_set("musique-1000", to)
    (to / "set.json").write_text('{"name": "musique-1000"}')
    with pytest.raises(DamagedFileError, match=r"set\.json is damaged, or is not the record .*; delete the folder"):
        fetch_set("musique-1000", to)
