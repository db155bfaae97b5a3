import gc
import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import RIVERS

from multihop.base import InputError
from multihop.retrieval import BM25, Dense, Hybrid, Passage, corpus_index, index_folder, is_index, open_index
from multihop.retrieval.corpus_index import IDS, CorpusCheck, PassageFile, write_passages
from multihop.retrieval.index_folder import HashTable, Manifest, find_home, open_manifest, read_manifest, seal


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.bin").write_bytes(b"some words")
    seal(tmp_path, {"kind": "words", "format": 3, "language": "français"})
    assert open_manifest(tmp_path, "words", 3, Manifest).language == "français"
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "version", "message"),
    [
        ("vectors", 3, "is an index of kind 'words', not 'vectors'; rebuild it with `multihop index`."),
        ("words", 4, "was written by an older version of multihop; rebuild it with `multihop index`."),
        ("words", 2, "was written by a newer version of multihop; rebuild it with `multihop index`."),
    ],
)
def test_other_kinds_and_versions_are_refused(folder, kind, version, message):
    with pytest.raises(InputError) as error:
        open_manifest(folder, kind, version, Manifest)
    assert str(error.value) == f"{folder} {message}"


def test_a_changed_file_and_a_missing_one_are_damage(folder):
    for content in (b"some word", b"some wordz", b""):
        (folder / "words.bin").write_bytes(content)
        with pytest.raises(InputError, match=r"is damaged, words\.bin is not as it was written; rebuild it"):
            open_manifest(folder, "words", 3, Manifest)
    (folder / "words.bin").unlink()
    with pytest.raises(InputError, match=r"is damaged, words\.bin is missing; rebuild it"):
        open_manifest(folder, "words", 3, Manifest)
    for content in (b"", b"[]", b'{"kind": "words", "files": {}}'):
        (folder / "index.json").write_bytes(content)
        with pytest.raises(InputError, match=r"is damaged, index\.json is not as it was written; rebuild it"):
            read_manifest(folder)


def test_no_index(folder, tmp_path):
    (folder / "index.json").unlink()
    states = {folder: "has no index.json", tmp_path / "x": "is no folder", folder / "words.bin": "is no folder"}
    for path, state in states.items():
        with pytest.raises(InputError) as error:
            open_index(path)
        assert str(error.value) == f"{path} is not an index, it {state}; build one with `multihop index`."


def test_the_kind_decides_the_class(tmp_path):
    BM25.build(RIVERS, folder=tmp_path / "index")
    assert isinstance(open_index(tmp_path / "index"), BM25)
    kinds = "bm25, colbert, dense, hybrid, or MODULE:CLASS of your own$"
    seal(tmp_path, {"kind": "bm52", "format": 1})
    with pytest.raises(InputError, match=rf"'bm52'; did you mean 'bm25'\? Valid: {kinds}"):
        open_index(tmp_path)


def broken_off(error):
    yield from RIVERS
    raise error


@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
@pytest.mark.parametrize("folder", [None, "index"])
def test_an_unusable_corpus_leaves_nothing_behind(tmp_path, tiny_encoder, kind, folder):
    target = folder and tmp_path / folder
    for passages, said in (
        ([], "^the corpus is empty; an index needs"),
        ([*RIVERS, RIVERS[0]], r"^passage id 'p1' is given twice, as passages 1 and 4; ids must be unique\.$"),
        ([*RIVERS, "text"], r"^passage 4 is 'text', not a Passage with an id, a title and a text\.$"),
        ([Passage("p2", None, "b")], r"^passage 1 is .*, not a Passage"),
        ([Passage(2, "", "b")], r"^passage 1 is .*, not a Passage"),
    ):
        with pytest.raises(InputError, match=said):
            kind.build(passages, folder=target)
    with pytest.raises(OSError, match="unplugged"):
        kind.build(broken_off(OSError("unplugged")), folder=target)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
def test_what_is_no_search_is_refused(tiny_encoder, kind):
    index = kind.build(RIVERS)
    assert index.search([], 1) == []
    with pytest.raises(InputError, match=r"^k must be at least 1, not 0\.$"):
        index.search(["river"], 0)
    with pytest.raises(InputError, match=r"list of queries, not one text; write search\(\['river'\], k=5\)"):
        index.search("river", 5)


class Killed(BaseException):
    """The end of the process."""


def test_a_killed_build_leaves_what_was_there(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(index_folder, "_delete", lambda paths: None)  # a process that is gone deletes nothing
        with pytest.raises(Killed):
            BM25.build(broken_off(Killed()), folder=tmp_path)
        assert not is_index(tmp_path)
        BM25.build(RIVERS, folder=tmp_path)
        with pytest.raises(Killed):
            BM25.build(broken_off(Killed()), folder=tmp_path)
    assert len(BM25.load(tmp_path)) == 3
    BM25.build(RIVERS, folder=tmp_path)
    assert sorted(path.name[:5] for path in tmp_path.iterdir()) == [".lock", "anew-", "index"]


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not ours to replace"):
        BM25.build(RIVERS, folder=tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_an_index_is_built_of_another(tmp_path):
    in_memory = BM25.build(RIVERS, k1=0.9)
    BM25.build(in_memory, k1=0.9, folder=tmp_path)
    home, loaded = find_home(tmp_path), BM25.load(str(tmp_path))
    BM25.build(RIVERS, k1=0.9, folder=tmp_path / "built")
    for file in find_home(tmp_path / "built").iterdir():
        assert (home / file.name).read_bytes() == file.read_bytes()
    assert loaded.search(["river", "Danube"], 3) == in_memory.search(["river", "Danube"], 3)
    BM25.build(loaded, folder=tmp_path)  # over itself
    assert loaded.search(["Danube"], 3) != BM25.load(tmp_path).search(["Danube"], 3)


def test_an_index_of_other_rules_and_one_that_lacks_passages_are_refused(tmp_path):
    BM25.build(RIVERS, folder=tmp_path)
    manifest = find_home(tmp_path) / "index.json"
    whole = json.loads(manifest.read_text())
    for change, said in (({"analyzer": "german"}, "splits text into terms by"), ({"passages": 5}, "is damaged, index")):
        manifest.write_text(json.dumps({**whole, **change}))
        with pytest.raises(InputError, match=said):
            BM25.load(tmp_path)


def test_passages_stay_on_disk_until_they_are_found(tmp_path):
    retriever = BM25.build((Passage(str(n), "", f"disk{n}") for n in range(300)), folder=tmp_path / "index")
    gc.collect()
    in_memory = [each for each in gc.get_objects() if isinstance(each, Passage) and str(each.text).startswith("disk")]
    assert len(in_memory) == 0
    assert retriever.search(["disk77"], 1)[0][0].passage.id == "77"


ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('\x00\ud800\u2028\n"\\/'), max_size=20
).filter(
    # Two lone halves side by side are, in JSON, the one character they make together.
    lambda text: text == json.loads(json.dumps(text))
)


@given(st.lists(st.builds(Passage, ANY_TEXT, ANY_TEXT, ANY_TEXT), min_size=1, unique_by=lambda each: each.id))
def test_passages_come_back_as_they_were(tmp_path_factory, passages):
    folder = tmp_path_factory.mktemp("passages")
    write_passages(folder, passages)
    stored = PassageFile(folder)
    assert len(stored) == len(passages)
    assert list(stored) == passages
    assert [stored[position] for position in range(len(passages))] == passages


def test_passages_are_found_by_their_ids(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_index, "BLOCK", 4)
    passages, seen = [Passage(f"p{number}", "", "x") for number in range(10)], []
    written = write_passages(tmp_path, iter(passages), seen.append)
    assert written == {"passages": 10, "corpus": fingerprint(*passages)}
    assert [len(block) for block in seen] == [4, 4, 2]
    stored, ids = PassageFile(tmp_path), HashTable.read(tmp_path, IDS)
    assert ids.find_passages(["p3", "p11", "p9"], stored) == {"p3": 3, "p9": 9}


def fingerprint(*passages, block=100):
    check = CorpusCheck()
    for start in range(0, len(passages), block):
        check.add(passages[start : start + block])
    return check.fingerprint


def test_the_fingerprint_does_not_depend_on_how_passages_arrive_and_changes_with_anything():
    passages = [Passage(str(number), "", f"text {number}") for number in range(10)]
    assert fingerprint(*passages) == fingerprint(*passages, block=3)
    assert fingerprint(Passage("p1", "Po", "A river.")) == "cd2e8853fdcfc6e3ff54977aa4dda791"  # in every process
    corpora = [
        [("p1", "Po", "A river."), ("p2", "", "")],
        [("p1", "Po", "A river"), ("p2", "", "")],
        [("p2", "", ""), ("p1", "Po", "A river.")],
        [("p1", "PoA", " river."), ("p2", "", "")],
        [("p1P", "o", "A river."), ("p2", "", "")],
        [("p1", "Po", "A river.")],
        [("p1", "Po", "A river."), ("p2", "", ""), ("", "", "")],
    ]
    assert len({fingerprint(*(Passage(*each) for each in corpus)) for corpus in corpora}) == len(corpora)


def test_equal_hashes_of_different_ids_are_no_duplicates(monkeypatch):
    for module in (corpus_index, index_folder):
        monkeypatch.setattr(module, "hash_texts", lambda ids: numpy.array([len(id_) for id_ in ids]))
    passages = [Passage("aa", "", ""), Passage("b", "", ""), Passage("cc", "", ""), Passage("dd", "", "")]
    check = CorpusCheck()
    check.add(passages)
    assert check.table(passages).find_passages(["dd", "b", "x"], passages) == {"dd": 3, "b": 1}
    passages.append(Passage("cc", "", ""))
    check.add(passages[4:])
    with pytest.raises(InputError, match="'cc' is given twice, as passages 3 and 5"):
        check.table(passages)
