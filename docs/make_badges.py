"""Makes docs/pictures/badges.svg from pyproject.toml: which Python, licence, types and tests. No host is asked.

python docs/make_badges.py
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TO = ROOT / "docs" / "pictures" / "badges.svg"
LETTER, PAD, GAP = 6.6, 8, 8
"""Widths: of a letter of 11 pixels, beside a text, and between two badges."""


def main() -> None:
    """Write the picture."""
    TO.write_text(drawn(badges()), encoding="utf-8")


def badges() -> dict[str, str]:
    """The text of each badge, read from where it is decided."""
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, mark = whole["project"], "Programming Language :: Python :: 3."
    versions = [each.removeprefix(mark) for each in project["classifiers"] if each.startswith(mark)]
    strict = whole["tool"]["mypy"]["strict"] and (ROOT / "multihop" / "py.typed").exists()
    return {
        "python": f"3.{versions[0]} to 3.{versions[-1]}",
        "licence": project["license"].partition(" AND ")[0],  # the others are those of the pages' letters
        "types": "strict" if strict else "some",
        "tests": "make test",
    }


def drawn(told: dict[str, str]) -> str:
    """The badges in a row."""
    parts, x = [], 0.0
    for name, value in told.items():
        left, right = (2 * PAD + LETTER * len(each) for each in (name, value))
        parts.append(f'<rect x="{x:g}" width="{left + right:g}" height="20" rx="4" fill="#5d5a54"/>')
        parts.append(
            f'<path fill="#1f5687" d="M{x + left:g} 0h{right - 4:g}a4 4 0 0 1 4 4v12a4 4 0 0 1 -4 4h-{right - 4:g}z"/>'
        )
        parts.append(f'<text x="{x + left / 2:g}" y="14">{name}</text>')
        parts.append(f'<text x="{x + left + right / 2:g}" y="14">{value}</text>')
        x = round(x + left + right + GAP, 1)
    style = "text { font: 11px/1 system-ui, sans-serif; fill: #fff; text-anchor: middle; }"
    width, said = f"{x - GAP:g}", ", ".join(f"{name} {value}" for name, value in told.items())
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20"'
    return f'{head} role="img" aria-label="{said}">\n<style>{style}</style>\n' + "\n".join(parts) + "\n</svg>\n"


if __name__ == "__main__":
    main()
