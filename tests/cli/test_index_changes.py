import json

import pytest

from multihop.base import InputError
from multihop.cli.app import run_command
from multihop.retrieval import BM25, Passage, open_index

RIVERS = [Passage("a", "Po", "A river of Italy."), Passage("b", "Inn", "A river.")]
ETNA = Passage("c", "Etna", "A volcano of Italy.")


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    BM25.build(RIVERS, folder="index")
    (tmp_path / "new.jsonl").write_text(json.dumps(ETNA._asdict()) + "\n")
    return tmp_path / "index"


def test_passages_come_and_go(index, capsys):
    run_command(["index", "add", "index", "new.jsonl"])
    added = BM25.build([*RIVERS, ETNA])
    assert capsys.readouterr().out == f"index has 3 passages, and had 2 (fingerprint {added.fingerprint})\n"
    run_command(["index", "remove", "index", "a", "--json"])
    left = BM25.build([RIVERS[1], ETNA])
    told = {"index": "index", "passages": 2, "before": 3, "fingerprint": left.fingerprint}
    assert json.loads(capsys.readouterr().out) == told
    run_command(["index", "update", "index", "new.jsonl"])
    assert open_index(index).search(["Italy"], 3) == left.search(["Italy"], 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "index"], "^name a file of paragraphs after the index"),
        (["add", "index", "new.jsonl", "new.jsonl"], "^passage id 'c' is given twice, as passages 1 and 2"),
        (["add", "index", "new.png"], "new.png"),
        (["add", "elsewhere", "new.jsonl"], "^elsewhere is not an index"),
        (["update", "index", "new.jsonl"], "^the index has no passage with the id 'c'"),
        (["remove", "index"], "^name the ids of passages after the index"),
        (["remove", "index", "z"], "^the index has no passage with the id 'z'; nothing was changed"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(index, arguments, message):
    with pytest.raises(InputError, match=message):
        run_command(["index", *arguments])
    assert list(open_index(index)) == RIVERS


def test_an_index_follows_a_folder_of_documents(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/po.md").write_text("# Po\nA river of Italy.")
    (tmp_path / "docs/x.png").write_text("")
    run_command(["index", "sync", "docs", "--to", "index"])
    shown = capsys.readouterr()
    assert shown.out == "index has 1 passage; documents: 1 added, 0 changed, 0 removed\n"
    assert shown.err == "multihop: left out 1 file of other kinds or linked: x.png\n"
    (tmp_path / "docs/inn.txt").write_text("A river of Tyrol.")
    run_command(["index", "sync", "docs", "--to", "index", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["passages"], told["added"], told["changed"], told["removed"]) == (2, ["inn.txt"], [], [])
