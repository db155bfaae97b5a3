import contextlib
import copy
import pickle
import shutil
import subprocess
import sys

import pytest
import ujson
from full_disk import no_room_for
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import RIVERS

from multihop.base import DamagedFileError, InputError, MismatchError
from multihop.encoder import Encoder
from multihop.retrieval import BM25, Dense, Hybrid, Passage, corpus_index, index_folder
from multihop.retrieval.index_folder import MANIFEST, find_home, writing_index

KINDS = [BM25, Dense, Hybrid]
WORDS = "the red rivers river ran running lake Σοφία x1 1789 Zürich naïve".split()
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
QUERIES = ["red river", "lake lake Zürich 1789 running", "x1 the naïve", "the", "Σοφία sea"]
ETNA = Passage("p4", "Etna", "Etna is a volcano, and no river.")
ON_RIVERS = ["a river in Italy", "the Danube", "volcano"]


class Killed(BaseException):
    """The end of the process."""


@st.composite
def changing_corpora(draw):
    """A corpus, and changes: each a verb, its argument, and the passages in their order after it."""
    names = map(str, range(1000))

    def passage(name):
        return Passage(name, draw(TEXTS), draw(TEXTS))

    first = current = [passage(next(names)) for _ in range(draw(st.integers(1, 6)))]
    changes = []
    for verb in draw(st.lists(st.sampled_from(["add", "remove", "update"]), min_size=1, max_size=4)):
        most = min(3, len(current) - (verb == "remove"))
        out = draw(st.lists(st.sampled_from([each.id for each in current]), max_size=most, unique=True))
        if verb == "add":
            out, given_ = [], [passage(next(names)) for _ in range(draw(st.integers(0, 4)))]
        else:
            given_ = out if verb == "remove" else [passage(name) for name in out]
        current = [each for each in current if each.id not in out] + (given_ if verb != "remove" else [])
        changes.append((verb, given_, current))
    return first, changes


def assert_same(index, anew, queries=QUERIES, depths=(2, 40)):
    """The two have the same passages in the same order, and find the same with the same scores, to the last bit."""
    assert list(index) == list(anew)
    for k in depths:
        assert index.search(queries, k) == anew.search(queries, k)
    assert index.fingerprint == anew.fingerprint


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "index"


@pytest.fixture
def index(folder):
    """The rivers by their words, in the folder."""
    return BM25.build(RIVERS, folder=folder)


@settings(max_examples=6)
@given(changing_corpora(), st.sampled_from([(1.2, 0.75), (0, 0), (2, 1)]), st.booleans())
def test_after_every_change_it_is_one_built_anew(tmp_path_factory, corpus, weights, titles):
    first, changes = corpus
    options = dict(zip(("k1", "b"), weights, strict=True), titles=titles)
    folder = tmp_path_factory.mktemp("changing") / "index"
    index = watching = BM25.build(first, folder=folder, **options)
    for verb, given_, current in changes:
        before, was = index, list(index)
        index = getattr(index, verb)(given_)
        assert_same(index, BM25.build(current, **options))
        assert list(before) == was
    assert_same(watching.latest(), index)
    assert list(watching) == first


@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_only_texts_that_are_new_are_encoded_and_it_is_one_built_anew(kind, tmp_path, monkeypatch):
    index, asked, real = kind.build(RIVERS, folder=tmp_path / "index"), [], Encoder.embed_passages

    def noted(self, texts, *arguments, **more):
        asked.extend(texts)
        return real(self, texts, *arguments, **more)

    monkeypatch.setattr(Encoder, "embed_passages", noted)
    renamed = RIVERS[1]._replace(id="other")
    index = index.exchange(["p1", "p2"], [ETNA, renamed])
    assert asked == ["Etna. Etna is a volcano, and no river."]
    monkeypatch.undo()
    assert_same(index, kind.build([RIVERS[2], ETNA, renamed]), ON_RIVERS)
    assert_same(index.remove(["p3"]), kind.build([ETNA, renamed]), ON_RIVERS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_latest_is_another_index_where_its_folder_has_changed(kind, tmp_path, tiny_encoder):
    before = kind.build(RIVERS, folder=tmp_path / "index")
    assert before.latest() is before
    kind.load(tmp_path / "index").add([ETNA])
    latest = before.latest()
    kind.build(RIVERS[:1], folder=tmp_path / "index")
    assert (len(before), len(latest), len(before.latest())) == (3, 4, 1)
    assert_same(before, kind.build(RIVERS), ON_RIVERS)
    assert_same(latest, kind.build([*RIVERS, ETNA]), ON_RIVERS)


ABSENT = r"^the index has no passage with the id 'p9'; nothing was changed\.$"


@pytest.mark.parametrize(
    ("verb", "given_", "message"),
    [
        ("add", [ETNA, ETNA], r"^passage id 'p4' is given twice, as passages 1 and 2; ids must be unique\.$"),
        (
            "add",
            [ETNA, RIVERS[0]],
            "^the index has a passage with the id 'p1' already, and nothing was changed; to put",
        ),
        ("add", ["Etna"], "^passage 1 is 'Etna', not a Passage with an id, a title and a text"),
        ("remove", ["p1", "p9"], ABSENT),
        ("remove", "p1", r"^ids are given as a list of texts, not as 'p1'; nothing was changed\.$"),
        ("remove", ["p1", "p2", "p3"], r"^an index has one passage or more, and these are all; delete"),
        ("update", [ETNA._replace(id="p9")], ABSENT),
    ],
)
def test_what_cannot_be_done_changes_nothing(index, verb, given_, message):
    with pytest.raises(InputError, match=message):
        getattr(index, verb)(given_)
    assert index.latest() is index
    assert index.add([]).remove([]).update([]) is index


def test_an_index_in_memory_takes_no_changes():
    with pytest.raises(InputError, match="^an index in memory takes no changes; build it with folder="):
        BM25.build(RIVERS).add([ETNA])


def test_files_of_others_stay(index, folder):
    (folder / "mine.txt").write_text("a note")
    index.add([ETNA])
    assert (folder / "mine.txt").read_text() == "a note"


def test_what_is_written_anew_while_it_is_opened_is_opened_as_it_is_then(index, folder, monkeypatch):
    real = corpus_index.open_manifest

    def between(*arguments):
        monkeypatch.undo()
        index.add([ETNA])  # the files that were to be opened are gone
        return real(*arguments)

    monkeypatch.setattr(corpus_index, "open_manifest", between)
    assert_same(BM25.load(folder), BM25.build([*RIVERS, ETNA]), ON_RIVERS)


def test_a_second_writer_is_told(index, folder):
    with contextlib.suppress(Killed), writing_index(folder):
        for change in (lambda: index.add([ETNA]), lambda: BM25.build([ETNA], folder=folder)):
            with pytest.raises(InputError) as error:
                change()
            assert str(error.value) == f"{folder} is being changed by another writer; try again when that is done."
        raise Killed
    assert_same(index.add([ETNA]), BM25.build([*RIVERS, ETNA]), ON_RIVERS)


def test_another_index_in_its_place_is_not_changed(index, folder):
    BM25.build(RIVERS[:2], k1=0.9, folder=folder)
    with pytest.raises(MismatchError, match="now holds an index with other settings; open it anew"):
        index.add([ETNA])
    assert len(BM25.load(folder)) == 2


@pytest.mark.parametrize(("kind", "room"), [(BM25, 50), (BM25, 3_000), (Dense, 300), (Hybrid, 2_000)])
def test_a_full_disk_leaves_the_old(folder, tiny_encoder, kind, room):
    index = kind.build(RIVERS, folder=folder)
    names = sorted(path.name for path in folder.iterdir())
    many = [Passage(str(number), "", f"river w{number} w{number // 2}") for number in range(100)]
    with no_room_for(room), pytest.raises(InputError, match=f"cannot write {folder}.*: File too large"):
        index.add(many)
    assert index.latest() is index
    assert sorted(path.name for path in folder.iterdir()) == names
    assert_same(kind.load(folder), kind.build(RIVERS), ON_RIVERS)


@pytest.mark.parametrize(
    ("kind", "step", "when"),
    [
        *((BM25, step, when) for step in ("flush_folder", "_delete") for when in ("before", "after")),
        *((kind, "writing", "before") for kind in KINDS),
        (Dense, "_delete", "before"),
    ],
)
def test_cut_short_at_any_step_it_is_the_old_or_the_new(folder, tiny_encoder, monkeypatch, kind, step, when):
    kind.build(RIVERS, folder=folder)
    with monkeypatch.context() as patch:
        real = getattr(index_folder, step)

        def killed(*arguments, **more):
            if when == "after":
                real(*arguments, **more)
            raise Killed

        patch.setattr(index_folder, step, killed)
        patch.setattr(index_folder.shutil, "rmtree", lambda *_, **__: None)  # a process that is gone deletes nothing
        with pytest.raises(Killed):
            kind.load(folder).exchange(["p1"], [ETNA])
    left = [*RIVERS[1:], ETNA] if step == "_delete" else RIVERS
    assert_same(kind.load(folder), kind.build(left), ON_RIVERS)
    kind.load(folder).add([Passage("p5", "", "a lake")])  # and the next change goes on from there
    assert [each.id for each in kind.load(folder)] == [*(each.id for each in left), "p5"]
    assert {path.name for path in folder.iterdir()} == {MANIFEST, ".lock", find_home(folder).name}


def test_interrupted_once_the_new_one_counts_it_stays(index, folder, monkeypatch):
    def interrupted(folder, files=True):
        if not files:  # index.json names the new one
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(index_folder, "flush_folder", interrupted)
        index.add([ETNA])
    assert_same(BM25.load(folder), BM25.build([*RIVERS, ETNA]), ON_RIVERS)


ADDING = """
import sys; from multihop.retrieval import BM25, Passage
for number in range(10_000):
    BM25.load(sys.argv[1]).add([Passage(str(number), "", "a lake")])
    print("done", flush=True)
"""


@pytest.mark.seconds
def test_killed_anywhere_it_is_the_old_or_the_new(index, folder):
    arguments = [sys.executable, "-c", ADDING, str(folder)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(5):
            process.stdout.readline()
        process.kill()
    left = list(BM25.load(folder))
    assert len(left) >= len(RIVERS) + 5
    assert_same(BM25.load(folder), BM25.build(left), ["lake", "river"])


@pytest.mark.parametrize("at", ["../other", "/etc", "", 3, "anew-1/../.."])
def test_a_manifest_that_names_another_folder_is_damaged(index, folder, at):
    (folder / MANIFEST).write_text(ujson.dumps({"at": at}))
    with pytest.raises(DamagedFileError, match="is damaged, index.json is not as it was written"):
        BM25.load(folder)
    assert len(BM25.build(RIVERS, folder=folder)) == 3  # and is replaced where it is built again


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickled_index_is_its_path_and_what_it_held_or_all_that_it_holds(kind, tmp_path, monkeypatch, tiny_encoder):
    monkeypatch.chdir(tmp_path)
    pages = [Passage(f"p{number}", "Po", f"page {number} " * 50) for number in range(10)]
    here, there = kind.build(pages, titles=False), kind.build(pages, titles=False, folder="index").remove(["p9"])
    assert copy.deepcopy(there) is there
    pickled = pickle.dumps(there)
    assert len(pickled) < 1000 < len(pickle.dumps(here))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for index in (here, there):
        again = pickle.loads(pickle.dumps(index))
        assert type(again) is kind
        assert_same(again, index, ["page 7"])
    kind.build(RIVERS, folder=tmp_path / "index")
    with pytest.raises(MismatchError, match="now holds another index than the one that was saved"):
        pickle.loads(pickled)
    shutil.rmtree(tmp_path / "index")
    with pytest.raises(InputError, match="is not an index"):
        pickle.loads(pickled)


@pytest.mark.parametrize("folders", [("words",), ("meanings",)])
def test_a_pickled_hybrid_of_parts_in_folders_and_in_memory(folders, tmp_path, tiny_encoder):
    places = [tmp_path / part if part in folders else None for part in ("words", "meanings")]
    index = Hybrid(BM25.build(RIVERS, folder=places[0]), Dense.build(RIVERS, folder=places[1]))
    assert_same(pickle.loads(pickle.dumps(index)), index, ON_RIVERS)


def test_an_index_of_an_older_version_is_refused_and_built_again(tmp_path):
    (tmp_path / "part-000001").mkdir()
    (tmp_path / MANIFEST).write_text(ujson.dumps({"kind": "bm25", "format": 103, "passages": 3, "files": {}}))
    with pytest.raises(MismatchError, match="was written by an older version of multihop; rebuild it with"):
        BM25.load(tmp_path)
    assert len(BM25.build(RIVERS, folder=tmp_path)) == 3
    assert not (tmp_path / "part-000001").exists()
