import gc
import json
from contextlib import nullcontext

import pytest
from full_disk import no_room_for

from multihop.base import DamagedFileError, InputError
from multihop.retrieval import BM25, Passage, corpus_index, index_folder, is_index
from multihop.retrieval.index_folder import find_home, read_manifest

RIVERS = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Po", "The Po is the longest river of Italy."),
    Passage("p3", "Inn", "The Inn, a river, joins the Danube at Passau."),
    Passage("p4", "", "Rivers, rivers, rivers."),
]


class Killed(BaseException):
    """The end of the process."""


def broken_off(error):
    yield from RIVERS
    raise error


@pytest.mark.parametrize("folder", [None, "index"])
def test_an_unusable_corpus_leaves_nothing_behind(tmp_path, folder):
    target = folder and tmp_path / folder
    with pytest.raises(InputError, match="the corpus is empty"):
        BM25.build([], folder=target)
    with pytest.raises(InputError, match="passage id 'p1' is given twice, as passages 1 and 5"):
        BM25.build([*RIVERS, RIVERS[0]], folder=target)
    with pytest.raises(InputError, match="passage 5 is 'text', not a Passage"):
        BM25.build([*RIVERS, "text"], folder=target)
    with pytest.raises(OSError, match="unplugged"):
        BM25.build(broken_off(OSError("unplugged")), folder=target)
    assert list(tmp_path.iterdir()) == []


def killed(*_):
    raise Killed


def test_a_killed_build_leaves_what_was_there(tmp_path, monkeypatch):
    folder = tmp_path / "index"
    monkeypatch.setattr(index_folder, "_delete", lambda paths: None)  # a process that is gone deletes nothing
    with pytest.raises(Killed):
        BM25.build(broken_off(Killed()), folder=folder)
    assert not is_index(folder)
    BM25.build(RIVERS, folder=folder)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(corpus_index, "seal", killed)
        BM25.build(RIVERS[:1], folder=folder)
    assert len(BM25.load(folder)) == 4
    monkeypatch.undo()
    BM25.build(RIVERS, folder=folder)
    assert sorted(path.name[:5] for path in folder.iterdir()) == [".lock", "anew-", "index"]


@pytest.mark.parametrize("room", [300, 3_000, 30_000])  # for the counts, for the passages, for most files
def test_a_full_disk_leaves_the_old_index(tmp_path, room):
    BM25.build(RIVERS, folder=tmp_path / "index")
    many = [Passage(str(number), "", f"river w{number} w{number // 2}") for number in range(1000)]
    with no_room_for(room), pytest.raises(InputError) as caught:
        BM25.build(many, folder=tmp_path / "index")
    assert str(caught.value) == f"cannot write {tmp_path / 'index'}: File too large."
    assert len([*(tmp_path / "index").iterdir()]) == 3
    assert BM25.load(tmp_path / "index").search(["Po"], 1)[0][0].passage.id == "p2"


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not ours to replace"):
        BM25.build(RIVERS, folder=tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_an_index_is_built_of_another(tmp_path):
    in_memory = BM25.build(RIVERS, k1=0.9)
    BM25.build(in_memory, k1=0.9, folder=tmp_path / "copied")
    BM25.build(RIVERS, k1=0.9, folder=tmp_path / "built")
    copied, built = (find_home(tmp_path / name) for name in ("copied", "built"))
    names = sorted(path.name for path in built.iterdir())
    assert sorted(path.name for path in copied.iterdir()) == names
    for name in names:
        assert (copied / name).read_bytes() == (built / name).read_bytes()
    loaded = BM25.load(str(tmp_path / "copied"))
    assert loaded.search(["river", "Danube"], 3) == in_memory.search(["river", "Danube"], 3)
    assert loaded.fingerprint == in_memory.fingerprint
    BM25.build(loaded, folder=tmp_path / "copied")  # over itself
    assert loaded.search(["Danube"], 3) != BM25.load(tmp_path / "copied").search(["Danube"], 3)


FILES = {
    "ids.hashes",
    "ids.places",
    "passages.jsonl",
    "passages.offsets",
    "scored.ends",
    "scored.passages",
    "scores",
    "scores.highest",
    "terms.hashes",
    "terms.places",
}
HARMLESS = {"ids.hashes", "scores", "scores.highest", "terms.hashes"}
"""Files that, changed, make another index of it, which finds other things or nothing."""


def test_damage_that_no_checksum_tells_is_one_clear_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(index_folder, "_CHECKED_WHOLE", 0)
    BM25.build(RIVERS, folder=tmp_path / "index")
    assert set(read_manifest(tmp_path / "index").files) == FILES
    for file in (find_home(tmp_path / "index") / name for name in sorted(FILES)):
        whole = file.read_bytes()
        for broken in (b"", whole[:-1], whole + b"\x00"):
            file.write_bytes(broken)
            with pytest.raises(InputError, match=r"is damaged, .* is not as it was written; rebuild it with `multihop"):
                BM25.load(tmp_path / "index")
        file.write_bytes(b"?" * len(whole))  # of the right size
        with nullcontext() if file.name in HARMLESS else pytest.raises(DamagedFileError, match="damaged"):
            index = BM25.load(tmp_path / "index")
            index.search(["river"], 1)
            index.get(["p1"])
        file.write_bytes(whole)


def test_an_index_of_other_rules_and_one_that_lacks_passages_are_refused(tmp_path):
    BM25.build(RIVERS, folder=tmp_path / "index")
    manifest = find_home(tmp_path / "index") / "index.json"
    whole = json.loads(manifest.read_text())
    for change, message in (
        ({"analyzer": "german"}, "splits text into terms by"),
        ({"passages": 5}, "is damaged, index"),
    ):
        manifest.write_text(json.dumps({**whole, **change}))
        with pytest.raises(InputError, match=message):
            BM25.load(tmp_path / "index")


def test_passages_stay_on_disk_until_they_are_found(tmp_path):
    retriever = BM25.build((Passage(str(n), "", f"disk{n}") for n in range(300)), folder=tmp_path / "index")
    gc.collect()
    in_memory = [each for each in gc.get_objects() if isinstance(each, Passage) and str(each.text).startswith("disk")]
    assert len(in_memory) == 0
    assert retriever.search(["disk77"], 1)[0][0].passage.id == "77"
