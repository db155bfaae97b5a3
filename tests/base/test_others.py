import os

import pytest

from multihop.base.others import others_can_write


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home" / "cache" / "000").mkdir(parents=True)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("where", "mode", "open_to_others"),
    [
        (".", 0o755, False),
        (".", 0o777, True),
        (".", 0o1777, False),  # in a folder such as /tmp nobody renames what is another's
        ("cache", 0o777, True),
        ("cache", 0o1777, True),
        ("cache/000", 0o777, True),
        ("cache", 0o700, False),
    ],
)
def test_whoever_can_write_into_it_or_put_another_in_its_place(home, where, mode, open_to_others):
    (home / where).chmod(mode)
    assert others_can_write(home / "cache") is open_to_others


def test_a_folder_of_another_user(home, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: os.stat(home).st_uid + 1)
    if os.stat(home).st_uid != 0:
        assert others_can_write(home / "cache")


@pytest.mark.parametrize(("group", "open_to_others"), [(0, False), (12345, True)])
def test_a_group_that_is_not_the_users_own(home, group, open_to_others):
    try:
        os.chown(home / "cache", -1, group)
    except PermissionError:
        pytest.skip("this user may not give a folder to that group")
    (home / "cache").chmod(0o775)
    assert others_can_write(home / "cache") is open_to_others
