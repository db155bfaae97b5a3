import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from packages import PACKAGES

from multihop.base import InputError
from multihop.base.imports import Kind, find_by_name, is_reference, kebab_case, lazily

ROOMS = [package for package in PACKAGES if hasattr(import_module(package), "__all__")]


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_gives_is_what_editors_see(room):
    assert len(ROOMS) > 10
    package = import_module(room)
    stub = ast.parse(Path(package.__path__[0], "__init__.pyi").read_text())
    imports = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    seen = {(alias.name, alias.asname): line.module for line in imports for alias in line.names if alias.name != "*"}
    assert all(name == shown for name, shown in seen)
    assert {name for name, _ in seen} <= set(package.__all__) <= set(dir(package))
    if room not in ("multihop", "multihop.programs"):  # whose list is in another file
        assert package.__all__ == sorted(name for name, _ in seen)
    for (name, _), home in seen.items():
        module = import_module(f"{room}.{home}")
        assert getattr(package, name) is getattr(module, name)
        assert not isinstance(getattr(package, name), ModuleType)


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


KIND = Kind("path", "multihop.tests.nothing", "MODULE:CLASS")


def test_ours_come_first_and_references_are_imported():
    assert find_by_name(KIND, "pathlib:Path", {"pathlib:Path": 1}) == 1
    assert find_by_name(KIND, "os:path.join", {}) is sys.modules["os"].path.join


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("her", "unknown path 'her'; did you mean 'here'? Valid: here, there, or MODULE:CLASS of your own"),
        ("pathlib:Pth", "unknown path in module pathlib: 'Pth'; did you mean 'Path'?"),
        ("no.such:Thing", "the path 'no.such:Thing' cannot be imported: No module named 'no'."),
        ("two:too:many", "unknown path 'two:too:many'"),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(name, said):
    with pytest.raises(InputError) as refused:
        find_by_name(KIND, name, {"here": 1}, hints=["there"])
    assert str(refused.value).startswith(said)


def test_what_is_no_reference():
    names = ["a:b:c", "a b:c", ":c", "a:", "hub/x:y", "http://x", "C:\\x", "a.:b", "1a:b"]
    assert [name for name in names if is_reference(name)] == []


def test_names_in_kebab_case():
    written = {"TwoHops": "two-hops", "BM25": "bm25", "MyBM25Again": "my-bm25-again", "X": "x"}
    assert {name: kebab_case(name) for name in written} == written
