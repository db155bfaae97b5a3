"""The site has every page in its navigation and every public name in its reference."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from scripts import load_script

from multihop.cli.app import COMMANDS

ROOT = Path(__file__).parents[1]


def script(name):
    return load_script(ROOT / "docs" / f"{name}.py")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "pages"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        script("make_site").make(folder)
    return folder


def test_the_navigation_names_every_page_once(site):
    settings = (site.parent / "mkdocs.yml").read_text()
    named = re.findall(r"(?:: |- )(\S+\.md)$", settings, flags=re.M)
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.md")]
    assert sorted(named) == sorted(pages)


def test_the_text_for_lms_is_what_the_code_says(site):
    made = script("make_llms").page()
    assert (ROOT / "docs" / "llms.txt").read_text() == made, "python docs/make_llms.py writes it anew"
    assert made.count("\n- `multihop ") == len(COMMANDS) == 17
    assert (site / "llms.txt").read_text().count("](guide/") == 8


def test_the_reference_tells_of_every_public_name(site):
    untold = []
    for package in script("make_reference").packages():
        page = (site / "reference" / package / "index.md").read_text()
        listed = dict(re.findall(r"^\| \[`(\w+)`\]\((\S+)\)", page, flags=re.M))
        assert listed.keys() == set(import_module(package).__all__)
        for name, address in listed.items():
            place, _, anchor = address.partition("#")
            told = (site / "reference" / package / place).read_text()
            heading = f"## {name}\n" if anchor else f"# {name}\n"
            if not re.search(rf"^{heading}\n\S", told, flags=re.M):
                untold.append(f"{package}.{name}")
    assert untold == []


TOLD = {
    "multihop.retrieval/BM25": [
        "^# BM25\n\nA retriever that ranks by BM25",
        "^```pycon\n>>> from multihop.retrieval import BM25, Passage",
        "k1: float = 1.2",
    ],
    "multihop/index": [r"\(\.\./multihop\.retrieval/BM25\.md\)"],  # a class has its page where it is defined
    "multihop.evaluation/index": ["^## evaluate$(?s:.*)^- `out`: The run's folder; a temporary one by default."],
    "multihop.signatures/AnswerFromPassages": [
        r"^\| `passages` \| `list\[str\]` \| retrieved passages, best first, each as 'title \\\| text' \|",
        r"^## Returns$(?s:.*)^\| `answer` \| `str` \| a few words \|",
    ],
    "multihop.programs/TreeOfReviews": [r"^A kind of \[`Program`\]\(\.\./multihop\.runtime/Program\.md\)\."],
}


@pytest.mark.parametrize(("name", "texts"), TOLD.items(), ids=TOLD)
def test_the_reference_says_what_each_kind_of_name_is(site, name, texts):
    page = (site / "reference" / f"{name}.md").read_text()
    assert [text for text in texts if not re.search(text, page, flags=re.M)] == []
    assert not (site / "reference" / "multihop" / "BM25.md").exists()


def test_signatures_show_types_alone(site):
    pages = {path.stem: path.read_text() for path in (site / "reference").rglob("*.md")}
    assert "    calls: Optional[int] = None,\n" in pages["Budget"]
    assert "    propose: Callable[[tuple[Item, ...]], " in pages["Moves"]
    leaks = r"FieldInfo|ForwardRef|Annotated|<class|<function|<lambda>|Parameter\(| at 0x|\[~"
    assert [line for page in pages.values() for line in page.splitlines() if re.search(leaks, line)] == []


def test_search_from_disk_asks_no_server(site):
    named = re.search(r"polyfills: \[(\S+)\]", (ROOT / "mkdocs.yml").read_text())[1]
    assert "iframe-worker" in named  # else the generator adds one that is on a server
    assert "window.Worker = class" in (site / named).read_text()


def test_the_style_has_the_palette_of_all_pages_for_light_and_dark(site):
    style = (site / "site.css").read_text()
    palette = (ROOT / "multihop" / "view" / "styles" / "palette.css").read_text()
    for scheme, colour in zip(("default", "slate"), re.findall(r"--accent: (#\w+);", palette), strict=True):
        assert re.search(rf'\[data-md-color-scheme="{scheme}"\] {{[^}}]*--accent: {colour};', style)
    for font in re.findall(r'url\("([^"]+)"\)', style):
        assert (site / font).is_file()
