import copy
import os
import pickle
import signal
import time

import nursery
import pytest

from multihop import BM25, Dense, Hybrid, Passage, World
from multihop.base import InputError, MismatchError, RunFailed
from multihop.data import open_retriever
from multihop.retrieval import Milvus, find
from multihop.retrieval.servers import milvus_building

pymilvus = pytest.importorskip("pymilvus")
pytest.importorskip("milvus_lite")

SMALL = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Po", "The Po is the longest river of Italy."),
    Passage("p3", "", "…?"),
    Passage("p4", "Висла", "Висла — река. 東京 élan"),
    Passage("p5", "Po", "The Po is the longest river of Italy."),
]


@pytest.fixture
def address(tmp_path):
    return f"milvus:{tmp_path}/indexes/x.db#wiki"


def rows(address):
    uri, _, name = address.removeprefix("milvus:").partition("#")
    client = pymilvus.MilvusClient(uri)
    return {each: client.query(each, filter="", output_fields=["count(*)"])[0]["count(*)"] for each in (name,)}[name]


def assert_same_but_for_ties(mine, expected, queries, k):
    """The same scores at every place, and the same passages with each score but the lowest."""
    for ours, theirs in zip(mine.search(queries, k), expected.search(queries, k), strict=True):
        assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs])
        above = theirs[-1].score + 1e-5 if theirs else 0.0
        ours, theirs = ({hit.passage for hit in hits if hit.score > above} for hits in (ours, theirs))
        assert ours == theirs


@pytest.mark.seconds
def test_rankings_are_those_of_bm25_but_for_ties(address):
    world = World(questions=300, seed=1)
    passages = list(world.passages())
    questions = [question.question for question in world.questions()]
    here, there = BM25.build(passages), Milvus.build(passages, address)
    assert_same_but_for_ties(there, here, questions, 10)
    assert_same_but_for_ties(there, here, ["film", "film film director", "the born"], 40)
    assert there.fingerprint == here.fingerprint


@pytest.mark.parametrize("options", [{}, {"k1": 0.9, "b": 0.4, "titles": False}])
def test_settings_are_kept_and_every_script_is_found(address, options):
    queries = ["rivers of Italy", "Vienna", "висла", "東京", "élan", "Po", "", "the", "unheard", "Po unheard Po river"]
    here = BM25.build(SMALL, **options)
    Milvus.build(SMALL, address, **options)
    opened = Milvus.open(address)
    assert_same_but_for_ties(opened, here, queries, 3)
    assert [hit.passage.id for hit in opened.search(["longest river"], 2)[0]] == ["p2", "p5"]
    assert opened.search([], 3) == []
    assert (len(opened), opened.fingerprint) == (5, here.fingerprint)


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize(("kind", "ours"), [("dense", Dense), ("hybrid", Hybrid)])
def test_meanings_are_ranked_as_in_a_folder(address, kind, ours):
    queries = ["rivers of Italy", " ", "Vienna and Budapest", "volcano"]
    here = ours.build(SMALL, one_vector=True)
    Milvus.build(SMALL, address, retriever=kind)
    there = Milvus.open(address)
    for mine, expected in zip(there.search(queries, 5), here.search(queries, 5), strict=True):
        assert [hit.passage for hit in mine] == [hit.passage for hit in expected]
        assert [hit.score for hit in mine] == pytest.approx([hit.score for hit in expected], abs=1e-5)
    assert there.fingerprint.startswith("milvus-")


@pytest.mark.usefixtures("tiny_encoder")
def test_it_is_an_index_like_any_other(address, loud_loop):
    Milvus.build(SMALL, address)
    retriever = open_retriever(address)
    assert copy.deepcopy(retriever) is retriever
    again = pickle.loads(pickle.dumps(retriever))
    assert again.search(["Vienna"], 1) == retriever.search(["Vienna"], 1)

    async def main():
        return await find(retriever, "Vienna", k=1)

    assert [hit.passage.id for hit in loud_loop(main)] == ["p1"]
    path = address.removeprefix("milvus:")
    assert repr(retriever) == f"Milvus({path}, 5 passages, bm25)"


def test_building_again_sends_nothing(address, monkeypatch):
    Milvus.build(SMALL, address)
    calls = []
    ask = milvus_building.MilvusCalls.ask
    monkeypatch.setattr(
        milvus_building.MilvusCalls, "ask", lambda self, call, *a, **o: calls.append(call) or ask(self, call, *a, **o)
    )
    Milvus.build(SMALL, address)
    assert set(calls) == {"has_collection", "describe_collection", "load_collection", "get", "query"}
    assert rows(address) == 5


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"passages": SMALL[1:]}, "holds another corpus; choose another name"),
        ({"k1": 0.9}, "holds an index with k1=1.2; choose another name"),
        ({"titles": False}, "holds an index with titles=True; choose"),
        ({"retriever": "dense"}, "holds an index for --retriever bm25; choose"),
    ],
)
def test_a_collection_of_something_else_is_refused_and_left_as_it_is(address, other, said):
    Milvus.build(SMALL, address)
    with pytest.raises(MismatchError) as caught:
        Milvus.build(**{"passages": SMALL, "address": address, **other})
    assert said in str(caught.value)
    assert Milvus.open(address).search(["Vienna"], 1)[0][0].passage == SMALL[0]


def test_the_vectors_of_another_encoder_are_refused(address, tiny_encoder):
    Milvus.build(SMALL, address, retriever="dense")

    class Other:
        embedding, place = "other", {}

        def embed_queries(self, queries):
            raise AssertionError("nothing is encoded")

    with pytest.raises(MismatchError, match="holds the vectors of another encoder; choose"):
        Milvus.build(SMALL, address, retriever="dense", encoder=Other())
    with pytest.raises(MismatchError, match=r"was made by the encoder .*, and this one is other; build it anew"):
        Milvus.open(address, encoder=Other())


@pytest.mark.parametrize("name", ["wiki", "wiki_multihop"])
def test_what_somebody_else_made_is_refused(address, name, tmp_path):
    (tmp_path / "indexes").mkdir()
    client = pymilvus.MilvusClient(f"{tmp_path}/indexes/x.db")
    client.create_collection(name, dimension=4)
    client.insert(name, [{"id": 1, "vector": [1.0, 0, 0, 0]}])
    with pytest.raises(MismatchError, match="is there and was not made by multihop; choose another name"):
        Milvus.build(SMALL, address)
    with pytest.raises(InputError, match="multihop"):
        Milvus.open(address)
    assert client.list_collections() == [name]
    assert rows(f"milvus:{tmp_path}/indexes/x.db#{name}") == 1


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        (Passage("p2", "", "é" * 40_000), "the text of passage 2 ('p2') has 80,000 bytes, and Milvus keeps 65,535"),
        (Passage("p2", "\ud800", "It is."), "has half a character in its title"),
        (Passage("p1", "", "It is."), "passage id 'p1' is given twice"),
    ],
)
def test_what_milvus_cannot_keep_is_refused_before_anything_is_sent(address, passage, said):
    with pytest.raises(InputError) as caught:
        Milvus.build([SMALL[0], passage], address)
    assert said in str(caught.value)
    with pytest.raises(InputError):
        Milvus.open(address)


def test_an_unknown_way_of_ranking_is_refused(address):
    with pytest.raises(InputError, match="unknown retriever in Milvus 'colbert'"):
        Milvus.build(SMALL, address, retriever="colbert")


@pytest.mark.seconds
@pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")
def test_a_killed_build_goes_on_where_it_was(address, tmp_path):
    told, size = tmp_path / "told", 4 * milvus_building.BLOCK
    process = nursery.start(nursery.fill_milvus, address, size, str(told), 1024)
    while process.is_alive() and (not told.exists() or not told.read_text()):
        time.sleep(0.001)
    with pytest.raises(RunFailed, match=r"x\.db cannot be opened; is another process using it"):
        Milvus.open(address)
    process.kill()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with pytest.raises(MismatchError, match=r"holds \d,\d+ of 4,096 passages and .* terms; build it again"):
        Milvus.open(address)
    process = nursery.start(nursery.fill_milvus, address, size, str(told))
    while process.is_alive() and told.read_text().split()[-1] == "1024":
        time.sleep(0.001)
    process.kill()  # in the midst of a block
    process.join(60)
    nursery.fill_milvus(address, size, told)
    assert told.read_text().split() in (["1024", "2048", "3072", "4096"], ["1024", "2048", "3072", "3072", "4096"])
    assert rows(address) == size
    corpus = [Passage(f"p{i}", f"Town {i % 50}", f"River {i % 7} meets river {i % 11}.") for i in range(size)]
    assert_same_but_for_ties(Milvus.open(address), BM25.build(corpus), ["town 13", "river"], 10)
