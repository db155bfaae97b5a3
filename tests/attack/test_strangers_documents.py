"""Documents of strangers: each is read in time that grows with its length, or is told and passed over alone."""

import json

import pytest
from counting import calls_made

from multihop.base import InputError
from multihop.cli.app import run_command
from multihop.retrieval import open_index
from multihop.retrieval.document_readers import read_html, read_markdown
from multihop.retrieval.documents import find_documents, read_document

HTML = ["<a ", "<!--", "<!-- -->x", ">", "&", "<div>x", "<ul><li>x", "<a><b><i>x", "<p a", "<![foo bar]]>x", "<title>"]
HTML += ["<nav></svg>", "<svg><p>", "<script><!--<script>", "<h1>x</h2>", "<template>"]
HTML += ["<table><tr><td>x", "<table>x<b>"]
MARKDOWN = ["![", "[", "[a](", ">", "*a_", "- ", "`", "a <![CDATA[", "|a", "[a]: x\n", "a\n\n", "> a\n", "<a b="]
MARKDOWN += ["![a]("]


@pytest.mark.parametrize(
    ("read", "piece"), [(read_html, piece) for piece in HTML] + [(read_markdown, piece) for piece in MARKDOWN]
)
def test_the_work_of_reading_grows_with_the_length_alone(read, piece):
    read("x", "x")
    once, twice = (calls_made(lambda times=times: read(piece * times, "x")) for times in (400, 800))
    assert twice <= 2.2 * once


def test_a_page_may_be_nested_without_end():
    (section,) = read_html("<div>x" * 20_000, "deep")
    assert section.paragraphs == ["x"] * 20_000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "justhtml.py").write_text("raise SystemExit")  # where the command runs, which is no place for modules
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.html").write_text("<p>Hello</p><![foo bar]]><p>Torun</p>")
    (made / "b.md").write_bytes(b"\xff")
    (made / "c.pdf").write_bytes(b"%PDF-1.4 and no more")
    (made / "d.md").write_text("# Po\nA river.")
    return made


def sync(capsys, *more):
    run_command(["index", "docs", "--to", "index", "--json", *more])
    shown = capsys.readouterr()
    told = json.loads(shown.out)
    return [told["added"], told["changed"], told["removed"], told["passed over"]], shown.err.splitlines()


def test_a_bad_document_is_told_and_tried_again_and_the_others_are_read(folder, capsys):
    changes, told = sync(capsys)
    assert changes == [["a.html", "d.md"], [], [], ["b.md", "c.pdf"]]
    assert told[0] == "multihop: passed over: docs/b.md is not UTF-8; save it so, and try again."
    assert told[1].startswith("multihop: passed over: docs/c.pdf cannot be read as PDF: ")
    assert {each.text for each in open_index("index")} == {"Hello Torun", "A river."}
    (folder / "b.md").write_text("The Inn.")
    (folder / "d.md").write_bytes(b"\xff")
    assert sync(capsys)[0] == [["b.md"], [], [], ["c.pdf", "d.md"]]
    assert {each.text for each in open_index("index")} == {"Hello Torun", "A river.", "The Inn."}
    (folder / "d.md").write_text("# Po\nA long river.")
    assert sync(capsys)[0] == [[], ["d.md"], [], ["c.pdf"]]


def test_one_that_is_too_slow_or_ends_its_process_is_passed_over(folder, tmp_path, capsys, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(InputError, match="the documents of docs have no text"):
        patch.setattr("multihop.retrieval.documents.SLOWEST", 0)
        sync(capsys)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 4
    assert told[3].endswith(": docs/d.md takes more than 0 seconds, or all memory, to be read; divide it.")
    dying = tmp_path / "dying"
    dying.write_text("#!/bin/sh\ncat > /dev/null\n")
    dying.chmod(0o755)
    with monkeypatch.context() as patch, pytest.raises(InputError, match="the documents of docs have no text"):
        patch.setattr("sys.executable", str(dying))
        sync(capsys)
    assert len(capsys.readouterr().err.splitlines()) == 4
    assert sync(capsys)[0][0] == ["a.html", "d.md"]


def test_a_large_one_is_refused(folder, monkeypatch):
    monkeypatch.setattr("multihop.retrieval.document_readers.LARGEST", 10)
    with pytest.raises(InputError, match=r"d\.md has more than 10 bytes; divide it\."):
        list(read_document("d.md", folder / "d.md"))


def test_links_are_followed_only_if_it_is_said(folder, tmp_path):
    (tmp_path / "secret").write_text("A key.")
    for name, leads_to in {"e.txt": "../secret", "f.md": "nothing", "g.md": "/dev/zero", "h.md": "h.md"}.items():
        (folder / name).symlink_to(leads_to)
    found, others = find_documents(folder)
    assert (list(found), others) == (["a.html", "b.md", "c.pdf", "d.md"], ["e.txt", "f.md", "g.md", "h.md"])
    found, others = find_documents(folder, follow_links=True)
    assert (list(found), others) == (["a.html", "b.md", "c.pdf", "d.md", "e.txt"], ["f.md", "g.md", "h.md"])
