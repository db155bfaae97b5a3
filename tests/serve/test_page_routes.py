import base64
import hashlib
import re

import pytest
from toys import Steps, echo
from web_service import web_service

from multihop import BM25, OneStep, Passage, scripted
from multihop.data import open_retriever
from multihop.runtime import Citation
from multihop.serve.ask_routes import asking_page
from multihop.view.look import FACES

EXAMPLES = ["Where was the discoverer of radium born?", "Who?"]


@pytest.fixture(scope="module")
def web():
    corpus = BM25.build([Passage("1", "Radium", "Radium was discovered by Marie Curie.")])
    programs = {"one": (OneStep(corpus), scripted(echo)), "steps": (Steps(), scripted(echo))}
    with web_service(programs, examples=EXAMPLES) as web:
        yield web


def test_what_is_served_is_told_with_a_plain_line_each(web):
    what = "The answer from the passages that the question itself retrieves."
    assert web.client.get("/about").json() == {
        "programs": [
            {"name": "one", "what": what, "lm": "scripted"},
            {"name": "steps", "what": Steps.__doc__.partition("\n")[0], "lm": "scripted"},
        ],
        "examples": EXAMPLES,
    }


def test_the_page_and_its_fonts_come_from_the_server_itself_and_no_other_file(web):
    page = web.client.get("/")
    assert page.text == asking_page()[0]
    addresses = re.findall(r'url\("([^"]*)"\)', page.text)
    assert sorted(addresses) == sorted(f"fonts/{name}.woff2" for name in FACES)
    for address in addresses:
        font = web.client.get(f"/{address}")
        assert (font.headers["content-type"], font.content[:4]) == ("font/woff2", b"wOF2")
    for name in ("none.woff2", "serif", "LICENSES.txt", "..%2Flook.py", "..%2f..%2fx.woff2"):
        assert web.client.get(f"/fonts/{name}").status_code == 404


def test_the_policy_allows_what_the_page_brings_and_nothing_else(web):
    page = web.client.get("/")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith(
        "; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    for tag in ("script", "style"):
        (found,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page.text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy


def test_the_page_takes_nothing_from_elsewhere_and_makes_no_markup_of_what_it_is_told():
    html = asking_page()[0]
    assert set(re.findall(r"https?://[\w./]*", html)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bsrc=|\bstyle=|\son\w+=", html.partition("<script>")[0])
    assert set(re.findall(r'\bhref="([^"]*)"', html)) == {"./"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", html)


def test_without_the_key_the_page_opens_and_what_is_served_is_not_told():
    with web_service({"steps": (Steps(), scripted(echo))}, keys=["key"], examples=EXAMPLES) as web:
        for path in ("/", "/fonts/serif.woff2"):
            page = web.client.get(path)
            assert page.status_code == 200
            assert "radium" not in page.text
        assert web.client.get("/about").status_code == 401
        told = web.client.get("/about", headers={"Authorization": "Bearer key"})
        assert told.json()["examples"] == EXAMPLES


def test_documents_are_given_and_no_other_file_and_an_answer_links_to_them(tmp_path, monkeypatch):
    for name in ("docs/a b.html", "docs/.hidden.md", "docs/x.png", "secret.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<h1>The Po</h1>It is a river.<script>x()</script>")
    (tmp_path / "docs/link.md").symlink_to("../secret.md")
    cited = [Citation(id_, "The Po", "It is a river.", 0, 14, 0.9) for id_ in ("a b.html#1", "c.pdf#page=2")]
    monkeypatch.setattr("multihop.runtime.answer_record.cite", lambda question, prediction: cited)
    programs = {"one": (OneStep(open_retriever(tmp_path / "docs")), scripted(echo))}
    with web_service(programs, documents=tmp_path / "docs") as web:
        assert web.client.get("/about").json()["documents"]
        found = web.client.get("/documents/a%20b.html")
        assert (found.status_code, found.headers["content-security-policy"].split(";")[0]) == (200, "sandbox")
        for name in (".hidden.md", "x.png", "link.md", "%2e%2e/secret.md", "none.md"):
            assert web.client.get(f"/documents/{name}").status_code == 404
        asked = {"messages": [{"role": "user", "content": "What is the Po?"}]}
        (choice,) = web.client.post("/v1/chat/completions", json=asked).json()["choices"]
        first, second = (each["url_citation"] for each in choice["message"]["annotations"])
        assert (first["url"], first["file"]) == (f"{web.url}/documents/a%20b.html", "a b.html")
        assert (second["url"], second["page"]) == (f"{web.url}/documents/c.pdf#page=2", 2)
        (passage,) = web.client.post("/ask", json={"question": "What is the Po?"}).json()["passages"]
        assert passage["source"] == {"file": "a b.html"}
    with web_service(programs) as web:
        assert web.client.get("/documents/a%20b.html").status_code == 404
