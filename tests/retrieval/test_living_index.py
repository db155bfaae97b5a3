import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from living import ETNA, ON_RIVERS, RIVERS, assert_same, changing_corpora

from multihop.base import InputError, MismatchError
from multihop.retrieval import BM25, Passage, living_index
from multihop.retrieval.words import word_search


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
    index.wait()
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
    assert_same(index, BM25.build(RIVERS), ON_RIVERS)


def test_a_removed_id_may_come_again():
    index = BM25.build(RIVERS)
    index.remove(["p1"])
    index.add([RIVERS[0]])
    assert_same(index, BM25.build([*RIVERS[1:], RIVERS[0]]), ON_RIVERS)


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
    assert_same(index, BM25.build(RIVERS), ON_RIVERS)


def test_copies_and_pickles_of_a_changed_index(tmp_path):
    for folder in (None, tmp_path / "index"):
        index = BM25.build(RIVERS, folder=folder)
        index._change(["p1"], [ETNA])
        assert copy.deepcopy(index) is index
        again = pickle.loads(pickle.dumps(index))
        assert_same(again, index, ON_RIVERS)
        again.add([RIVERS[0]])
        assert len(again) == 4
    with pytest.raises(MismatchError, match="now holds another index than the one that was saved"):
        pickle.loads(pickle.dumps(index).replace(b"bm25-", b"bm25+"))


def test_a_changed_index_is_saved_as_one_built_anew(tmp_path):
    index = BM25.build(RIVERS)
    index._change(["p1"], [ETNA])
    index.save(tmp_path / "saved")
    assert_same(BM25.load(tmp_path / "saved"), BM25.build([*RIVERS[1:], ETNA]), ON_RIVERS)
