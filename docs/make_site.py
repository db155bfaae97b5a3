"""Writes what the site is made from: a folder of Markdown, its style, and the settings of its generator beside it.

python docs/make_site.py build/pages

The folder has these pages, the reference, and the pages beside docs/. docs/records.md is completed from the code, the
page of the papers' tables and llms.txt are made from it, and the settings, mkdocs.yml, are completed by the pages of
the reference. Any generator that reads Markdown and these settings can take them.
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
PICTURE = re.compile(r"^!\[([^]]*)\]\((pictures/[\w-]+\.svg)\)$", re.M)
HOME = "---\nhide: [navigation, toc]\n---\n\n"
"""The beginning of the home."""
SCHEMES = {"default": r"^:root \{(.*?)^\}", "slate": r"^  :root \{(.*?)^  \}"}
"""The generator's names for light and dark, and where the palette of all pages has their colours."""


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
        if there.suffix == ".txt":
            return found[0]
        if there not in places:
            return name
        return f"[{name}]({os.path.relpath(places[there], Path(places[path]).parent)}{anchor})"

    return LINK.sub(link, text)


def home(text: str) -> str:
    """The home: its drawings stand in the page itself, so that they follow its colours; nothing is beside it."""

    def drawing(found: re.Match[str]) -> str:
        svg = (DOCS / found[2]).read_text(encoding="utf-8").strip()
        bare = re.sub(r"<style>.*?</style>", "", svg, flags=re.S)
        return f'<div class="map" tabindex="0" role="region" aria-label="A search as a tree">{bare}</div>'

    return HOME + PICTURE.sub(drawing, text)


def style() -> str:
    """The style: fonts and palette of all pages of the project, in light and in dark, and what the site adds."""
    from multihop.view.look import HOME as LOOK
    from multihop.view.look import page_style

    palette = (LOOK / "styles" / "palette.css").read_text(encoding="utf-8")
    colours = {scheme: re.search(place, palette, re.M | re.S) for scheme, place in SCHEMES.items()}
    chosen = [f'[data-md-color-scheme="{scheme}"] {{{found[1]}}}' for scheme, found in colours.items() if found]
    own = (DOCS / "site.css").read_text(encoding="utf-8")
    return "\n".join([page_style("pictures", fonts_at="fonts/"), *chosen, own])


def make(folder: Path) -> None:
    """Write the folder anew."""
    import make_experiments
    import make_llms
    import make_records
    from make_reference import navigation, reference

    from multihop.view.look import FONTS

    shutil.rmtree(folder, ignore_errors=True)
    places = pages()
    for path, place in places.items():
        text = make_records.page() if path == make_records.PAGE else path.read_text(encoding="utf-8")
        write(folder / place, placed(path, home(text) if place == "index.md" else text, places))
    write(folder / make_experiments.PLACE, make_experiments.page())
    write(folder / "llms.txt", make_llms.page().replace(".md)", ".html)"))
    for place, text in reference().items():
        write(folder / "reference" / place, text)
    for name in ("pictures", FONTS):
        shutil.copytree(DOCS / name, folder / Path(name).name)
    shutil.copy(DOCS / "iframe-worker.js", folder)
    write(folder / "site.css", style())
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    write(folder.parent / "mkdocs.yml", settings + "".join(f"          {line}\n" for line in navigation()))


def write(path: Path, text: str) -> None:
    """Write a page into its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
