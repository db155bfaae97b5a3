import re

from scripts import load_script

from multihop.view.look import FACES, FONTS, HOME, page_style


def test_the_fonts_are_small_and_each_has_a_face_and_a_licence():
    files = list(FONTS.glob("*.woff2"))
    assert {path.stem for path in files} == set(FACES)
    assert sum(path.stat().st_size for path in files) < 120_000
    licences = (FONTS / "LICENSES.txt").read_text()
    assert [path.name for path in files if path.name not in licences] == []


def test_a_style_holds_its_fonts_or_names_them():
    held, named = page_style("page"), page_style("page", fonts_at="/fonts/")
    assert held.count('url("data:font/woff2;base64,') == len(FACES)
    assert re.findall(r'url\("([^"]+)"\)', named) == [f"/fonts/{name}.woff2" for name in FACES]
    assert "--accent: #1f5687" in held
    assert len(named) < 15_000


def test_the_fonts_hold_every_sign_that_pages_draw():
    made = load_script(HOME.parents[1] / "docs" / "make_fonts.py")
    known = {chr(each) for each in [*made.LATIN, *made.SIGNS]} | {"\n"}
    files = [path for kind in ("templates", "scripts", "styles") for path in (HOME / kind).rglob("*.*")]
    assert {path.name: left for path in files if (left := set(path.read_text()) - known)} == {}
