"""Makes docs/pictures/recall.svg: recall@5 by what an LM has to read for it, ours beside published systems.

python docs/make_recall.py

Published figures are those of protocol A's rows that docs/published.toml gives a place, ours those of docs/board. The
picture follows the reader's light or dark.
"""

import html
import json
from pathlib import Path
from typing import Any

from protocol_tables import facts, published

DOCS = Path(__file__).parent
TO = DOCS / "pictures" / "recall.svg"
SETS = {"hotpotqa": "HotpotQA", "2wikimultihopqa": "2WikiMultiHopQA", "musique": "MuSiQue"}
OURS = {"hybrid": "BM25 and 22 M vectors", "ranked-rag": "43.8 M"}
GROUPS = {
    "none": "no LM reads anything to find them: 0 tokens for the index, 0 for a question",
    "reads": "an LM reads every passage for the index, or candidates at each question, or both",
}
NOTES = (
    "multihop: in-domain, 416, 564 and 354 dev questions over 7,005 to 9,155 passages",
    "others: 1,000 questions a set over 6,119 to 11,656 passages, zero-shot; NV-Embed-v2 saw HotpotQA",
)
"""What keeps the two sides from being one comparison."""
WIDTH, LEFT, ROW, LOWEST = 840, 350, 25, 40
STYLE = """
:root { --paper: #fdfcf9; --ink: #1d1c1a; --soft: #5d5a54; --line: #dcd8cd; --accent: #1f5687; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17181a; --ink: #e8e6e1; --soft: #a8a49b; --line: #383a3e; --accent: #8fbde8; }
}
svg { font: 12px/1 system-ui, sans-serif; background: var(--paper); }
text { fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.soft { fill: var(--soft); }
.ours { fill: var(--accent); font-weight: 600; }
line { stroke: var(--line); }
.mark { fill: var(--paper); stroke: var(--soft); stroke-width: 1.6; }
.ours-mark { fill: var(--accent); stroke: var(--accent); stroke-width: 1.6; }
"""


def main() -> None:
    """Read the rows and write the picture."""
    TO.write_text(drawn(rows()), encoding="utf-8")


def rows() -> list[dict[str, Any]]:
    """The rows of both sources, the lowest of each group first."""
    figures, found = published("protocol-a"), []
    for name, known in facts("protocol-a").items():
        if "picture" in known:
            system, models, lm = known["picture"]
            recall = {each: figures[name][each, "recall@5"] for each in SETS}
            found.append({"system": system, "models": models, "lm": lm, "recall": recall})
    for name, models in OURS.items():
        sets = json.loads((DOCS / "board" / f"{name}.json").read_text(encoding="utf-8"))["sets"]
        recall = {each: sets[each]["recall@5"]["mean"] for each in SETS}
        found.append({"system": name, "models": models, "lm": "none", "recall": recall, "ours": True})
    return sorted(found, key=lambda row: (row["lm"], sum(row["recall"].values())))


def drawn(found: list[dict[str, Any]]) -> str:
    """The picture: a line for each row, with a mark for each question set."""
    parts, y = [_legend()], 56
    for group, title in GROUPS.items():
        parts.append(f'<text class="soft" x="12" y="{y}">{html.escape(title)}</text>')
        for row in (each for each in found if each["lm"] == group):
            y += ROW
            parts.append(_row(row, y))
        y += 38
    bottom = y - 30
    for value in range(LOWEST, 101, 10):
        parts.insert(0, f'<line x1="{_x(value):g}" x2="{_x(value):g}" y1="66" y2="{bottom}"/>')
        parts.append(f'<text class="soft" x="{_x(value):g}" y="{bottom + 16}" text-anchor="middle">{value}</text>')
    for place, note in enumerate(NOTES):
        parts.append(f'<text class="soft" x="12" y="{bottom + 42 + 18 * place}">{html.escape(note)}</text>')
    height = bottom + 42 + 18 * len(NOTES)
    about = "Recall at 5 of published systems and of multihop, on three question sets, by whether an LM reads anything"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{about}">\n<style>{STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _legend() -> str:
    """The title, and the mark of each set."""
    parts = ['<text x="12" y="24" font-weight="600" font-size="14">Needed pages among the first five, %</text>']
    for place, (name, title) in enumerate(SETS.items()):
        x = LEFT + 20 + 150 * place
        parts.append(_mark(name, x, 20, "mark") + f'<text class="soft" x="{x + 12}" y="24">{title}</text>')
    return "".join(parts)


def _row(row: dict[str, Any], y: int) -> str:
    ours = row.get("ours", False)
    kind = ' class="ours"' if ours else ""
    name = f'<text x="24" y="{y}"{kind}>{html.escape(row["system"])}</text>'
    models = f'<text class="soft" x="112" y="{y}">{html.escape(row["models"])}</text>'
    low, high = min(row["recall"].values()), max(row["recall"].values())
    joined = f'<line x1="{_x(low):g}" x2="{_x(high):g}" y1="{y - 4}" y2="{y - 4}" stroke-width="2"/>'
    marks = [_mark(each, _x(row["recall"][each]), y - 4, "ours-mark" if ours else "mark") for each in SETS]
    return name + models + joined + "".join(marks)


def _mark(name: str, x: float, y: float, kind: str) -> str:
    """A disc, a square or a triangle, by the set."""
    if name == "hotpotqa":
        return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="4.5"/>'
    if name == "musique":
        return f'<path class="{kind}" d="M{x - 5:g} {y + 4:g}h10l-5 -9z"/>'
    return f'<rect class="{kind}" x="{x - 4:g}" y="{y - 4:g}" width="8" height="8"/>'


def _x(value: float) -> float:
    return round(LEFT + (WIDTH - LEFT - 24) * (value - LOWEST) / (100 - LOWEST), 1)


if __name__ == "__main__":
    main()
