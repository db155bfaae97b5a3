"""All becomes one part again while others search and change the index."""

from threading import Event, Thread

import pytest
from living import ETNA, ON_RIVERS, RIVERS, Killed, assert_same

from multihop.base import files
from multihop.retrieval import BM25, Dense, Hybrid, Passage, hybrid, living_index
from multihop.retrieval.index_folder import MANIFEST
from multihop.retrieval.living import changes_file

LAKE = Passage("p5", "Garda", "A lake at the foot of the Alps.")
ALPS = Passage("p6", "Alps", "Mountains, where the Inn and the Po begin.")


class Held:
    """Compaction that waits, once its part is made, until it may go on."""

    def __init__(self, monkeypatch, kind):
        self.made, self.go_on = Event(), Event()
        real = kind._made_whole

        def made_whole(index, before):
            result = real(index, before)
            self.made.set()
            assert self.go_on.wait(30)
            return result

        monkeypatch.setattr(kind, "_made_whole", made_whole)


@pytest.mark.at_once
@pytest.mark.parametrize("folder", [None, "index"])
@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
def test_readers_and_writers_go_on_meanwhile(tmp_path, monkeypatch, tiny_encoder, kind, folder):
    monkeypatch.setattr(living_index, "LEAST", 1)
    index = kind.build(RIVERS, folder=folder and tmp_path / folder)
    held = Held(monkeypatch, kind)
    index.exchange(["p2"], [ETNA])  # which is enough to begin
    assert held.made.wait(30)
    assert_same(index, kind.build([RIVERS[0], RIVERS[2], ETNA]), ON_RIVERS)
    index.add([LAKE])
    index.exchange(["p1", "p4"], [ALPS])  # one of the large part, and one of the small one
    index.remove(["p5"])
    left = [RIVERS[2], ALPS]
    assert_same(index, kind.build(left), ON_RIVERS)
    if folder:
        assert_same(kind.load(tmp_path / folder), kind.build(left), ON_RIVERS)
    monkeypatch.setattr(living_index, "LEAST", 100)
    held.go_on.set()
    index.wait()
    assert_same(index, kind.build(left), ON_RIVERS)
    assert len((index._both[0] if kind is Hybrid else index)._state.corpus.parts) == 2
    if folder:
        assert_same(kind.load(tmp_path / folder), kind.build(left), ON_RIVERS)
    index.compact()
    assert_same(index, kind.build(left), ON_RIVERS)


def test_another_process_that_changes_the_folder_meanwhile_is_heeded(tmp_path, monkeypatch):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    index.add([ETNA])
    other = BM25.load(tmp_path / "index")
    held = Held(monkeypatch, BM25)
    thread = Thread(target=index.compact)
    thread.start()
    assert held.made.wait(30)
    other.exchange(["p1", "p4"], [LAKE])
    held.go_on.set()
    thread.join()
    left = [*RIVERS[1:], LAKE]
    assert_same(index, BM25.build(left), ON_RIVERS)
    other.add([ALPS])
    assert_same(BM25.load(tmp_path / "index"), BM25.build([*left, ALPS]), ON_RIVERS)


def test_a_rebuilt_index_is_not_replaced_by_what_was_made_of_the_one_before(tmp_path, monkeypatch):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    index.remove(["p1"])
    before = index._settle()
    made = index._combine(before.corpus.parts, None, alone=True)
    BM25.build([ETNA, LAKE], folder=tmp_path / "index")
    with index._writing():
        index._take_whole(before, made)
    assert_same(BM25.load(tmp_path / "index"), BM25.build([ETNA, LAKE]), ON_RIVERS)
    assert_same(index, BM25.build([ETNA, LAKE]), ON_RIVERS)


def test_where_it_cannot_be_written_the_index_stays_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(living_index, "LEAST", 0)
    index = BM25.build(RIVERS, folder=tmp_path / "index")

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(BM25, "_made_whole", full)
    index.add([ETNA])
    index.wait()
    assert_same(BM25.load(tmp_path / "index"), BM25.build([*RIVERS, ETNA]), ON_RIVERS)
    monkeypatch.undo()
    index.compact()
    assert index._state.corpus.is_whole


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize("kind", [BM25, Hybrid])
def test_cut_short_it_is_in_parts_or_one(tmp_path, monkeypatch, tiny_encoder, kind, number, when):
    folder = tmp_path / "index"
    kind.build(RIVERS, folder=folder)
    index = kind.load(folder)
    index.exchange(["p1"], [ETNA])
    module, count = living_index if kind is BM25 else hybrid, []
    real = module.publish

    def killed(*arguments):
        count.append(arguments)
        if len(count) == number + 1 and when == "before":
            raise Killed
        real(*arguments)
        if len(count) == number + 1:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, "publish", killed)
        patch.setattr(module, "sweep", lambda *_: None)
        with pytest.raises(Killed):
            index.compact()
    assert_same(kind.load(folder), kind.build([*RIVERS[1:], ETNA]), ON_RIVERS)
    again = kind.load(folder)
    again.add([LAKE])
    again.compact()
    assert_same(kind.load(folder), kind.build([*RIVERS[1:], ETNA, LAKE]), ON_RIVERS)
    for home in [folder] if kind is BM25 else [folder / "words", folder / "meanings"]:
        assert len([path for path in home.iterdir() if path.is_dir()]) == 1


def test_what_is_being_made_is_not_swept_by_others(tmp_path, monkeypatch):
    folder = tmp_path / "index"
    index = BM25.build(RIVERS, folder=folder)
    index.add([ETNA])
    (folder / "whole-000009").mkdir()
    with changes_file.only_compactor(folder, wait=False) as ours:
        assert ours
        BM25.load(folder).add([LAKE])
        assert (folder / "whole-000009").is_dir()
        with changes_file.only_compactor(folder, wait=False) as again:
            assert not again
    BM25.load(folder).add([ALPS])
    assert not (folder / "whole-000009").exists()


@pytest.mark.parametrize("change", ["exchange", "compact"])
@pytest.mark.parametrize("kind", [BM25, Hybrid])
def test_what_the_manifest_names_is_on_the_disk_before_it(tmp_path, monkeypatch, tiny_encoder, kind, change):
    monkeypatch.setattr(living_index, "IN_ONE_FILE", 0)
    index = kind.build(RIVERS, folder=tmp_path / "index")
    if change == "compact":
        index.add([ETNA])
        index._settle()
    before = set((tmp_path / "index").rglob("*"))
    flushed, moved = [], []
    flush, replace = files._flush, files.os.replace
    monkeypatch.setattr(files, "_flush", lambda path: flushed.append(str(path)) or flush(path))

    def publish(source, target):
        if target.name == MANIFEST:
            new = [path for path in (tmp_path / "index").rglob("*") if path not in before and path.is_file()]
            made = [path for path in new if path.parent.name.startswith(("part-", "whole-"))]
            assert made
            for path in made:
                assert {str(path), str(path.parent), str(path.parent.parent)} <= set(flushed)
            moved.append(target)
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", publish)
    index.exchange(["p1"], [ETNA]) if change == "exchange" else index.compact()
    assert moved
    assert flushed[-1] == str(moved[-1].parent)
