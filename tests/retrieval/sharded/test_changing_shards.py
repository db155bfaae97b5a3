"""Passages come and go in an index in shards, which ranks as one built anew."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from living import ETNA, ON_RIVERS, RIVERS, Killed, assert_same, changing_corpora

from multihop.base import InputError, MismatchError
from multihop.retrieval import BM25, Dense, Hybrid, Passage, Sharded, living_index, open_index
from multihop.retrieval.living import changes_file
from multihop.retrieval.sharded import layout, writing
from multihop.retrieval.sharded.index import Shards, open_shards_with

KINDS = {"bm25": BM25, "dense": Dense, "hybrid": Hybrid}
LAKE = Passage("p5", "Garda", "A lake at the foot of the Alps.")
ALPS = Passage("p6", "Alps", "Mountains, where the Inn and the Po begin.")


def build(folder, kind="bm25", passages=RIVERS, shards=2, block=1):
    return Sharded.build(passages, folder=folder, shards=shards, block=block, retriever=kind)


@settings(max_examples=25)
@given(changing_corpora(steps=4), st.integers(1, 3), st.sampled_from([0, 2, 1000]), st.integers(1, 3), st.booleans())
def test_after_every_change_it_ranks_as_one_built_anew(tmp_path_factory, corpus, shards, least, dealt, another):
    folder = tmp_path_factory.mktemp("changing") / "index"
    first, changes = corpus
    index = build(folder, passages=first, shards=shards)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living_index, "LEAST", least)
        patch.setattr(writing, "BLOCK", dealt)
        for verb, given_, current in changes:
            if another:
                index = open_index(folder)
            getattr(index, verb)(given_)
            anew = BM25.build(current)
            assert_same(index, anew)
            assert_same(open_index(folder), anew)
        index.wait()
        index.compact()
        assert_same(index, anew)
        assert_same(open_index(folder), anew)
        index.add([Passage("last", "", "red lake")])
        assert_same(index, BM25.build([*current, Passage("last", "", "red lake")]))


@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_vectors_rank_as_those_built_anew(tmp_path, monkeypatch, tiny_encoder, kind):
    monkeypatch.setattr(writing, "BLOCK", 1)
    index = build(tmp_path / "index", kind)
    watching = open_index(tmp_path / "index")
    for verb, given_, current in (
        ("add", [ETNA, LAKE, ALPS], [*RIVERS, ETNA, LAKE, ALPS]),
        ("update", [ETNA._replace(text="It erupts.")], [*RIVERS, LAKE, ALPS, ETNA._replace(text="It erupts.")]),
        ("remove", ["p1", "p5"], [*RIVERS[1:], ALPS, ETNA._replace(text="It erupts.")]),
    ):
        getattr(index, verb)(given_)
        anew = KINDS[kind].build(current)
        assert_same(index, anew, ON_RIVERS)
        assert_same(open_index(tmp_path / "index"), anew, ON_RIVERS)
        assert_same(pickle.loads(pickle.dumps(index)), anew, ON_RIVERS)
    assert list(watching) == RIVERS
    assert watching.reload() is True
    assert_same(watching, anew, ON_RIVERS)
    watching.compact()
    assert_same(watching, anew, ON_RIVERS)
    assert index.reload() is True
    assert_same(index, anew, ON_RIVERS)
    names = sorted(path.name for path in (tmp_path / "index" / "shard-0000/meanings").iterdir() if path.is_dir())
    assert [name[:6] for name in names] == ["whole-"]


def test_passages_are_found_by_id_and_by_position(tmp_path):
    index = build(tmp_path / "index")
    index.exchange(["p2"], [ETNA, LAKE])
    for _ in range(2):
        assert index.get(["p1", "p2", "p4"]) == {"p1": RIVERS[0], "p4": ETNA}
        assert [index.passage(position) for position in (0, 2, 3, 4)] == [RIVERS[0], RIVERS[2], ETNA, LAKE]
        with pytest.raises(IndexError):
            index.passage(1)
        index.compact()


def test_new_passages_go_to_the_smallest_shard(tmp_path):
    index = build(tmp_path / "index")  # of two passages and of one
    index.add([ETNA])
    index.add([LAKE])
    assert [len(shard.corpus) for shard in index._now.shards] == [3, 2]
    index.remove(["p1", "p3"])
    index.add([ALPS])
    assert [[passage.id for passage in shard.corpus] for shard in index._now.shards] == [["p5", "p6"], ["p2", "p4"]]


def test_a_shard_of_which_nothing_is_left_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(living_index, "LEAST", 0)
    index = build(tmp_path / "index")
    index.remove(["p2"])
    index.compact()
    assert_same(index, BM25.build([RIVERS[0], RIVERS[2]]), ON_RIVERS)
    index.add([ETNA])
    index.wait()
    assert_same(open_index(tmp_path / "index"), BM25.build([RIVERS[0], RIVERS[2], ETNA]), ON_RIVERS)
    assert index._now.is_whole


@pytest.mark.parametrize(
    ("verb", "given_", "message"),
    [
        ("add", [ETNA, RIVERS[0]], "^the index has a passage with the id 'p1' already"),
        ("remove", ["p1", "p9"], "^the index has no passage with the id 'p9'; nothing was changed"),
        ("remove", ["p1", "p2", "p3"], "^an index has one passage or more, and these are all"),
        ("update", [ETNA], "^the index has no passage with the id 'p4'"),
    ],
)
def test_what_cannot_be_done_changes_nothing(tmp_path, verb, given_, message):
    index = build(tmp_path / "index")
    with pytest.raises(InputError, match=message):
        getattr(index, verb)(given_)
    with changes_file.only_writer(tmp_path / "index"), pytest.raises(InputError, match="by another writer"):
        index.add([ETNA])
    for each in (index, open_index(tmp_path / "index")):
        assert_same(each, BM25.build(RIVERS), ON_RIVERS)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["write_added", "publish", "write_first", "sweep"])
@pytest.mark.parametrize("kind", ["bm25", "hybrid"])
def test_cut_short_it_is_the_old_or_the_new(tmp_path, monkeypatch, tiny_encoder, kind, step, when):
    folder = tmp_path / "index"
    index = build(folder, kind)
    index.add([LAKE])
    module = layout if step == "publish" else writing
    real = getattr(module, step)

    def killed(*arguments):
        if when == "after":
            real(*arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, step, killed)
        if step != "sweep":
            patch.setattr(writing.ShardedWriter, "sweep", lambda *_: None)
        with pytest.raises(Killed):
            index.compact() if step == "write_first" else index.exchange(["p1"], [ETNA])
    done = step == "sweep" or (step, when) == ("publish", "after")
    left = [*RIVERS, LAKE] if not done else [*RIVERS[1:], LAKE, ETNA]
    again = open_index(folder)
    assert_same(again, KINDS[kind].build(left), ON_RIVERS)
    again.add([ALPS])
    again.compact()
    assert_same(open_index(folder), KINDS[kind].build([*left, ALPS]), ON_RIVERS)
    assert len([path for path in folder.glob("shard-*/words/*") if path.is_dir()]) == 2
    assert len(list(folder.glob("added-*"))) == 1


def test_what_is_added_and_removed_while_parts_become_one(tmp_path):
    index = build(tmp_path / "index")
    index.exchange(["p2"], [ETNA, LAKE])
    with changes_file.only_compactor(tmp_path / "index", wait=False):
        before = index._settle()
        made = index._made_whole(before)
        index.exchange(["p4", "p1"], [RIVERS[1]])
        left = [RIVERS[2], LAKE, RIVERS[1]]
        with index._writing():
            index._take_whole(before, made)
    for each in (index, open_index(tmp_path / "index")):
        assert_same(each, BM25.build(left), ON_RIVERS)
    index.compact()
    assert_same(index, BM25.build(left), ON_RIVERS)


class Elsewhere(Shards):
    """Shards that this process does not have open, as those on a cluster are."""

    def __init__(self, home, manifest):
        super().__init__(home, manifest)
        self.actors, self.opened = self.opened, None

    def rank(self, *arguments):
        return [shard.rank(*arguments) for shard in self.actors]

    def count(self, words):
        return [shard.count(words) for shard in self.actors]


@pytest.mark.parametrize("kind", ["bm25", "hybrid"])
def test_shards_elsewhere_are_changed_over_the_folder(tmp_path, tiny_encoder, kind):
    with open_shards_with(Elsewhere):
        index = build(tmp_path / "index", kind)
        watching = open_index(tmp_path / "index")
    index.add([ETNA, LAKE])
    index.exchange(["p1", "p5"], [ALPS])
    left = [*RIVERS[1:], ETNA, ALPS]
    assert type(index._view.shards) is Elsewhere
    assert_same(index, KINDS[kind].build(left), ON_RIVERS)
    assert watching.reload() is True
    assert_same(watching, KINDS[kind].build(left), ON_RIVERS)
    index.compact()
    assert_same(index, KINDS[kind].build(left), ON_RIVERS)
    assert index.get(["p4"]) == {"p4": ETNA}


def test_another_index_in_its_place_is_not_changed(tmp_path):
    index = build(tmp_path / "index")
    Sharded.build(RIVERS[:2], folder=tmp_path / "index", shards=2, block=1, k1=0.9)
    with pytest.raises(MismatchError, match="now holds an index with other settings; open it anew"):
        index.add([ETNA])


def test_damaged_positions_are_named(tmp_path):
    index = build(tmp_path / "index")
    index.add([ETNA])
    (tmp_path / "index" / "added-000001.npz").write_bytes(b"x")
    with pytest.raises(InputError, match=r"index is damaged, added-000001.npz is not as it was written"):
        open_index(tmp_path / "index")
