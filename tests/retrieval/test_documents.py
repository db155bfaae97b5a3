import re
import subprocess
import sys
import zipfile
from io import StringIO
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from multihop.base import DamagedFileError, InputError
from multihop.retrieval import Passage
from multihop.retrieval.document_readers import read_html, read_markdown, read_text
from multihop.retrieval.documents import LONGEST, find_documents, read_document, source_of


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
    cut = list(read_document("a.md", tmp_path / "a.md"))
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
    assert list(read_document("the_po.pdf", tmp_path / "the_po.pdf")) == [
        Passage("the_po.pdf#page=1", "the po: page 1", "The Po is a river."),
        Passage("the_po.pdf#page=2", "the po: page 2", "It is long."),
    ]
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 and no more")
    with pytest.raises(DamagedFileError, match=r"b\.pdf cannot be read as PDF: "):
        list(read_document("b.pdf", tmp_path / "b.pdf"))


@pytest.mark.parametrize(
    ("name", "text", "title", "rest"),
    [
        ("a.md", '---\ntitle: "The Po"\n---\nA river of Italy.', "The Po", "A river of Italy."),
        ("a.md", "---\ntitle: Rivers\n---\n# The Po\nA river of Italy.", "The Po", "A river of Italy."),
        ("a.md", "The Po\n\nThe Po is a river of Italy.", "The Po", "The Po is a river of Italy."),
        ("a_b.md", "The Po is a river.\n\nIt is long.", "a b", "The Po is a river. It is long."),
        ("a.html", "<head><title>The\nPo</title></head><p>A river of Italy.", "The Po", "A river of Italy."),
        ("a.txt", "\n The Po\nThe Po is a river of Italy.", "The Po", "The Po is a river of Italy."),
        ("a.txt", "The Po\n======\nA river of Italy.", "The Po", "A river of Italy."),
        ("a.txt", "The Po and\nItaly are long.", "a", "The Po and Italy are long."),
        ("a.txt", "Eggs\nMilk\nSalt", "a", "Eggs Milk Salt"),
        ("a.txt", "The Po", "a", "The Po"),
        ("a.txt", "# Po".encode("utf-16"), "a", "# Po"),
    ],
)
def test_a_title_is_found_and_is_in_the_text_no_more(tmp_path, name, text, title, rest):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert list(read_document(name, tmp_path / name)) == [Passage(f"{name}#1", title, rest)]


def test_sections_too_short_to_stand_alone_are_told_with_those_beside_or_above_them(tmp_path):
    (tmp_path / "a.md").write_text("# Po\nIt is a river.\n## Length\n652 km\n## Mouth\nBy the sea.\n# Inn\nA river.")
    assert [each.text for each in read_document("a.md", tmp_path / "a.md")] == [
        "It is a river. Length: 652 km Mouth: By the sea.",
        "A river.",
    ]


@pytest.mark.parametrize(
    ("title", "text", "found", "rest"),
    [
        ("The Po", "The Po\nIt is a long ri-\nver of the ﬁeld.", "The Po", "It is a long river of the field."),
        ("The Po", "The Po is long. . . . . . . 7", "The Po", "The Po is long 7"),
        ("Microsoft Word - a.doc", "The Po\n\nA river.", "The Po", "A river."),
        ("untitled", "the Po is a river.", "a", "the Po is a river."),
    ],
)
def test_the_text_of_a_pdf_is_put_together_under_its_own_title(tmp_path, monkeypatch, title, text, found, rest):
    write_pdf(tmp_path / "a.pdf", "x")
    monkeypatch.setattr("pypdf.PdfReader.metadata", SimpleNamespace(title=title))
    monkeypatch.setattr("pypdf.PageObject.extract_text", lambda page: text)
    assert list(read_document("a.pdf", tmp_path / "a.pdf")) == [Passage("a.pdf#page=1", found, rest)]


def write_docx(path, *paragraphs, padding=0):
    """A document of Word with paragraphs, each in a style."""
    said = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        link = f'<Relationship Id="r1" Type="{office}" Target="word/document.xml"/>'
        packed.writestr("_rels/.rels", f'<Relationships xmlns="{relations}">{link}</Relationships>')
        styles = "".join(
            f'<w:style w:type="paragraph" w:styleId="{style}"><w:name w:val="{name}"/></w:style>'
            for style, name in {"Titel": "Title", "berschrift1": "heading 1"}.items()
        )
        packed.writestr("word/styles.xml", f'<w:styles xmlns:w="{word}">{styles}</w:styles>')
        packed.writestr("word/document.xml", f'<w:document xmlns:w="{word}"><w:body>{said}</w:body></w:document>')
        packed.writestr("word/padding.xml", " " * padding)


def test_a_document_of_word_is_parted_by_its_headings_in_any_language(tmp_path):
    write_docx(
        tmp_path / "a.docx", ("Titel", "The Po"), ("x", "It is a river."), ("berschrift1", "Inn"), ("x", "So is it.")
    )
    assert list(read_document("a.docx", tmp_path / "a.docx")) == [
        Passage("a.docx#1", "The Po", "It is a river."),
        Passage("a.docx#2", "Inn", "So is it."),
    ]
    write_docx(tmp_path / "a.docx", padding=30_000_000)
    with pytest.raises(DamagedFileError, match=r"a\.docx cannot be read as DOCX: it has more than 20,000,000 bytes of"):
        list(read_document("a.docx", tmp_path / "a.docx"))


def test_each_row_of_a_table_is_a_passage_by_its_row(tmp_path):
    (tmp_path / "a.csv").write_text('name;km;of\nPo;652;\n\n;5;"a\nb"\n')
    assert list(read_document("a.csv", tmp_path / "a.csv")) == [
        Passage("a.csv#row=2", "a: Po", "km: 652"),
        Passage("a.csv#row=4", "a: row 4", "km: 5; of: a b"),
    ]
    (tmp_path / "a.jsonl").write_text(f'{{"title": "Po", "text": "A river. {"It is long. " * 60}"}}\n{{"km": 5}}\n')
    first, second, third = read_document("a.jsonl", tmp_path / "a.jsonl")
    assert (first[:2], second[:2]) == (("a.jsonl#row=1", "Po"), ("a.jsonl#row=1&part=2", "Po"))
    assert third == Passage("a.jsonl#row=2", "a: row 2", "km: 5")
    assert first.text.startswith("A river. It is long.")


def test_a_passage_knows_its_file_and_page_by_its_id():
    assert source_of("a/b.pdf#page=3&part=2") == {"file": "a/b.pdf", "page": 3}
    assert [source_of(id_) for id_ in ("a.MD#12", "a#b.csv#row=7")] == [{"file": "a.MD"}, {"file": "a#b.csv", "row": 7}]
    assert [source_of(id_) for id_ in ("p1", "a.md", "C#1", "a.md#x", "#1")] == [{}] * 5


@pytest.mark.seconds
def test_a_text_larger_than_what_is_read_whole_takes_little_memory(tmp_path):
    line = "The river %d is one of many rivers in the country, and flows from the hills to the sea.\n"
    (tmp_path / "a.txt").write_text("".join(line % number for number in range(400_000)))
    count = (
        "import resource, sys; from multihop.data import open_corpus; print(sum(1 for _ in open_corpus(sys.argv[1])),"
        "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, open('/proc/self/status').read())"
    )
    told = subprocess.run([sys.executable, "-c", count, tmp_path], capture_output=True, text=True, check=True).stdout
    passages, reading, own = map(int, re.match(r"(\d+) (\d+) .*VmHWM:\s+(\d+)\d{3} kB", told, re.DOTALL).groups())
    assert (passages, reading < 100, own < 100) == (50_000, True, True)


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
