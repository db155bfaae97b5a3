"""Makes docs/pictures/tree.svg: a search of Tree of Reviews, as `multihop view` draws it, with its colours and letters.

python docs/make_tree.py

Chromium draws the page (`pip install playwright`). The picture follows the reader's light or dark; the home of the site
has it without its style, since the site has the same.
"""

import re
import tempfile
from pathlib import Path

import dspy
from chromium import chromium

from multihop import BM25, Little, TreeOfReviews, evaluate, local
from multihop.view import write_run_page
from multihop.view.look import page_style

TO = Path(__file__).parent / "pictures" / "tree.svg"
QUESTION = "einstein-river"
ROOM = 960
"""The width in which the page lays the tree out."""
ABOUT = "The search as a tree: from the question to Albert Einstein, and from there to Ulm, which is enough to answer"


def main() -> None:
    """Ask the question, write the page of the run, and take the map from it."""
    little = Little()
    asked = [question for question in little.questions() if question.id == QUESTION]
    with tempfile.TemporaryDirectory() as folder, dspy.context(lm=local()):
        evaluate(TreeOfReviews(BM25.build(little.passages())), asked, out=f"{folder}/tor", progress=False)
        page = write_run_page([f"{folder}/tor"], f"{folder}/tor.html")
        TO.write_text(standing_alone(drawn(page)), encoding="utf-8")


def drawn(page: Path) -> str:
    """The map of the question's tree, as markup."""
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": ROOM, "height": 900})
        opened.goto(f"{page.as_uri()}#q={QUESTION}")
        opened.wait_for_selector(".map svg")
        svg = opened.locator(".map svg").first.evaluate("(svg) => new XMLSerializer().serializeToString(svg)")
    return str(svg)


def standing_alone(svg: str) -> str:
    """The drawing with the style that it needs, as a file of its own."""
    style = page_style("pictures")
    face = re.search(r'@font-face \{[^}]*"Multihop Sans"[^}]*\}', style)
    colours = style[style.index(":root {") : style.index("/* The search, drawn")]
    rules = [rule for rule in style.splitlines() if rule.startswith((".map .", ":is(.map")) and ":focus" not in rule]
    assert face
    within = "\n".join([face[0], colours, *rules, "svg { font: 12px/1 var(--sans); background: var(--paper); }"])
    still = re.sub(r' (?:tabindex|role|aria-\w+|style|id)="[^"]*"', "", svg)
    head, _, rest = still.partition(">")
    head += f' role="img" aria-label="{ABOUT}"'
    return f'{head}>\n<style>\n{within}\n</style>\n<g class="map">{rest.removesuffix("</svg>")}</g></svg>\n'


if __name__ == "__main__":
    main()
