import base64
import hashlib
import html
import json
import re

import pytest
from written_runs import HOSTILE, rows
from written_study import TABLE

from multihop import InputError
from multihop.view import write_run_page, write_study_page
from multihop.view.look import HOME
from multihop.view.page import SCRIPTS, SHEETS


@pytest.fixture
def page(a_run, tmp_path):
    return write_run_page([a_run("first", rows())], tmp_path / "page.html").read_text()


def test_the_page_may_run_its_own_script_and_nothing_else(page, elements):
    read = elements(page)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    policy = html.unescape(policy)
    (script,) = [text for tag, attributes, text in read.held if tag == "script" and "type" not in attributes]
    (style,) = [text for tag, _, text in read.held if tag == "style"]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    named = [(name, value) for _, attributes in read.elements for name, value in attributes.items()]
    assert not [name for name, _ in named if name.startswith("on") or name in ("src", "style")]
    assert not [value for name, value in named if name == "href" and not value.startswith("#")]


def test_hostile_texts_are_data(page, elements):
    read = elements(page)
    assert "img" not in dict(read.elements)
    assert "<script>document.title" not in page
    (data,) = [text for _, attributes, text in read.held if attributes.get("id") == "data"]
    assert json.loads(data)["runs"][0]["questions"]["answer"][3] == HOSTILE
    assert html.escape(HOSTILE, quote=False).replace("'", "&#39;") in page  # the prompt's instructions, shown


def test_the_page_is_small_without_data_and_its_parts_end_no_element():
    scripts, styles = ({path.stem: path for path in (HOME / kind).iterdir()} for kind in ("scripts", "styles"))
    assert (set(scripts), set(styles)) == ({*SCRIPTS}, {"palette", *SHEETS})
    files = [*scripts.values(), *styles.values(), *(HOME / "templates").iterdir()]
    assert sum(path.stat().st_size for path in files) < 300_000
    unsafe = r"</|innerHTML|outerHTML|insertAdjacent|eval\("
    assert not [name for name, path in scripts.items() if re.search(unsafe, path.read_text())]


def test_several_runs_have_differences_and_names_and_too_many_are_refused(a_run, tmp_path):
    names = ["resp", "tor", "mzqa", *(f"run{place}" for place in range(10))]
    runs = [a_run(name, rows()[:2], program=name) for name in names]
    page = write_run_page(runs[:3], tmp_path / "page.html").read_text()
    assert re.search(r'<p class="under">resp, tor, mzqa\s*</p>', page)
    assert page.count('<table class="figures differences">') == 2
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert [each["name"] for each in data["runs"]] == names[:3]
    with pytest.raises(InputError, match="13 runs are too many for one page; give 12 at most"):
        write_run_page(runs, tmp_path / "page.html")


def test_a_study_shows_ours_beside_the_published_figure(tmp_path, elements):
    (tmp_path / "table.json").write_text(json.dumps(TABLE))
    page = write_study_page(tmp_path, tmp_path / "page.html").read_text()
    assert "Not the published setting: 5 questions, not 500." in page
    assert [text.strip() for text in re.findall(r'<td class="n">([^<]+)</td>', page)] == ["40.0", "30.0", "-10.0"]
    assert '<path class="published" d="M40.0 0V12"/>' in page
    assert '<path class="dot" d="M30.0 6h0"/>' in page
    assert f"multihop view {tmp_path}/resp/little" in page
    assert "script-src &#39;none&#39;" in page
    assert "img" not in dict(elements(page).elements)
