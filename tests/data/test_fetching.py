import json
import os
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


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_whole_set_with_a_corpus_of_its_paragraphs(hub, tmp_path):
    to = tmp_path / "data" / "hotpotqa"
    record = fetch_set("hotpotqa", to)
    assert files(to) == ["corpus.jsonl", "dev.jsonl", "set.json", "train.jsonl"]
    assert [question.id for question in open_questions(to / "dev.jsonl")] == ["h1", "h2"]
    assert [question.id for question in open_questions(to / "train.jsonl")] == ["t1", "t2"]
    first = next(iter(open_questions(to / "dev.jsonl")))
    assert (first.answers, first.supporting) == (("Torun",), ("Dusk", "Rosa Tiel"))
    assert {passage.id: passage.text for passage in open_corpus(to / "corpus.jsonl")} == {
        title: "".join(text) for title, text in PAGES.items()
    }
    assert record == json.loads((to / "set.json").read_text())
    assert (record["name"], record["licence"]) == ("hotpotqa", "CC BY-SA 4.0")
    dev = record["files"]["dev.jsonl"]
    assert (dev["records"], dev["sha256"]) == (2, checksum(to / "dev.jsonl"))
    (source,) = dev["made_of"]
    assert (source["repository"], source["path"]) == ("hotpotqa/hotpot_qa", VALIDATION)
    assert source["sha256"] == checksum(hub.root / "hotpotqa/hotpot_qa" / VALIDATION)
    assert len(source["revision"]) == 40
    assert record["files"]["corpus.jsonl"]["records"] == 5
    assert record["files"]["corpus.jsonl"]["made_of"] == []


def test_a_corpus_that_is_matched_by_its_text(hub, tmp_path):
    fetch_set("hotpotqa-1000", tmp_path / "a")
    assert [passage.id for passage in open_corpus(tmp_path / "a" / "corpus.jsonl")] == [
        *PAGES, content_id("Nobody", "Asks for this.")
    ]  # fmt: skip
    fetch_set("musique-1000", tmp_path / "b")
    (question,) = open_questions(tmp_path / "b" / "dev.jsonl")
    ids = {passage.id for passage in open_corpus(tmp_path / "b" / "corpus.jsonl")}
    assert len(ids) == 5
    assert set(question.supporting) < ids


def test_a_corpus_alone_in_an_archive(hub, tmp_path):
    fetch_set("wiki18", tmp_path / "a")
    assert files(tmp_path / "a") == ["corpus.jsonl", "set.json"]
    assert next(iter(open_corpus(tmp_path / "a" / "corpus.jsonl"))) == ("0", "Dusk", "".join(PAGES["Dusk"]))


def test_small_files_are_checked_by_the_checksum_of_git(hub, tmp_path):
    path = hub.root / "RUC-NLPIR/FlashRAG_datasets/bamboogle/test.jsonl"
    assert path.stat().st_size < 200
    fetch_set("flashrag-bamboogle", tmp_path / "a")
    assert [question.answers for question in open_questions(tmp_path / "a" / "test.jsonl")] == [("Oslo",)]
    hub.damage.add("bamboogle/test.jsonl")
    with pytest.raises(
        DamagedFileError, match=r"bamboogle/test\.jsonl of RUC-NLPIR/FlashRAG_datasets came with another"
    ):
        fetch_set("flashrag-bamboogle", tmp_path / "b")


def test_a_split_alone_and_the_rest_later(hub, tmp_path):
    record = fetch_set("hotpotqa", tmp_path / "a", splits=["dev"])
    assert list(record["files"]) == ["dev.jsonl", "corpus.jsonl"]
    before = checksum(tmp_path / "a" / "corpus.jsonl")
    record = fetch_set("hotpotqa", tmp_path / "a")
    assert set(record["files"]) == {"dev.jsonl", "corpus.jsonl", "train.jsonl"}
    assert checksum(tmp_path / "a" / "corpus.jsonl") == before
    assert [name for name, _, _ in hub.sent].count(VALIDATION) == 1


def test_train_alone_brings_the_corpus_of_dev(hub, tmp_path):
    record = fetch_set("hotpotqa", tmp_path / "a", splits=["train"])
    assert list(record["files"]) == ["train.jsonl", "corpus.jsonl"]
    assert [source["path"] for source in record["files"]["corpus.jsonl"]["made_of"]] == [VALIDATION]


def test_what_is_whole_is_not_asked_for_again(hub, tmp_path):
    first = fetch_set("hotpotqa-1000", tmp_path / "a")
    hub.sent.clear()
    assert fetch_set("hotpotqa-1000", tmp_path / "a") == first
    assert hub.sent == []
    (tmp_path / "a" / "dev.jsonl").unlink()
    assert fetch_set("hotpotqa-1000", tmp_path / "a")["files"] == first["files"]
    assert [name for name, _, _ in hub.sent] == ["hotpotqa.json"]


def test_a_broken_connection_is_tried_again(hub, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    hub.break_after = 100
    fetch_set("hotpotqa-1000", tmp_path / "a")
    size = (hub.root / "osunlp/HippoRAG_2/hotpotqa.json").stat().st_size
    assert hub.sent[:2] == [("hotpotqa.json", 0, 100), ("hotpotqa.json", 0, size)]
    assert len(list(open_questions(tmp_path / "a" / "dev.jsonl"))) == 2


def test_files_that_are_whole_are_kept_where_a_later_one_is_damaged(hub, tmp_path):
    second = "distractor/train-00001-of-00002.parquet"
    hub.damage.add(second)
    with pytest.raises(DamagedFileError):
        fetch_set("hotpotqa", tmp_path / "a", splits=["train"])
    assert not (tmp_path / "a" / "train.jsonl").exists()
    hub.damage.clear()
    hub.sent.clear()
    fetch_set("hotpotqa", tmp_path / "a", splits=["train"])
    assert [name for name, _, _ in hub.sent] == [second, VALIDATION]
    assert files(tmp_path / "a") == ["corpus.jsonl", "set.json", "train.jsonl"]


def test_what_comes_later_is_of_the_same_revision(hub, tmp_path):
    first = fetch_set("hotpotqa", tmp_path / "a", splits=["dev"])
    (hub.root / "hotpotqa/hotpot_qa/README.md").write_text("Changed since.")
    whole = fetch_set("hotpotqa", tmp_path / "a")
    (before,) = {source["revision"] for source in first["files"]["dev.jsonl"]["made_of"]}
    assert {source["revision"] for source in whole["files"]["train.jsonl"]["made_of"]} == {before}
    later = fetch_set("hotpotqa", tmp_path / "b", splits=["dev"])
    assert later["files"]["dev.jsonl"]["made_of"][0]["revision"] != before


def test_a_damaged_download_is_deleted_and_named(hub, tmp_path):
    hub.damage.add("hotpotqa_corpus.json")
    with pytest.raises(
        DamagedFileError, match=r"^hotpotqa_corpus\.json of osunlp/HippoRAG_2 came with another checksum"
    ):
        fetch_set("hotpotqa-1000", tmp_path / "a")
    assert not (tmp_path / "a" / "corpus.jsonl").exists()
    assert list(json.loads((tmp_path / "a" / "set.json").read_text())["files"]) == ["dev.jsonl"]
    hub.damage.clear()
    hub.sent.clear()
    fetch_set("hotpotqa-1000", tmp_path / "a")
    assert [name for name, _, _ in hub.sent] == ["hotpotqa_corpus.json"]


def test_a_file_that_was_changed_since_is_named(hub, tmp_path):
    fetch_set("hotpotqa-1000", tmp_path / "a")
    with (tmp_path / "a" / "dev.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(
        DamagedFileError, match=r"a/dev\.jsonl is not as it was fetched: its checksum is not the one in"
    ):
        fetch_set("hotpotqa-1000", tmp_path / "a")


def test_a_copy_of_the_repository_needs_no_hub(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    copy = hub.root / "hotpotqa/hotpot_qa"
    record = fetch_set("hotpotqa", tmp_path / "a", splits=["dev"], copy=copy)
    (source,) = record["files"]["dev.jsonl"]["made_of"]
    assert source == {
        "repository": str(copy), "revision": "", "path": VALIDATION, "sha256": checksum(copy / VALIDATION)
    }  # fmt: skip
    assert (copy / VALIDATION).exists()
    shutil.rmtree(copy / "distractor")
    with pytest.raises(
        InputError, match=r"hotpot_qa holds no distractor/train-\*\.parquet; give --from a copy of hotpotqa/"
    ):
        fetch_set("hotpotqa", tmp_path / "a", copy=copy)
    with pytest.raises(
        InputError, match="nowhere is not a folder; give --from the folder that a copy of hotpotqa/hotpot_qa"
    ):
        fetch_set("hotpotqa", tmp_path / "b", copy="nowhere")


def test_names_that_nobody_knows(hub, tmp_path):
    with pytest.raises(
        InputError, match="unknown question set 'hotpot'; did you mean 'hotpotqa'. Valid: 2wikimultihopqa"
    ):
        fetch_set("hotpot", tmp_path / "a")
    with pytest.raises(InputError, match="unknown split of hotpotqa 'validation'. Valid: dev, train"):
        fetch_set("hotpotqa", tmp_path / "a", splits=["validation"])
    assert not (tmp_path / "a").exists()


def test_a_folder_with_something_else(hub, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"mine holds other files and no set\.json; give --to an empty folder"):
        fetch_set("hotpotqa-1000", tmp_path / "mine")
    with pytest.raises(InputError, match=r"notes\.txt is a file; give --to a folder"):
        fetch_set("hotpotqa-1000", tmp_path / "mine" / "notes.txt")
    assert files(tmp_path / "mine") == ["notes.txt"]
    fetch_set("musique-1000", tmp_path / "a")
    with pytest.raises(MismatchError, match="a holds the set musique-1000; give --to another folder for hotpotqa-1000"):
        fetch_set("hotpotqa-1000", tmp_path / "a")
    (tmp_path / "a" / "set.json").write_text('{"name": "musique-1000"}')
    with pytest.raises(
        DamagedFileError, match=r"set\.json is damaged, or is not the record of a question set; delete the folder"
    ):
        fetch_set("musique-1000", tmp_path / "a")


def test_without_a_network(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(
        InputError,
        match=r"^cannot get the files of hotpotqa/hotpot_qa from the hub \(.+\); without a network, give a copy of the "
        r"repository with --from FOLDER\.$",
    ):
        fetch_set("hotpotqa", tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_what_the_hub_no_longer_has(hub, tmp_path):
    with pytest.raises(InputError, match=r"the hub has no data set chiayewken/bamboogle\."):
        fetch_set("bamboogle", tmp_path / "a")
    os.remove(hub.root / "osunlp/HippoRAG_2/musique_corpus.json")
    with pytest.raises(InputError, match=r"the hub's osunlp/HippoRAG_2 holds no musique_corpus\.json any more"):
        fetch_set("musique-1000", tmp_path / "b")


def test_a_connection_that_brings_no_more_is_given_up(hub, tmp_path, monkeypatch):
    hub.break_after = 0
    monkeypatch.setattr("time.sleep", lambda seconds: setattr(hub, "break_after", 0))
    with pytest.raises(
        InputError,
        match=r"^cannot get hotpotqa\.json of osunlp/HippoRAG_2 from the hub \(.+\); the files that are whole are "
        "kept; without a network, give a copy",
    ):
        fetch_set("hotpotqa-1000", tmp_path / "a")
    assert {sent for _, _, sent in hub.sent} == {0}
    assert not (tmp_path / "a").exists()


def test_two_at_once(hub, tmp_path):
    (tmp_path / "a" / ".parts").mkdir(parents=True)
    fetch_set("musique-1000", tmp_path / "b")
    shutil.copy(tmp_path / "b" / "set.json", tmp_path / "a" / "set.json")
    with (
        FileLock(tmp_path / "a" / ".parts" / "lock"),
        pytest.raises(InputError, match="another process is fetching into"),
    ):
        fetch_set("musique-1000", tmp_path / "a")


def test_a_record_that_fits_no_layout(hub, tmp_path):
    (hub.root / "osunlp/HippoRAG_2/hotpotqa.json").write_text(json.dumps([{"prompt": "Who?"}] * 20))
    with pytest.raises(InputError, match=r"hotpotqa\.json, item 1: not a question in a known layout"):
        fetch_set("hotpotqa-1000", tmp_path / "a")
    assert "dev.jsonl" not in files(tmp_path / "a")
