from functools import partial

import pytest

from multihop.base import InputError
from multihop.retrieval import BM25, Passage, documents, index_folder, open_index


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
        return [(name, documents.read_document(name, path)) for name, path in found.items()]

    monkeypatch.setattr(documents, "read_documents", read_here)
    return names


@pytest.fixture
def sync(folder, read, tmp_path):
    def run():
        index = tmp_path / "index"
        done = documents.synchronize(folder, index, partial(BM25.build, folder=index), partial(open_index, index))
        return done.added, done.changed, done.removed

    return run


def contents(tmp_path):
    return {passage.id: passage.text for passage in open_index(tmp_path / "index")}


WHOLE = {"inn.txt#1": "The Inn is a river.", "po.md#1": "A river of Italy.", "po.md#2": "It rises in the Alps."}


def test_an_index_follows_its_folder(folder, sync, read, tmp_path):
    assert sync() == (["inn.txt", "po.md"], [], [])
    assert contents(tmp_path) == WHOLE
    state = (tmp_path / "index/index.json").read_bytes()
    (folder / "inn.txt").write_text("The Inn is  a river.\n")  # written again as it was
    assert [sync(), sync()] == [([], [], [])] * 2
    assert read == ["inn.txt", "po.md", "inn.txt"]  # and that is remembered
    assert (tmp_path / "index/index.json").read_bytes() == state
    (folder / "po.md").write_text("# Po\nA long river of Italy.")
    (folder / "inn.txt").unlink()
    (folder / "etna.html").write_text("<h1>Etna</h1><p>A volcano.")
    assert sync() == (["etna.html"], ["po.md"], ["inn.txt"])
    assert contents(tmp_path) == {"etna.html#1": "A volcano.", "po.md#1": "A long river of Italy."}
    assert open_index(tmp_path / "index").search(["volcano"], 1)[0][0].passage == ("etna.html#1", "Etna", "A volcano.")
    open_index(tmp_path / "index").add([Passage("mine", "", "A page of one's own.")])
    assert sync() == ([], [], [])  # what is remembered is taken over
    assert "mine" in contents(tmp_path)


@pytest.mark.parametrize("step", ["writing", "_delete"])
def test_cut_short_it_is_set_right_the_next_time(folder, sync, tmp_path, monkeypatch, step):
    sync()
    (folder / "po.md").write_text("# Po\nA long river.\n## One\n1\n## Two\n2")
    (folder / "etna.txt").write_text("A volcano.")

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(index_folder, step, killed)
        with pytest.raises(KeyboardInterrupt):
            sync()
    assert len(contents(tmp_path)) == (3 if step == "writing" else 5)
    (folder / "po.md").write_text("# Po\nA short river.")
    (folder / "etna.txt").unlink()
    sync()
    assert contents(tmp_path) == {"inn.txt#1": "The Inn is a river.", "po.md#1": "A short river."}


def test_an_index_of_something_else_is_left_alone(sync, tmp_path):
    BM25.build([Passage("p1", "Po", "A river.")], folder=tmp_path / "index")
    with pytest.raises(InputError, match="is an index that `sync` has not made; name another with --to, or delete it"):
        sync()
    assert contents(tmp_path) == {"p1": "A river."}


def test_a_memory_that_is_damaged_is_said(sync, tmp_path):
    sync()
    for text in ("", "[]", '{"po.md": [1e400]}', '{"po.md": 1}'):
        (tmp_path / "index/documents.json").write_text(text)
        with pytest.raises(InputError, match=r"documents\.json is damaged, or is not what `sync` remembers \(delete"):
            sync()
