import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from packages import PACKAGES

from multihop.base.imports import lazily


def stub_of(package):
    return Path(import_module(package).__path__[0], "__init__.pyi")


ROOMS = [package for package in PACKAGES if stub_of(package).exists()]


def seen_by_editors(room):
    """The names of a room, each with the module it comes from, as type checkers and editors see them."""
    imports = [line for line in ast.parse(stub_of(room).read_text()).body if isinstance(line, ast.ImportFrom)]
    return {(alias.name, alias.asname): line.module for line in imports for alias in line.names if alias.name != "*"}


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_gives_is_what_editors_see(room):
    package = import_module(room)
    seen = seen_by_editors(room)
    assert all(name == shown for name, shown in seen)
    assert {name for name, _ in seen} <= set(package.__all__) <= set(dir(package))
    if room not in ("multihop", "multihop.programs"):  # whose list is in another file
        assert package.__all__ == sorted(name for name, _ in seen)
    for (name, _), home in seen.items():
        module = import_module(f"{room}.{home}")
        assert getattr(package, name) is getattr(module, name)
        assert not isinstance(getattr(package, name), ModuleType)


def test_every_package_that_exports_names_has_them_in_its_stub():
    assert [package for package in PACKAGES if hasattr(import_module(package), "__all__")] == ROOMS
    assert len(ROOMS) > 15


def test_a_name_is_imported_once_and_others_are_refused(tmp_path, monkeypatch):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__init__.py").write_text("")
    (tmp_path / "shop/__init__.pyi").write_text("from .fruit import APPLE as APPLE\nfrom .fruit import PEAR as PEAR\n")
    (tmp_path / "shop/fruit.py").write_text("APPLE, PEAR = object(), object()")
    monkeypatch.syspath_prepend(tmp_path)
    shop = import_module("shop")
    first_use, listing, public = lazily("shop", {"nuts": "ALMOND"})
    monkeypatch.setattr(shop, "__getattr__", first_use, raising=False)
    assert public == ["ALMOND", "APPLE", "PEAR"]
    assert "shop.fruit" not in sys.modules
    assert set(listing()) >= {"APPLE", "PEAR", "__name__"}
    assert shop.APPLE is sys.modules["shop.fruit"].APPLE
    assert vars(shop)["APPLE"] is shop.APPLE
    with pytest.raises(AttributeError, match=r"^module 'shop' has no attribute 'PLUM'$"):
        _ = shop.PLUM
