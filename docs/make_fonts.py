"""Makes the fonts of the pages: `python docs/make_fonts.py PAGELLA INTER CODE` writes multihop/view/fonts/*.woff2.

PAGELLA is the folder with texgyrepagella-regular.otf and the others (Debian's fonts-texgyre), INTER is the file
InterVariable.woff2 (npm's inter-ui), CODE is source-code-pro-latin-400-normal.woff2 (@fontsource/source-code-pro).
It needs fonttools and brotli. What is left of the fonts: Latin with its accents, the signs that pages use, and of Inter
the weights from 400 to 600.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

HOME = Path(__file__).parent.parent / "multihop" / "view" / "fonts"
LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x218, 0x21C)]
SIGNS = [ord(sign) for sign in "–—‘’‚“”„†‡•…‰‹›⁄€™←↑→↓−≈≤≥─│┌┐└┘├┤┬┴┼▴▸▾◂◆✓✗\u2009\u200a\u202f"]
PAGELLA = {"serif": "regular", "serif-italic": "italic", "serif-bold": "bold"}


def make(path: Path, name: str, *features: str, axes: dict[str, float | tuple[float, float]] | None = None) -> None:
    """Write what pages use of the font, without hints; a variable one by its axes."""
    font = TTFont(path, recalcTimestamp=False)
    options = Options(notdef_outline=True, hinting=False, drop_tables=["FFTM"])
    options.layout_features, options.name_IDs = [*features], [0, 1, 2, 4, 5, 6, 13, 14]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[*LATIN, *SIGNS])
    subsetter.subset(font)
    if axes:
        font = instantiateVariableFont(font, axes)
    keep_words_apart(font)
    for number in (1, 4, 6):
        font["name"].setName(f"Multihop-{name}", number, 3, 1, 0x409)  # their licences ask that parts have other names
    font.flavor = "woff2"
    font.save(HOME / f"{name}.woff2")


def keep_words_apart(font: TTFont) -> None:
    """Leave the width of hyphens and spaces as it is where figures are all of one width: names stand in tables too."""
    for lookup in font["GSUB"].table.LookupList.Lookup if "GSUB" in font else []:
        for table in lookup.SubTable:
            changed = getattr(getattr(table, "ExtSubTable", table), "mapping", {})
            for sign in ("hyphen", "space", "endash", "parenleft", "parenright"):
                if str(changed.get(sign, "")).endswith(".tf"):
                    del changed[sign]


def main(pagella: Path, inter: Path, code: Path) -> None:
    """Make all of them."""
    HOME.mkdir(exist_ok=True)
    for name, face in PAGELLA.items():
        make(pagella / f"texgyrepagella-{face}.otf", name, "kern", "liga", "ccmp", "tnum")
    make(inter, "sans", "kern", "ccmp", "tnum", axes={"opsz": 14, "wght": (400, 600)})
    make(code, "mono", "ccmp")
    sizes = {path.name: path.stat().st_size for path in sorted(HOME.glob("*.woff2"))}
    sys.stdout.write(f"{sizes}\n{sum(sizes.values()):,} bytes\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
