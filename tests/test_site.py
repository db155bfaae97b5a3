"""The site has every page in its navigation and every public name in its reference."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from scripts import load_script

ROOT = Path(__file__).parents[1]
NAVIGATION = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.M)


def script(name):
    return load_script(ROOT / "docs" / f"{name}.py")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        script("make_site").make(folder)
    return folder


def test_the_navigation_names_every_page_once_but_those_of_the_lab(site):
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.md")]
    assert sorted(NAVIGATION) == sorted(page for page in pages if not page.startswith("lab/"))


def test_records_and_experiments_are_completed_from_the_code(site):
    assert "| `answer` | `str` | " in (site / "records.md").read_text()
    assert "\n### tor-table-2\n" in (site / "experiments.md").read_text()


def test_the_reference_tells_of_every_public_name(site):
    untold = []
    for name in script("make_reference").packages():
        page = (site / "reference" / f"{name}.md").read_text()
        sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
        assert sections.keys() == set(import_module(name).__all__)
        untold += [f"{name}.{each}" for each, text in sections.items() if not text.strip()]
    assert untold == []


def test_a_name_is_told_with_its_signature_arguments_and_example(site):
    page = (site / "reference" / "multihop.md").read_text()
    told = page.partition("\n## BM25\n")[2].partition("\n## ")[0]
    assert "A retriever that ranks by BM25" in told
    assert "```pycon\n>>> from multihop.retrieval import BM25, Passage" in told
    assert "\n### build\n" in told
    assert "k1: float = 1.2" in told
    assert "- `out`: The run's folder; a temporary one by default." in page


def test_signatures_show_types_alone(site):
    pages = {path.stem: path.read_text() for path in (site / "reference").glob("*.md")}
    assert "    calls: Optional[int] = None,\n" in pages["multihop.runtime"]
    assert "    **options: Unpack[RunOptions],\n" in pages["multihop.evaluation"]
    leaks = r"FieldInfo|Annotated|<class|Parameter\("
    assert [line for page in pages.values() for line in page.splitlines() if re.search(leaks, line)] == []


def test_links_of_the_site_stay_in_it(site):
    for page in site.rglob("*.md"):
        if page.parent.name != "reference":
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
            targets = re.findall(r"\[[^]`]*\]\(([^)#\s]+)", text)
            lost = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
            assert lost == [], page.name
    assert "[CONTRIBUTING.md](../CONTRIBUTING.md)" in (site / "guide" / "how-it-works.md").read_text()


def test_search_from_disk_asks_no_server(site):
    named = re.search(r"polyfills: \[(\S+)\]", (ROOT / "mkdocs.yml").read_text())[1]
    assert "iframe-worker" in named  # else the generator adds one that is on a server
    assert "window.Worker = class" in (site / named).read_text()
