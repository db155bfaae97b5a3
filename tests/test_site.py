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


def test_records_and_tables_come_from_the_code(site):
    assert "| `answer` | `str` | " in (site / "records.md").read_text()
    assert "\n### tor-table-2\n" in (site / "experiments.md").read_text()


def test_the_text_for_lms_is_what_the_code_says(site):
    made = script("make_llms").page()
    assert (ROOT / "docs" / "llms.txt").read_text() == made, "python docs/make_llms.py writes it anew"
    assert made.count("\n- `multihop ") == len(COMMANDS) == 16
    assert (site / "llms.txt").read_text().count("](guide/") == 7


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


def test_a_class_has_a_page_where_it_is_defined(site):
    told = (site / "reference" / "multihop.retrieval" / "BM25.md").read_text()
    assert told.startswith("# BM25\n\nA retriever that ranks by BM25")
    assert "\nfrom multihop.retrieval import BM25\n" in told
    assert "```pycon\n>>> from multihop.retrieval import BM25, Passage" in told
    assert "\n## build\n" in told
    assert "k1: float = 1.2" in told
    assert "(../multihop.retrieval/BM25.md)" in (site / "reference" / "multihop" / "index.md").read_text()
    assert not (site / "reference" / "multihop" / "BM25.md").exists()


def test_a_function_is_told_on_the_page_of_its_package(site):
    told = (site / "reference" / "multihop.evaluation" / "index.md").read_text().partition("\n## evaluate\n")[2]
    assert "- `out`: The run's folder; a temporary one by default." in told


def test_a_step_is_told_by_what_it_is_given_and_returns(site):
    told = (site / "reference" / "multihop.signatures" / "AnswerFromPassages.md").read_text()
    given, _, returned = told.partition("## Returns")
    assert "| `passages` | `list[str]` | retrieved passages, best first, each as 'title \\| text' |" in given
    assert "| `question` | `str` |  |" in given
    assert "| `answer` | `str` | a few words |" in returned


def test_a_record_is_told_by_the_texts_under_its_fields(site):
    told = (site / "reference" / "multihop.runtime" / "AskStep.md").read_text()
    assert re.search(r"^\| `inputs` \| `dict\[str, Any\]` \| \w+", told, flags=re.M)


def test_names_of_classes_are_links(site):
    told = (site / "reference" / "multihop.programs" / "TreeOfReviews.md").read_text()
    assert "A kind of [`Program`](../multihop.runtime/Program.md)." in told
    assert "[`TreeOfReviews`]" not in told


def test_signatures_show_types_alone(site):
    pages = {path.stem: path.read_text() for path in (site / "reference").rglob("*.md")}
    assert "    calls: Optional[int] = None,\n" in pages["Budget"]
    assert "    propose: Callable[[tuple[Item, ...]], " in pages["Moves"]
    leaks = r"FieldInfo|ForwardRef|Annotated|<class|<function|<lambda>|Parameter\(| at 0x|\[~"
    assert [line for page in pages.values() for line in page.splitlines() if re.search(leaks, line)] == []


def test_links_of_the_site_stay_in_it(site):
    for page in site.rglob("*.md"):
        if "reference" not in page.parts:
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
            targets = re.findall(r"\[[^]`]*\]\(([^)#\s]+)", text)
            lost = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
            assert lost == [], page.name
    assert "[CONTRIBUTING.md](../CONTRIBUTING.md)" in (site / "guide" / "write-a-method.md").read_text()


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
