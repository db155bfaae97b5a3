"""Writes the folder of Markdown that the site is made from: these pages, the reference, and the pages beside docs/.

python docs/make_site.py build/pages

docs/records.md and docs/experiments.md are completed from the code. Any generator that reads Markdown can take the
folder; `make docs` gives it to the one that mkdocs.yml is for.
"""

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BESIDE = [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
"""Pages of the site that do not stand in docs/."""
LINK = re.compile(r"(?<!!)\[([^]]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def pages() -> dict[Path, str]:
    """The place of each page in the site, by its file."""
    docs = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    return docs | {path: path.name for path in BESIDE}


def placed(path: Path, text: str, places: dict[Path, str]) -> str:
    """The page's text with links that hold in the site; what is not in it is named without a link."""

    def link(found: re.Match[str]) -> str:
        name, target, anchor = found[1], found[2], found[3] or ""
        there = (path.parent / target).resolve()
        if "://" in target:
            return found[0]
        if there not in places:
            return name
        return f"[{name}]({os.path.relpath(places[there], Path(places[path]).parent)}{anchor})"

    return LINK.sub(link, text)


def make(folder: Path) -> None:
    """Write the folder anew."""
    import make_experiments
    import make_records
    from make_reference import reference

    shutil.rmtree(folder, ignore_errors=True)
    places = pages()
    completed = {each.PAGE: each.page for each in (make_experiments, make_records)}
    for path, place in places.items():
        text = completed[path]() if path in completed else path.read_text(encoding="utf-8")
        write(folder / place, placed(path, text, places))
    for name, text in reference().items():
        write(folder / "reference" / f"{name}.md", text)
    shutil.copytree(DOCS / "pictures", folder / "pictures")
    shutil.copy(DOCS / "iframe-worker.js", folder)


def write(path: Path, text: str) -> None:
    """Write a page into its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
