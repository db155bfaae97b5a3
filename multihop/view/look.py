"""The look that all pages of the project share: templates, fonts, palette, styles and scripts, from one place.

A page's styles begin with the faces and the palette (`styles/palette.css`), always. Further styles name colours and
fonts by the palette's variables, so that they follow in the dark and on paper. A page's policy must allow `font-src
data:`, or `font-src 'self'` where the fonts are named. The fonts' licences are in `fonts/LICENSES.txt`.
"""

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

HOME = Path(__file__).parent
"""The folder of this room, with its templates, styles, scripts and fonts."""
FONTS = HOME / "fonts"
"""The folder of the fonts."""
FACES = {
    "serif": ("Multihop Serif", "400", "normal"),
    "serif-italic": ("Multihop Serif", "400", "italic"),
    "serif-bold": ("Multihop Serif", "700", "normal"),
    "sans": ("Multihop Sans", "400 600", "normal"),
    "mono": ("Multihop Mono", "400", "normal"),
}
"""The family, weight and style of each font, by its file."""

SEARCH_SCRIPTS = ("passages", "layout", "pointing", "tree", "outline", "rounds", "steps")
"""The scripts that draw a search, its passages and its steps, in the order in which they run."""


def open_template(name: str, *, beside: Path | None = None) -> Template:
    """A template by its place under templates/, or in another folder before it; what is put into it is escaped."""
    folders = [HOME / "templates"] if beside is None else [beside, HOME / "templates"]
    templates = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(name)


def page_style(*sheets: str, fonts_at: str = "") -> str:
    """The styles of a page as one text: faces, palette, sheets; the fonts at an address, else within the text."""
    texts = ((HOME / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in ("palette", *sheets))
    return "\n".join([*_faces(fonts_at), *texts])


def page_script(*names: str, after_paint: bool = False) -> str:
    """Scripts of `scripts/` as one, in their order; run once the page is painted, or at once if a part is asked for."""
    parts = [(HOME / "scripts" / f"{name}.js").read_text(encoding="utf-8") for name in names]
    if not parts:
        return ""
    run = '() => {\n"use strict";\n' + "\n".join(parts) + "\n}"
    if after_paint:
        start = "if (location.hash || document.hidden) run(); else requestAnimationFrame(() => setTimeout(run));"
        return f"(() => {{\nconst run = {run};\n{start}\n}})();"
    return f"({run})();"


def source_of(text: str) -> str:
    """The source by which a page's policy allows this script, or these styles, and no others."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" if text else "'none'"


def _faces(fonts_at: str) -> Iterator[str]:
    for name, (family, weight, style) in FACES.items():
        file = f"{name}.woff2"
        within = "" if fonts_at else base64.b64encode((FONTS / file).read_bytes()).decode()
        address = f"{fonts_at}{file}" if fonts_at else f"data:font/woff2;base64,{within}"
        yield (
            f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
            f'src: url("{address}") format("woff2"); }}'
        )
