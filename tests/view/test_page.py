import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import pytest
from written_runs import HOSTILE, rows
from written_study import TABLE

from multihop import InputError
from multihop.view import write_run_page, write_study_page
from multihop.view.look import HOME
from multihop.view.page import SCRIPTS, SHEETS


class Parts(HTMLParser):
    """The elements of a page, and what its scripts and styles hold."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.held, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *each) for each in attrs]
        if tag in ("script", "style"):
            self.held.append((tag, dict(attrs), ""))

    def handle_data(self, data):
        if self.held and self.get_starttag_text() and self.cdata_elem:
            tag, attributes, text = self.held[-1]
            self.held[-1] = (tag, attributes, text + data)


@pytest.fixture
def page(a_run, tmp_path):
    return write_run_page([a_run("first", rows())], tmp_path / "page.html").read_text()


def test_the_page_may_run_its_own_script_and_nothing_else(page):
    parts = Parts(page)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    policy = html.unescape(policy)
    (script,) = [text for tag, attributes, text in parts.held if tag == "script" and "type" not in attributes]
    (style,) = [text for tag, _, text in parts.held if tag == "style"]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    assert not [each for each in parts.attributes if each[1].startswith("on") or each[1] in ("src", "style")]
    assert not [each for each in parts.attributes if each[1] == "href" and not each[2].startswith("#")]


def test_hostile_texts_are_data(page):
    parts = Parts(page)
    assert "img" not in parts.tags
    assert "<script>document.title" not in page
    (data,) = [text for tag, attributes, text in parts.held if attributes.get("id") == "data"]
    assert json.loads(data)["runs"][0]["questions"]["answer"][3] == HOSTILE
    assert html.escape(HOSTILE, quote=False).replace("'", "&#39;") in page  # the prompt's instructions, shown


def test_the_page_is_small_without_data_and_its_parts_end_no_element():
    files = [HOME / "scripts" / f"{name}.js" for name in SCRIPTS] + [HOME / "styles" / f"{name}.css" for name in SHEETS]
    files += list((HOME / "templates").iterdir())
    assert sum(path.stat().st_size for path in files) < 300_000
    assert not [path.name for path in files[: len(SCRIPTS)] if "</" in path.read_text()]
    assert {path.stem for path in (HOME / "scripts").iterdir()} == {*SCRIPTS}
    assert {path.stem for path in (HOME / "styles").iterdir()} == {"palette", *SHEETS}
    assert not [
        path.name
        for path in files[: len(SCRIPTS)]
        if re.search(r"innerHTML|outerHTML|insertAdjacent|eval\(", path.read_text())
    ]


def test_several_runs_have_differences_and_names(a_run, tmp_path):
    runs = [a_run(name, rows(), program=name) for name in ("resp", "tor", "mzqa")]
    page = write_run_page(runs, tmp_path / "page.html").read_text()
    assert re.search(r'<p class="under">resp, tor, mzqa\s*</p>', page)
    assert page.count('<table class="figures differences">') == 2
    assert [each["name"] for each in json.loads(re.search(r'id="data">(.*?)</script>', page)[1])["runs"]] == [
        "resp",
        "tor",
        "mzqa",
    ]


def test_too_many_runs_are_refused(a_run, tmp_path):
    runs = [a_run(f"run{place}", rows()[:1]) for place in range(13)]
    with pytest.raises(InputError, match="13 runs are too many for one page; give 12 at most"):
        write_run_page(runs, tmp_path / "page.html")


def test_a_study_shows_ours_beside_the_published_figure(tmp_path):
    (tmp_path / "table.json").write_text(json.dumps(TABLE))
    page = write_study_page(tmp_path, tmp_path / "page.html").read_text()
    assert "Not the published setting: 5 questions, not 500." in page
    assert [text.strip() for text in re.findall(r'<td class="n">([^<]+)</td>', page)] == ["40.0", "30.0", "-10.0"]
    assert '<path class="published" d="M40.0 0V12"/>' in page
    assert '<path class="dot" d="M30.0 6h0"/>' in page
    assert f"multihop view {tmp_path}/resp/little" in page
    assert "script-src &#39;none&#39;" in page
    assert "img" not in Parts(page).tags
