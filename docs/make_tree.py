"""Makes docs/pictures/tree.svg: a search of Tree of Reviews that grows, in the colours and letters of `multihop view`.

python docs/make_tree.py

Chromium draws the page (`pip install playwright`); the rounds of the search come one after the other, then the way to
the answer is lit. The picture follows the reader's light or dark, and stands still for whom motion is unwanted.
"""

import html
import re
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import dspy
from chromium import chromium

from multihop import BM25, Little, TreeOfReviews, evaluate, local
from multihop.evaluation.row import Row
from multihop.view import write_run_page
from multihop.view.look import page_style

TO = Path(__file__).parent / "pictures" / "tree.svg"
QUESTION = "einstein-river"
ROOM = 960
"""The width in which the page lays the tree out."""
ABOUT = "The search as a tree: from the question to Albert Einstein, and from there to Ulm, which is enough to answer"
ABOVE, BELOW = 34, 40
"""Room for the question above the tree, and for the answer below it."""
CYCLE, FIRST, LIT = 14.0, 0.8, 5.8
"""Seconds of the whole, until the first page is found, and until the way to the answer is lit."""
ROUND, BESIDE = 1.5, 0.22
"""Seconds between two rounds, and between two pages of a round."""
WORDS = """svg { font: 12px/1 var(--sans); background: var(--paper); }
.question { fill: var(--ink); font-size: 16px; font-weight: 600; }
.answer { fill: var(--accent); font-size: 18px; font-weight: 600; }
.found { fill: var(--soft); }"""


def main() -> None:
    """Ask the question, write the page of the run, and take the map from it."""
    little = Little()
    asked = [question for question in little.questions() if question.id == QUESTION]
    with tempfile.TemporaryDirectory() as folder, dspy.context(lm=local()):
        run = evaluate(TreeOfReviews(BM25.build(little.passages())), asked, out=f"{folder}/tor", progress=False)
        (row,) = run.rows()
        page = write_run_page([f"{folder}/tor"], f"{folder}/tor.html")
        TO.write_text(standing_alone(drawn(page), row), encoding="utf-8")


def drawn(page: Path) -> str:
    """The map of the question's tree, as markup."""
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": ROOM, "height": 900})
        opened.goto(f"{page.as_uri()}#q={QUESTION}")
        opened.wait_for_selector(".map svg")
        svg = opened.locator(".map svg").first.evaluate("(svg) => new XMLSerializer().serializeToString(svg)")
    return str(svg)


def standing_alone(svg: str, row: Row) -> str:
    """The drawing with the style that it needs and with question and answer, as a file of its own."""
    style = page_style("pictures")
    face = re.search(r'@font-face \{[^}]*"Multihop Sans"[^}]*\}', style)
    colours = style[style.index(":root {") : style.index("/* The search, drawn")]
    rules = [rule for rule in style.splitlines() if rule.startswith((".map .", ":is(.map")) and ":focus" not in rule]
    assert face
    tree = ElementTree.fromstring(re.sub(r' (?:xmlns|tabindex|role|aria-\w+|style|id)="[^"]*"', "", svg))
    times = let_grow(tree)
    width, height = int(tree.attrib["width"]), int(tree.attrib["height"]) + ABOVE + BELOW
    within = "\n".join([face[0], colours, *rules, WORDS, *motion(times)])
    drawing = "".join(ElementTree.tostring(part, encoding="unicode") for part in tree)
    told = f"{row['cost']['calls']} LM calls, {row['cost']['retrievals']} retrievals"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{ABOUT}">\n<style>\n{within}\n</style>\n'
        f'<text class="question" x="11" y="24">{html.escape(row["question"])}</text>\n'
        f'<g class="map" transform="translate(0 {ABOVE})">{drawing}</g>\n'
        f'<g class="found"><text class="answer" x="11" y="{height - 16}">{html.escape(row["answer"])}</text>'
        f'<text x="{width - 11}" y="{height - 16}" text-anchor="end">{told}</text></g>\n</svg>\n'
    )


def let_grow(tree: ElementTree.Element) -> list[float]:
    """Mark each page and the edge that leads to it with the place of its time, and give the times."""
    places = {}
    for node in tree.iter("g"):
        if (ground := node.find("circle")) is not None:
            places[ground.attrib["cx"], ground.attrib["cy"]] = node
    columns = sorted({int(x) for x, _ in places})
    times, of_column = [], Counter[int]()
    for (x, _), node in places.items():
        column = columns.index(int(x))
        node.attrib["class"] = " ".join([*node.attrib["class"].split(), f"t{len(times)}"])
        times.append(FIRST + ROUND * (column - 1) + BESIDE * of_column[column] if column else 0.0)
        of_column[column] += 1
    edges = tree[0]
    for place, edge in enumerate(list(edges)):
        *_, x, y = re.findall(r"[\d.]+", edge.attrib["d"])
        edges[place] = ElementTree.Element("g", {"class": places[x, y].attrib["class"].split()[-1]})
        edges[place].append(edge)
    return times


def motion(times: list[float]) -> list[str]:
    """The rules by which each page comes at its time, then the way to the answer is lit, then all begins anew."""
    rules = []
    for name, at in [*((f"t{place}", at) for place, at in enumerate(times) if at), ("found", LIT)]:
        come, stay = (f"{100 * each / CYCLE:.1f}%" for each in (at, at + 0.4))
        rules.append(f"@keyframes {name} {{ 0%, {come} {{ opacity: 0; }} {stay}, 97% {{ opacity: 1; }} }}")
        rules.append(f".{name} {{ animation: {name} {CYCLE:g}s infinite; }}")
    dark = f"0%, {100 * LIT / CYCLE:.1f}% {{ stroke: var(--line); stroke-width: 1.4; }}"
    rules.append(f"@keyframes lit {{ {dark} {100 * (LIT + 0.6) / CYCLE:.1f}% {{ stroke: var(--accent); }} }}")
    rules.append(f".edge.chosen {{ animation: lit {CYCLE:g}s infinite; }}")
    return [*rules, "@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }"]


if __name__ == "__main__":
    main()
