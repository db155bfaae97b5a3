import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from full_disk import no_room_for
from hypothesis import given, settings
from hypothesis import strategies as st
from living import assert_same, changing_corpora

from multihop.base import InputError, MismatchError
from multihop.encoder import Encoder
from multihop.retrieval import BM25, Dense, Hybrid, Passage, Sharded, hybrid, living_index, open_index
from multihop.retrieval.index_folder import MANIFEST
from multihop.retrieval.living import changes_file
from multihop.retrieval.words import word_search

RIVERS = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Po", "The Po is the longest river of Italy."),
    Passage("p3", "Inn", "The Inn, a river, joins the Danube at Passau."),
]
ETNA = Passage("p4", "Etna", "Etna is a volcano, and no river.")


class Killed(BaseException):
    """The end of the process."""


QUERIES = ["a river in Italy", "the Danube", "volcano"]


@settings(max_examples=60)
@given(
    changing_corpora(),
    st.sampled_from([0, 3, 1000]),
    st.sampled_from([0, 1 << 20]),
    st.sampled_from([(1.2, 0.75), (0, 0), (2, 1)]),
    st.booleans(),
)
def test_after_every_change_it_ranks_as_one_built_anew(corpus, least, few, weights, titles):
    first, changes = corpus
    options = dict(zip(("k1", "b"), weights, strict=True), titles=titles)
    index = BM25.build(first, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living_index, "LEAST", least)
        patch.setattr(word_search, "FEW", few)
        for verb, given_, current in changes:
            getattr(index, verb)(given_)
            assert_same(index, BM25.build(current, **options))
        index.compact()
        assert_same(index, BM25.build(current, **options))
        assert index.postings.indptr[-1] == BM25.build(current, **options).postings.indptr[-1]


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


@settings(max_examples=12)
@given(changing_corpora(steps=4), st.sampled_from([0, 3, 1000]), st.booleans())
@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_vectors_rank_as_those_built_anew(kind, tiny_encoder_folder, corpus, least, one_vector):
    first, changes = corpus
    options = {"encoder": Encoder.load(tiny_encoder_folder), "one_vector": one_vector}
    index = kind.build(first, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living_index, "LEAST", least)
        for verb, given_, current in changes:
            getattr(index, verb)(given_)
            assert_same(index, kind.build(current, **options))
        index.compact()
        assert_same(index, kind.build(current, **options))


@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_a_folder_of_vectors_changes_with_it(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(living_index, "LEAST", 2)
    folder = tmp_path / "index"
    kind.build(RIVERS, folder=folder)
    watching = kind.load(folder)
    lake = Passage("p5", "Garda", "A lake at the foot of the Alps.")
    for verb, given_, current in (
        ("add", [ETNA], [*RIVERS, ETNA]),
        ("update", [ETNA._replace(text="It erupts often.")], [*RIVERS, ETNA._replace(text="It erupts often.")]),
        ("remove", ["p1"], [*RIVERS[1:], ETNA._replace(text="It erupts often.")]),
        ("add", [lake], [*RIVERS[1:], ETNA._replace(text="It erupts often."), lake]),
    ):
        getattr(kind.load(folder), verb)(given_)
        assert_same(open_index(folder), kind.build(current), QUERIES)
        assert_same(pickle.loads(pickle.dumps(kind.load(folder))), kind.build(current), QUERIES)
    assert list(watching) == RIVERS
    assert watching.reload() is True
    assert_same(watching, kind.build(current), QUERIES)
    watching.compact()
    assert_same(kind.load(folder), kind.build(current), QUERIES)
    with pytest.raises(InputError, match="the index has no passage with the id 'p9'"):
        watching.remove(["p9"])
    with changes_file.only_writer(folder), pytest.raises(InputError, match="is being changed by another writer"):
        watching.add([RIVERS[0]])
    assert_same(kind.load(folder), kind.build(current), QUERIES)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["write_gone", "_share_passages", "publish"])
def test_both_indexes_change_or_none(tmp_path, monkeypatch, step, when):
    Hybrid.build(RIVERS, folder=tmp_path / "index")
    index = Hybrid.load(tmp_path / "index")
    module = living_index if step == "write_gone" else hybrid
    real = getattr(module, step)

    def killed(*arguments):
        if when == "after":
            real(*arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, step, killed)
        patch.setattr(hybrid, "sweep", lambda *_: None)
        with pytest.raises(Killed):
            index._change(["p1"], [ETNA])
    left = [*RIVERS[1:], ETNA] if (step, when) == ("publish", "after") else RIVERS
    assert_same(Hybrid.load(tmp_path / "index"), Hybrid.build(left), QUERIES)
    index.add([Passage("p5", "", "a lake")])
    assert_same(Hybrid.load(tmp_path / "index"), Hybrid.build([*left, Passage("p5", "", "a lake")]), QUERIES)


def test_an_index_in_shards_takes_no_changes(tmp_path, tiny_encoder):
    index = Sharded.build(RIVERS, folder=tmp_path / "index", shards=2, retriever="hybrid")
    with pytest.raises(InputError, match="^an index in shards takes no changes; rebuild it with"):
        index.add([ETNA])


def test_likely_candidates_are_exact_beside_what_came_later():
    index = Dense.build(RIVERS, approximate="hnsw")
    index._change(["p1"], [ETNA])
    exact = Dense.build([*RIVERS[1:], ETNA])
    assert index.search(QUERIES, 3) == exact.search(QUERIES, 3)
    index.compact()
    assert index.search(QUERIES, 3) == exact.search(QUERIES, 3)
    assert index.fingerprint == Dense.build([*RIVERS[1:], ETNA], approximate="hnsw").fingerprint


@pytest.mark.parametrize("few", [0, 1 << 20])
def test_a_few_changes_of_a_large_corpus(monkeypatch, few):
    monkeypatch.setattr(word_search, "FEW", few)
    words = [f"w{number}" for number in range(12)]
    pages = [
        Passage(f"p{n}", "", " ".join(words[(n * n + step * step * n) % 12] for step in range(1 + n % 7)))
        for n in range(900)
    ]
    index = BM25.build(pages[:890])
    index._change(["p7", "p500"], pages[890:])
    queries = [" ".join(words[n::step]) for n in range(6) for step in (2, 3, 5, 11)]
    anew = BM25.build([page for page in pages if page.id not in ("p7", "p500")])
    assert_same(index, anew, queries, depths=(1, 5, 20, 1000))


def test_many_small_additions_are_few_parts():
    index = BM25.build(RIVERS)
    for number in range(100):
        index.add([Passage(f"n{number}", "", f"lake {number}")])
    parts = [part.left for part in index._state.corpus.parts]
    assert parts[0] == 3
    assert sum(parts) == 103
    assert all(left > 2 * right for left, right in pairwise(parts[1:]))


def test_once_enough_has_changed_all_is_one_part_again(monkeypatch):
    monkeypatch.setattr(living_index, "LEAST", 2)
    index = BM25.build(RIVERS)
    index.add([ETNA, Passage("p5", "", "a lake")])
    assert len(index._state.corpus.parts) == 2
    index.remove(["p1"])
    assert index._state.corpus.is_whole
    assert [passage.id for passage in index] == ["p2", "p3", "p4", "p5"]


ADDED_TWICE = r"^passage id 'p4' is given twice, as passages 1 and 2; ids must be unique\.$"
PRESENT = "^the index has a passage with the id 'p1' already, and nothing was changed; to put another"
ABSENT = r"^the index has no passage with the id 'p9'; nothing was changed\.$"


@pytest.mark.parametrize(
    ("verb", "given_", "message"),
    [
        ("add", [ETNA, ETNA], ADDED_TWICE),
        ("add", [ETNA, RIVERS[0]], PRESENT),
        ("add", ["Etna"], "^passage 1 is 'Etna', not a Passage with an id, a title and a text"),
        ("remove", ["p1", "p9"], ABSENT),
        ("remove", ["p1", "p1"], r"^passage id 'p1' is given twice; nothing was changed\.$"),
        ("remove", "p1", r"^ids are given as a list, not as one text; write \['p1'\]\.$"),
        ("remove", [1], r"^1 is no id, which is a text; nothing was changed\.$"),
        (
            "remove",
            ["p1", "p2", "p3"],
            r"^an index has one passage or more, and these are all; delete",
        ),
        ("update", [ETNA._replace(id="p9")], ABSENT),
        ("update", [RIVERS[0], RIVERS[0]], "^passage id 'p1' is given twice, as passages 1 and 2"),
    ],
)
@pytest.mark.parametrize("folder", [None, "index"])
def test_what_cannot_be_done_changes_nothing(tmp_path, verb, given_, message, folder):
    index = BM25.build(RIVERS, folder=folder and tmp_path / folder)
    with pytest.raises(InputError, match=message):
        getattr(index, verb)(given_)
    assert_same(index, BM25.build(RIVERS), QUERIES)


def test_a_removed_id_may_come_again():
    index = BM25.build(RIVERS)
    index.remove(["p1"])
    index.add([RIVERS[0]])
    assert_same(index, BM25.build([*RIVERS[1:], RIVERS[0]]), QUERIES)


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
    assert_same(reader, BM25.build(RIVERS), QUERIES)
    assert reader.reload() is True
    assert_same(reader, BM25.build(RIVERS[1:]), QUERIES)


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
    assert_same(BM25.load(tmp_path / "index"), BM25.build(left), QUERIES)


def test_two_who_have_it_open_change_it_in_turn(tmp_path):
    first = BM25.build(RIVERS, folder=tmp_path / "index")
    second = BM25.load(tmp_path / "index")
    first.add([ETNA])
    second.remove(["p4", "p1"])
    first.reload()
    assert_same(first, BM25.build(RIVERS[1:]), QUERIES)


def test_a_second_writer_is_told_to_wait(tmp_path):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    with changes_file.only_writer(tmp_path / "index"), pytest.raises(InputError) as error:
        index.add([ETNA])
    assert str(error.value) == f"{tmp_path / 'index'} is being changed by another writer; try again when that is done."
    index.add([ETNA])
    assert_same(index, BM25.build([*RIVERS, ETNA]), QUERIES)


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
    assert_same(BM25.load(folder), BM25.build([*RIVERS[1:], ETNA] if done else RIVERS), QUERIES)
    index = BM25.load(folder)
    index.add([Passage("p5", "", "a lake")])  # and the next change goes on from there
    index.compact()
    assert_same(BM25.load(folder), BM25.build([*([*RIVERS[1:], ETNA] if done else RIVERS), *list(index)[-1:]]), QUERIES)
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
        assert_same(each, BM25.build(RIVERS), QUERIES)
    assert sorted({path.name for path in folder.iterdir()} - {changes_file.LOCK}) == names


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


def test_searches_see_one_corpus_while_it_changes():
    index = BM25.build(RIVERS)
    pairs = [[Passage(f"{number}a", "", "red lake"), Passage(f"{number}b", "", "red lake")] for number in range(60)]

    def change():
        for pair in pairs:
            index.add(pair)
            index.remove([passage.id for passage in pair])

    with ThreadPoolExecutor(1) as threads:
        changing = threads.submit(change)
        found = []
        while not changing.done():
            found.append(len(index.search(["lake"], 10)[0]))
    changing.result()
    assert set(found) <= {0, 2}
    assert_same(index, BM25.build(RIVERS), QUERIES)


def test_copies_and_pickles_of_a_changed_index(tmp_path):
    for folder in (None, tmp_path / "index"):
        index = BM25.build(RIVERS, folder=folder)
        index._change(["p1"], [ETNA])
        assert copy.deepcopy(index) is index
        again = pickle.loads(pickle.dumps(index))
        assert_same(again, index, QUERIES)
        again.add([RIVERS[0]])
        assert len(again) == 4
    with pytest.raises(MismatchError, match="now holds another index than the one that was saved"):
        pickle.loads(pickle.dumps(index).replace(b"bm25-", b"bm25+"))


def test_a_changed_index_is_saved_as_one_built_anew(tmp_path):
    index = BM25.build(RIVERS)
    index._change(["p1"], [ETNA])
    index.save(tmp_path / "saved")
    assert_same(BM25.load(tmp_path / "saved"), BM25.build([*RIVERS[1:], ETNA]), QUERIES)


def test_an_index_without_counts_is_searched_and_takes_no_changes(tmp_path):
    BM25.build(RIVERS, folder=tmp_path / "index")
    manifest = index_without(tmp_path / "index", "counts.npy", "lengths.npy", "ids.hashes.npy", "ids.places.npy")
    older = BM25.load(tmp_path / "index")
    assert older.search(QUERIES, 3) == BM25.build(RIVERS).search(QUERIES, 3)
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


def test_a_part_that_is_missing_is_damage(tmp_path):
    index = BM25.build(RIVERS, folder=tmp_path / "index")
    index.add([ETNA])
    (tmp_path / "index" / index._state.changes.parts[1] / "terms.txt").unlink()
    with pytest.raises(InputError, match=r"part-000001 is damaged, terms\.txt is missing"):
        BM25.load(tmp_path / "index")
