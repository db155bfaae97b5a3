import os
import pickle
import sqlite3
import sys
import warnings
from types import SimpleNamespace

import dspy
import pytest

from multihop.runtime.cache import DSPyCache, others_can_write

CALL = {"outputs": ["Paris"], "tokens": [8, 2, False]}


class Harmful:
    """Runs code when it is unpickled."""

    def __init__(self, note):
        self.note = note

    def __reduce__(self):
        return open, (str(self.note), "w")


@pytest.fixture
def folder(tmp_path):
    """The folder of DSPy's cache on disk, which forgets what is in memory."""
    place = tmp_path / "cache"
    dspy.configure_cache(enable_memory_cache=False, disk_cache_dir=str(place))
    return place


def plant(value, key="k"):
    dspy.cache.put({"multihop": key}, value)


@pytest.mark.usefixtures("folder")
def test_what_is_no_call_or_cannot_be_read_is_a_miss_and_is_kept_anew(monkeypatch):
    texts = ["{not JSON", "[1, 2]", 7]
    calls = [{"outputs": ["a"]}, CALL | {"tokens": ["8", 2, 0]}, CALL | {"tokens": [8]}, CALL | {"outputs": "Paris"}]
    for value in (*texts, *calls):
        plant(value)
        assert DSPyCache().get("k") is None
    Gone = type("Gone", (), {"__module__": "gone"})  # noqa: N806 - a class of a module that is there no more
    monkeypatch.setitem(sys.modules, "gone", SimpleNamespace(Gone=Gone))
    plant({"outputs": [Gone()]})
    monkeypatch.delitem(sys.modules, "gone")
    with pytest.raises(ModuleNotFoundError):
        dspy.cache.get({"multihop": "k"})
    assert DSPyCache().get("k") is None
    DSPyCache().put("k", CALL)
    assert isinstance(dspy.cache.get({"multihop": "k"}), str), "it is kept as text"
    assert DSPyCache().get("k") == CALL
    assert DSPyCache().get("other") is None

    def damaged(request):
        raise sqlite3.DatabaseError("file is not a database")

    monkeypatch.setattr(dspy.cache, "get", damaged)
    assert DSPyCache().get("k") is None


def test_no_pickle_is_loaded_from_a_folder_that_others_can_write_to(folder, tmp_path):
    plant(Harmful(tmp_path / "harm"))
    folder.chmod(0o777)
    store = DSPyCache()
    with pytest.warns(UserWarning, match=r"other users can write to .*cache, so that kept answers are not taken"):
        assert store.get("k") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        store.put("k", CALL)
        assert store.get("k") == CALL
    assert not (tmp_path / "harm").exists()
    assert pickle.loads(pickle.dumps(Harmful(tmp_path / "harm")))  # it would have been
    assert (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    ("folder_mode", "mode", "open_to_others"),
    [
        (0o755, 0o700, False),
        (0o777, 0o700, True),  # who can write beside it can put another in its place
        (0o1777, 0o700, False),  # in a folder such as /tmp nobody renames what is another's
        (0o755, 0o777, True),
        (0o755, 0o1777, True),
    ],
)
def test_whoever_can_write_into_it_or_put_another_in_its_place(tmp_path, folder_mode, mode, open_to_others):
    (tmp_path / "home" / "cache").mkdir(parents=True)
    (tmp_path / "home" / "cache").chmod(mode)
    (tmp_path / "home").chmod(folder_mode)
    assert others_can_write(tmp_path / "home" / "cache") is open_to_others


def test_a_folder_of_another_user(tmp_path, monkeypatch):
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert others_can_write(tmp_path) is (owner != 0)


def test_a_group_that_is_not_the_users_own(tmp_path):
    for group in (0, 12345):
        try:
            os.chown(tmp_path, -1, group)
        except PermissionError:
            pytest.skip("this user may not give a folder to that group")
        tmp_path.chmod(0o775)
        assert others_can_write(tmp_path) is (group != 0)
