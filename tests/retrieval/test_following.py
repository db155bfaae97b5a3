"""The index of a folder of documents, which follows the folder."""

import pytest
from full_disk import no_room_for

from multihop.base import InputError
from multihop.retrieval import BM25, Dense, Passage, documents, following, index_folder, open_index


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "po.md").write_text("# Po\nA river of Italy.\n## Course\nIt rises in the Alps.")
    (folder / "inn.txt").write_text("The Inn is a river.")
    return folder


@pytest.fixture
def read(monkeypatch):
    """The names of the documents that were read, here and not in a process of their own."""
    names = []

    def read_here(found):
        names.extend(found)
        for name, path in found.items():
            try:
                yield name, list(documents.read_document(name, path))
            except InputError as error:
                yield name, str(error)

    monkeypatch.setattr(following, "read_documents", read_here)
    return names


@pytest.fixture
def follow(folder, read, tmp_path):
    def run(kind=BM25, **options):
        done = following.follow(folder, tmp_path / "index", kind, options, {"kind": kind.kind, **options})
        assert list(done.retriever) == list(open_index(tmp_path / "index"))
        return done.added, done.changed, done.removed

    return run


def contents(tmp_path):
    return {passage.id: passage.text for passage in open_index(tmp_path / "index")}


WHOLE = {"inn.txt#1": "The Inn is a river.", "po.md#1": "A river of Italy.", "po.md#2": "It rises in the Alps."}


def test_an_index_follows_its_folder(folder, follow, read, tmp_path):
    assert follow() == (["inn.txt", "po.md"], [], [])
    assert contents(tmp_path) == WHOLE
    state = (tmp_path / "index/index.json").read_bytes()
    (folder / "inn.txt").write_text("The Inn is  a river.\n")  # written again as it was
    assert [follow(), follow()] == [([], [], [])] * 2
    assert read == ["inn.txt", "po.md", "inn.txt"]  # and that is remembered
    assert (tmp_path / "index/index.json").read_bytes() == state
    (folder / "po.md").write_text("# Po\nA long river of Italy.")
    (folder / "etna.html").write_text("<h1>Etna</h1><p>A volcano.")
    assert follow() == (["etna.html"], ["po.md"], [])
    now = {"etna.html#1": "A volcano.", "inn.txt#1": "The Inn is a river.", "po.md#1": "A long river of Italy."}
    assert list(contents(tmp_path).items()) == list(now.items())  # as if built anew of the folder
    (folder / "inn.txt").unlink()
    assert follow() == ([], [], ["inn.txt"])
    (hit,) = open_index(tmp_path / "index").search(["volcano"], 1)[0]
    assert hit.passage == ("etna.html#1", "Etna", "A volcano.")


def test_what_was_changed_otherwise_or_made_otherwise_is_read_again(follow, read, tmp_path):
    follow()
    open_index(tmp_path / "index").exchange(["po.md#2"], [Passage("mine", "", "A page of one's own.")])
    follow()
    assert contents(tmp_path) == WHOLE
    follow(k1=0.5)
    assert (open_index(tmp_path / "index").settings["k1"], len(read)) == (0.5, 6)
    (tmp_path / "index/documents.json").write_text('{"made": 1}')
    assert follow(k1=0.5) == (["inn.txt", "po.md"], [], [])
    assert contents(tmp_path) == WHOLE


def test_what_cannot_be_read_is_kept_as_it_was_and_tried_again(folder, follow, read, tmp_path):
    (folder / "bad.txt").write_bytes(b"\xff")
    follow()
    (folder / "inn.txt").write_bytes(b"\xff")
    assert [follow(), follow()] == [([], [], [])] * 2
    assert read[3:] == ["bad.txt", "inn.txt"] * 2
    assert contents(tmp_path) == WHOLE


class Counting:
    """An encoder that has a vector for every text, and counts the texts."""

    embedding, place = "counting", {}

    def __init__(self):
        self.texts = []

    def embed(self, texts, *, progress=None):
        import numpy as np

        self.texts += texts
        return np.array([[len(text), 1.0] for text in texts], np.float32)


def test_only_texts_that_are_new_are_encoded(folder, follow, monkeypatch):
    encoder = Counting()
    monkeypatch.setattr("multihop.retrieval.dense.open_encoder", lambda *_, **__: encoder)
    follow(Dense)
    (folder / "po.md").rename(folder / "a.md")
    (folder / "b.txt").write_text("A lake.")
    assert follow(Dense) == (["a.md", "b.txt"], [], ["po.md"])
    assert encoder.texts[3:] == ["b. A lake."]


@pytest.mark.parametrize("step", ["writing", "_delete"])
def test_cut_short_it_is_set_right_the_next_time(folder, follow, tmp_path, monkeypatch, step):
    follow()
    (folder / "po.md").write_text("# Po\nA long river.\n## One\nIt is long here.\n## Two\nIt is short here.")
    (folder / "etna.txt").write_text("A volcano.")

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(index_folder, step, killed)
        with pytest.raises(KeyboardInterrupt):
            follow()
    assert len(contents(tmp_path)) == (3 if step == "writing" else 5)
    (folder / "po.md").write_text("# Po\nA short river.")
    (folder / "etna.txt").unlink()
    follow()
    assert contents(tmp_path) == {"inn.txt#1": "The Inn is a river.", "po.md#1": "A short river."}


def test_with_a_full_disk_the_old_index_stands(folder, follow, tmp_path):
    follow()
    (folder / "long.txt").write_text("A long text. " * 1000)
    with no_room_for(8000), pytest.raises(InputError, match="index: File too large"):
        follow()
    assert contents(tmp_path) == WHOLE
    assert len(list((tmp_path / "index").glob("anew-*"))) == 1
    assert follow() == (["long.txt"], [], [])


def test_what_is_served_follows_the_folder(folder, read, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    served = following.following(str(folder), BM25, {"kind": "bm25"})
    assert served.latest() is served
    (folder / "etna.txt").write_text("Etna is a volcano.")
    newest = served.latest()
    assert (len(served), len(newest)) == (3, 4)
    (folder / "bad.txt").write_bytes(b"\xff")
    assert newest.latest() is newest.latest() is newest
    assert read[-1] == "bad.txt"
    assert read.count("bad.txt") == 1  # not at every look
    again = following.following(str(folder), BM25, {"kind": "bm25"})  # as after a restart
    assert (len(again), read.count("etna.txt")) == (4, 1)
    for document in folder.iterdir():
        document.unlink()
    with pytest.raises(InputError, match="has no documents"):
        again.latest()
