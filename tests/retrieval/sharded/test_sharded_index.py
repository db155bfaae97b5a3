import pickle
import shutil
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import DamagedFileError, InputError, MismatchError
from multihop.data import open_corpus, open_questions
from multihop.retrieval import BM25, Dense, Hybrid, Passage, Sharded, delete_index, is_index, open_index
from multihop.retrieval.sharded.layout import RoundRobin

KINDS = {"bm25": BM25, "dense": Dense, "hybrid": Hybrid}


@pytest.fixture(scope="module")
def world():
    return list(open_corpus("world"))[:2200]  # three blocks


@pytest.fixture(scope="module")
def queries():
    return [*(question.question for question in islice(open_questions("world"), 60)), " ", "zzzz", "the of and"]


def towns(count):
    return [Passage(f"p{n}", f"Town {n % 5}", f"Town {n % 9} lies on river {n % 7}.") for n in range(count)]


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("kind", KINDS)
def test_rankings_are_those_of_one_machine_to_the_last_bit(kind, world, queries, tmp_path):
    whole = KINDS[kind].build(world)
    sharded = Sharded.build(iter(world), folder=tmp_path / "index", shards=3, retriever=kind)
    assert len(list((tmp_path / "index").glob("shard-*"))) == 3
    assert sharded.search(queries, 10) == whole.search(queries, 10)
    assert [sharded.search([query], 60)[0] for query in queries[:20]] == [
        whole.search([query], 60)[0] for query in queries[:20]
    ]
    assert sharded.fingerprint == whole.fingerprint
    assert list(sharded) == world
    assert len(sharded) == len(world)
    opened = pickle.loads(pickle.dumps(open_index(tmp_path / "index")))
    assert opened.search(queries[:9], 10) == whole.search(queries[:9], 10)


@given(st.lists(st.sampled_from("red river blue lake town".split()), min_size=1, max_size=30), st.integers(1, 9))
def test_however_a_corpus_is_dealt_equal_scores_keep_its_order(tmp_path_factory, texts, shards):
    pages = [Passage(f"p{n}", "", text) for n, text in enumerate(texts)]
    folder = tmp_path_factory.mktemp("dealt")
    found = Sharded.build(pages, folder=folder, shards=shards, block=2).search(["red lake", "town"], 7)
    assert found == BM25.build(pages).search(["red lake", "town"], 7)


def test_settings_are_those_of_one_machine(tmp_path):
    options = {"k1": 0.9, "b": 0.4, "titles": False}
    sharded = Sharded.build(towns(30), folder=tmp_path / "index", shards=2, block=3, **options)
    whole = BM25.build(towns(30), **options)
    assert sharded.search(["town on river 3"], 9) == whole.search(["town on river 3"], 9)
    assert sharded.fingerprint == whole.fingerprint != BM25.build(towns(30)).fingerprint


@pytest.mark.usefixtures("tiny_encoder")
def test_a_hybrid_index_reads_its_first_hits_again(tmp_path):
    whole = Hybrid.build(towns(40), rerank=5)
    sharded = Sharded.build(towns(40), folder=tmp_path / "index", shards=2, retriever="hybrid", rerank=5)
    assert sharded.search(["town on river 3"], 9) == whole.search(["town on river 3"], 9)
    assert sharded.fingerprint == whole.fingerprint


def test_progress_counts_passages_up_to_the_last(tmp_path):
    told = []
    Sharded.build(towns(10), folder=tmp_path / "index", shards=2, block=4, progress=told.append)
    assert told == [4, 8, 10, 10]


def test_a_small_corpus_has_fewer_shards(tmp_path):
    sharded = Sharded.build(towns(5), folder=tmp_path / "index", shards=4, block=3)
    assert sorted(each.name for each in (tmp_path / "index").iterdir()) == ["index.json", "shard-0000", "shard-0001"]
    assert list(sharded) == towns(5)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 200))
def test_every_position_has_one_place(shards, block, position):
    order = RoundRobin(shards, block)
    shard, place = order.place(position)
    assert shard < shards
    assert order.position(shard, place) == position


def test_what_is_missing_or_damaged_is_named(tmp_path):
    home = tmp_path / "index"
    Sharded.build(towns(20), folder=home, shards=3, block=2)
    other = tmp_path / "other"
    Sharded.build(towns(20)[::-1], folder=other, shards=3, block=2)
    whole = (home / "shard-0001/words/passages.jsonl").read_bytes()
    (home / "shard-0001/words/passages.jsonl").write_bytes(whole[:-1] + b"x")
    with pytest.raises(DamagedFileError, match=r"shard-0001/words is damaged, passages.jsonl is not as it was written"):
        open_index(home)
    shutil.rmtree(home / "shard-0001")
    with pytest.raises(DamagedFileError, match=r"index is damaged, shard-0001 is missing; rebuild it with"):
        open_index(home)
    shutil.copytree(other / "shard-0001", home / "shard-0001")
    with pytest.raises(DamagedFileError, match=r"index is damaged, shard-0001/words is not as it was written"):
        open_index(home)
    (home / "index.json").write_text((home / "index.json").read_text().replace('"block": 2', '"block": 0'))
    with pytest.raises(DamagedFileError, match=r"index.json is not as it was written"):
        open_index(home)
    delete_index(home)
    assert not is_index(home)


def test_what_cannot_be_built_is_refused_and_nothing_is_left(tmp_path):
    home = tmp_path / "index"
    for passages, options, said in (
        ([], {}, "the corpus is empty"),
        (towns(3) + towns(1), {}, "passage id 'p0' is given twice, as passages 1 and 4"),
        (towns(3), {"shards": 0}, "an index has 1 shard or more"),
        (towns(3), {"retriever": "colbert"}, "unknown retriever in shards 'colbert'"),
    ):
        with pytest.raises(InputError, match=said):
            Sharded.build(passages, folder=home, block=1, **{"shards": 2, **options})
    assert list(tmp_path.iterdir()) == []


def test_another_index_in_its_place_is_not_taken_for_it(tmp_path):
    pickled = pickle.dumps(Sharded.build(towns(9), folder=tmp_path / "index", shards=2, block=2))
    Sharded.build(towns(8), folder=tmp_path / "index", shards=2, block=2)
    with pytest.raises(MismatchError, match="now holds another index"):
        pickle.loads(pickled)
