import subprocess
import sys

import pytest
from full_disk import no_room_for
from hypothesis import given, settings
from hypothesis import strategies as st
from living import ETNA, ON_RIVERS, RIVERS, Killed, assert_same, changing_corpora

from multihop.base import InputError, MismatchError
from multihop.retrieval import BM25, Passage, living_index, open_index
from multihop.retrieval.index_folder import MANIFEST
from multihop.retrieval.living import changes_file


@settings(max_examples=8)
@given(changing_corpora(steps=4), st.sampled_from([0, 3, 1000]))
def test_a_folder_changes_with_it(tmp_path_factory, corpus, least):
    folder = tmp_path_factory.mktemp("living") / "index"
    first, changes = corpus
    BM25.build(first, folder=folder)
    watching = BM25.load(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living_index, "LEAST", least)
        for verb, given_, current in changes:
            index = BM25.load(folder)
            getattr(index, verb)(given_)
            anew = BM25.build(current)
            assert_same(index, anew)
            assert_same(open_index(folder), anew)
        assert list(watching) == first
        watching.reload()
        assert_same(watching, anew)
        watching.compact()
        assert_same(BM25.load(folder), anew)


def test_what_changes_nothing_writes_nothing(tmp_path):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    before = (tmp_path / "index" / MANIFEST).read_bytes()
    index.add([])
    index.remove([])
    index.update([])
    index.compact()
    assert index.reload() is False
    assert (tmp_path / "index" / MANIFEST).read_bytes() == before


def test_a_reader_keeps_what_it_has_until_it_reloads(tmp_path):
    writer = BM25.build(RIVERS, folder=tmp_path / "index")
    reader = BM25.load(tmp_path / "index")
    writer.remove(["p1"])
    writer.compact()
    assert_same(reader, BM25.build(RIVERS), ON_RIVERS)
    assert reader.reload() is True
    assert_same(reader, BM25.build(RIVERS[1:]), ON_RIVERS)


@pytest.mark.parametrize("change", ["compact", "add"])
def test_what_changes_while_it_is_opened_is_opened_as_it_is_then(tmp_path, monkeypatch, change):
    writer = BM25.build(RIVERS, folder=tmp_path / "index")
    writer.add([ETNA])
    lake, real = Passage("p5", "", "a lake"), living_index.read_gone

    def between(*arguments):
        monkeypatch.undo()
        writer.compact() if change == "compact" else writer.add([lake])  # the part that it names is gone after either
        return real(*arguments)

    monkeypatch.setattr(living_index, "read_gone", between)
    left = [*RIVERS, ETNA] if change == "compact" else [*RIVERS, ETNA, lake]
    assert_same(BM25.load(tmp_path / "index"), BM25.build(left), ON_RIVERS)


def test_two_who_have_it_open_change_it_in_turn(tmp_path):
    first = BM25.build(RIVERS, folder=tmp_path / "index")
    second = BM25.load(tmp_path / "index")
    first.add([ETNA])
    second.remove(["p4", "p1"])
    first.reload()
    assert_same(first, BM25.build(RIVERS[1:]), ON_RIVERS)


def test_a_second_writer_is_told_to_wait(tmp_path):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    with changes_file.only_writer(tmp_path / "index"), pytest.raises(InputError) as error:
        index.add([ETNA])
    assert str(error.value) == f"{tmp_path / 'index'} is being changed by another writer; try again when that is done."
    index.add([ETNA])
    assert_same(index, BM25.build([*RIVERS, ETNA]), ON_RIVERS)


def test_another_index_in_its_place_is_not_changed(tmp_path):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    BM25.build(RIVERS[:2], k1=0.9, folder=tmp_path / "index")
    with pytest.raises(MismatchError, match="now holds an index with other settings; open it anew"):
        index.add([ETNA])
    assert len(BM25.load(tmp_path / "index")) == 2


STEPS = ["write_gone", "publish", "sweep"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_cut_short_at_any_step_it_is_the_old_or_the_new(tmp_path, monkeypatch, step, when):
    folder = tmp_path / "index"
    BM25.build(RIVERS, folder=folder)
    with monkeypatch.context() as patch:
        real = getattr(living_index, step)

        def killed(*arguments):
            if when == "after":
                real(*arguments)
            patch.setattr(living_index, "sweep", lambda *_: None)  # a process that is gone deletes nothing
            raise Killed

        patch.setattr(living_index, step, killed)
        with pytest.raises(Killed):
            BM25.load(folder)._change(["p1"], [ETNA])
    done = step == "sweep" or (step == "publish" and when == "after")
    assert_same(BM25.load(folder), BM25.build([*RIVERS[1:], ETNA] if done else RIVERS), ON_RIVERS)
    index = BM25.load(folder)
    index.add([Passage("p5", "", "a lake")])  # and the next change goes on from there
    index.compact()
    assert_same(
        BM25.load(folder), BM25.build([*([*RIVERS[1:], ETNA] if done else RIVERS), *list(index)[-1:]]), ON_RIVERS
    )
    parts = [path.name for path in folder.iterdir() if path.is_dir()]
    assert parts == list(BM25.load(folder)._state.changes.parts)


@pytest.mark.parametrize("room", [50, 300, 700, 2_000])
def test_a_full_disk_leaves_the_old(tmp_path, room):
    folder = tmp_path / "index"
    BM25.build(RIVERS, folder=folder)
    names = sorted(path.name for path in folder.iterdir())
    many = [Passage(str(number), "", f"river w{number} w{number // 2}") for number in range(500)]
    index = BM25.load(folder)
    with no_room_for(room), pytest.raises(InputError, match="cannot write .*: File too large"):
        index.add(many)
    for each in (index, BM25.load(folder)):
        assert_same(each, BM25.build(RIVERS), ON_RIVERS)
    assert sorted({path.name for path in folder.iterdir()} - {changes_file.LOCK, changes_file.PASSING}) == names


@pytest.mark.seconds
def test_killed_anywhere_it_is_the_old_or_the_new(tmp_path):
    script = (
        "import sys; from multihop.retrieval import BM25, Passage\n"
        "index = BM25.load(sys.argv[1]); print('open', flush=True)\n"
        "for number in range(10_000):\n"
        "    index.add([Passage(f'n{number}', '', f'lake {number}')]); print(number, flush=True)\n"
        "    number % 5 or index.compact()\n"
    )
    BM25.build(RIVERS, folder=tmp_path / "index")
    for lines in (3, 8, 14):
        BM25.build(RIVERS, folder=tmp_path / "index")
        arguments = [sys.executable, "-c", script, str(tmp_path / "index")]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            told = [process.stdout.readline() for _ in range(lines)]
            process.kill()
        done = int(told[-1]) + 1
        left = list(BM25.load(tmp_path / "index"))
        assert done <= len(left) - 3 <= done + 1
        assert_same(BM25.load(tmp_path / "index"), BM25.build(left), ["lake 2", "river"])


def test_an_index_without_counts_is_searched_and_takes_no_changes(tmp_path):
    BM25.build(RIVERS, folder=tmp_path / "index")
    manifest = index_without(tmp_path / "index", "counts.npy", "lengths.npy", "ids.hashes.npy", "ids.places.npy")
    older = BM25.load(tmp_path / "index")
    assert older.search(ON_RIVERS, 3) == BM25.build(RIVERS).search(ON_RIVERS, 3)
    with pytest.raises(InputError, match="built by an earlier version of multihop and takes no changes; rebuild it"):
        older.add([ETNA])
    assert (tmp_path / "index" / MANIFEST).read_text() == manifest


def index_without(folder, *names):
    """An index folder as earlier versions wrote it, without these files; returns the text of its manifest."""
    import ujson

    manifest = ujson.loads((folder / MANIFEST).read_text())
    for name in names:
        (folder / name).unlink()
        del manifest["files"][name]
    (folder / MANIFEST).write_text(ujson.dumps(manifest))
    return (folder / MANIFEST).read_text()


@pytest.mark.parametrize(
    "changes",
    [{}, {"parts": [], "gone": None, "number": 1}, {"parts": ["../other"], "gone": None, "number": 1}, 3],
)
def test_a_manifest_that_names_no_parts_is_damaged(tmp_path, changes):
    import ujson

    BM25.build(RIVERS, folder=tmp_path / "index")
    manifest = ujson.loads((tmp_path / "index" / MANIFEST).read_text())
    (tmp_path / "index" / MANIFEST).write_text(ujson.dumps({**manifest, "changes": changes}))
    with pytest.raises(InputError, match="is damaged, index.json is not as it was written"):
        BM25.load(tmp_path / "index")


def test_a_part_that_is_missing_is_damage(tmp_path, monkeypatch):
    monkeypatch.setattr(living_index, "IN_ONE_FILE", 0)
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    index.add([ETNA])
    (tmp_path / "index" / index._state.changes.parts[1] / "terms.txt").unlink()
    with pytest.raises(InputError, match=r"part-000001 is damaged, terms\.txt is missing"):
        BM25.load(tmp_path / "index")


@pytest.mark.parametrize("damage", ["gone", "cut", "another letter"])
def test_a_small_part_that_is_not_as_it_was_written_is_damage(tmp_path, damage):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    index.add([ETNA])
    file = tmp_path / "index" / "part-000001.npz"
    whole = file.read_bytes()
    file.unlink() if damage == "gone" else file.write_bytes(
        whole[:-9] if damage == "cut" else whole.replace(b"volcano, and", b"Volcano, and")
    )
    with pytest.raises(InputError, match=r"index is damaged, part-000001\.npz is not as it was written"):
        BM25.load(tmp_path / "index")


def test_a_small_part_of_odd_texts_and_of_none(tmp_path):
    odd = [
        Passage("\x00", "NUL\x00", "river\x00bank"),
        Passage("\ud800", "half \udfff", "İstanbul 東京都 😀"),
        Passage("", "", ""),
    ]
    for added in ([Passage("the", "", "the and of")], odd):
        BM25.build(RIVERS, folder=tmp_path / "index").add(added)
        index = BM25.load(tmp_path / "index")
        assert_same(index, BM25.build([*RIVERS, *added]), ["river bank", "東京都 istanbul"])
        index.add([ETNA])
        index.compact()
        assert_same(
            BM25.load(tmp_path / "index"), BM25.build([*RIVERS, *added, ETNA]), ["river bank", "東京都 istanbul"]
        )
