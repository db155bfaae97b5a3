"""PDF as sections, a page each, by pypdf (the extra [documents])."""

import logging
from pathlib import Path

from ...base import DamagedFileError, missing_extra
from .markdown import read_text
from .section import Section


def read_pdf(path: Path, title: str) -> list[Section]:
    """The sections of a PDF file: its pages, titled by the document's own title if it has one.

    Raises:
        DamagedFileError: It cannot be read, or is locked by a password.
        MissingExtraError: pypdf is not installed.
    """
    try:
        import pypdf
    except ImportError as error:
        raise missing_extra("reading PDF files", "documents", error) from error
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every file that is not quite as the norm says
    try:
        reader = pypdf.PdfReader(path)
        named = str((reader.metadata and reader.metadata.title) or "").strip() or title
        pages = [(number, page.extract_text()) for number, page in enumerate(reader.pages, 1)]
    except Exception as error:  # it fails in many ways
        raise DamagedFileError(f"{path} cannot be read as PDF: {error}") from error
    return [
        section._replace(headings=(named, f"page {number}") if len(pages) > 1 else (named,))
        for number, text in pages
        for section in read_text(text, named)
    ]
