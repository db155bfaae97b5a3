from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from multihop.base import DamagedFileError, InputError
from multihop.retrieval import Passage
from multihop.retrieval.document_readers import read_html, read_markdown, read_text
from multihop.retrieval.documents import LONGEST, find_documents, read_document


def told(sections):
    read = [(list(section.headings), list(section.paragraphs)) for section in sections]
    return [(headings, paragraphs) for headings, paragraphs in read if paragraphs]


def test_markdown_is_parted_by_its_headings():
    text = """---
author: ada
---
Before all.

# The Po ##

The *Po* is a [river](x.html) of
**northern** Italy, `long`, with snake_case.

## Course
- It rises
* in the Alps.
1. It ends.
> Said so.

Mouth
-----
By the sea.

### Delta
```python
# no heading
```
# Inn
Another.
"""
    assert told(read_markdown(text, "po")) == [
        (["po"], ["Before all."]),
        (["The Po"], ["The Po is a river of northern Italy, long, with snake_case."]),
        (["The Po", "Course"], ["It rises", "in the Alps.", "It ends.", "Said so."]),
        (["The Po", "Mouth"], ["By the sea."]),
        (["The Po", "Mouth", "Delta"], ["# no heading"]),
        (["Inn"], ["Another."]),
    ]


def test_html_is_parted_by_its_headings_without_what_is_not_read():
    text = (
        "<html><head><title>t</title><style>p{}</style></head><body><nav>menu</nav><h1>The <i>Inn</i></h1>"
        "<p>A river<br>of Tyrol &amp; Bavaria.<script>x()</script><h2>Mouth</h2><ul><li>Passau<li>By the sea</ul>"
    )
    assert told(read_html(text, "inn")) == [
        (["The Inn"], ["A river of Tyrol & Bavaria."]),
        (["The Inn", "Mouth"], ["Passau", "By the sea"]),
    ]


def test_text_is_parted_by_empty_lines_and_goes_by_its_name_as_what_has_no_first_heading():
    assert told(read_text(StringIO("One\nline.\n \n\nTwo."), "a")) == [(["a"], ["One line.", "Two."])]
    assert told(read_text(StringIO("The Po\n\nA river."), "a")) == [(["The Po"], ["A river."])]
    assert told(read_markdown("## Course\nx\n### Mouth\ny", "po")) == [
        (["po", "Course"], ["x"]),
        (["po", "Course", "Mouth"], ["y"]),
    ]


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_no_text_is_too_odd(text):
    for read, content in ((read_markdown, text), (read_text, StringIO(text)), (read_html, text)):
        assert all(" ".join(each.split()) == each for section in read(content, "x") for each in section.paragraphs)


def test_passages_are_whole_paragraphs_as_far_as_they_fit(tmp_path):
    long = ("It is one of many rivers in the country. " * 40).strip()
    (tmp_path / "a.md").write_text(f"# A\nOne.\n\nTwo.\n## B\nThree.\n\n{long}")
    cut = read_document("a.md", tmp_path / "a.md")
    assert cut[0] == Passage("a.md#1", "A", "One. Two.")
    assert [passage.id for passage in cut] == [f"a.md#{number}" for number in range(1, len(cut) + 1)]
    assert {passage.title for passage in cut[1:]} == {"A: B"}
    assert " ".join(passage.text for passage in cut[1:]) == "Three. " + long
    assert all(len(passage.text.split()) <= LONGEST for passage in cut)


def write_pdf(path, *texts):
    """A PDF file with a page for each text."""
    writer = PdfWriter()
    name, about = NameObject, DictionaryObject
    font = about(
        {name("/Type"): name("/Font"), name("/Subtype"): name("/Type1"), name("/BaseFont"): name("/Helvetica")}
    )
    for text in texts:
        page, drawn = writer.add_blank_page(612, 792), DecodedStreamObject()
        drawn.set_data(f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode())
        page[name("/Resources")] = about({name("/Font"): about({name("/F1"): font})})
        page[name("/Contents")] = writer._add_object(drawn)
    writer.write(path)


def test_a_pdf_is_read_page_by_page(tmp_path):
    write_pdf(tmp_path / "the_po.pdf", "The Po is a river.", "It is long.")
    assert read_document("the_po.pdf", tmp_path / "the_po.pdf") == [
        Passage("the_po.pdf#page=1", "the po: page 1", "The Po is a river."),
        Passage("the_po.pdf#page=2", "the po: page 2", "It is long."),
    ]
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 and no more")
    with pytest.raises(DamagedFileError, match=r"b\.pdf cannot be read as PDF: "):
        read_document("b.pdf", tmp_path / "b.pdf")


def test_the_documents_of_a_folder(tmp_path):
    for name in ("b.MD", "sub/a.txt", ".git/c.md", "x.png", "sub/.hidden.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path)
    found, others = find_documents(tmp_path)
    assert (list(found), others) == (["b.MD", "sub/a.txt"], ["x.png"])


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="none is no folder of documents"):
        find_documents(tmp_path / "none")
    with pytest.raises(InputError, match=r"has no documents; they end in \.md, "):
        find_documents(tmp_path)
