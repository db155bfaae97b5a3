"""A corpus that changes at random, and what it should be after each change."""

from hypothesis import strategies as st

from multihop.retrieval import Passage

WORDS = "the red rivers river ran running lake Σοφία x1 1789 Zürich naïve".split()
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
RIVERS = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Po", "The Po is the longest river of Italy."),
    Passage("p3", "Inn", "The Inn, a river, joins the Danube at Passau."),
]
ETNA = Passage("p4", "Etna", "Etna is a volcano, and no river.")
ON_RIVERS = ["a river in Italy", "the Danube", "volcano"]
"""Queries for them."""
QUERIES = ["red river", "lake lake Zürich 1789 running", "x1 the naïve", "the", "Σοφία sea"]


@st.composite
def changing_corpora(draw, steps=6):
    """A corpus, and changes: each a verb, its argument, and the passages in their order after it."""
    number = 0

    def passage(name=None):
        nonlocal number
        number += 1
        return Passage(name or f"p{number}", draw(TEXTS), draw(TEXTS))

    current = [passage() for _ in range(draw(st.integers(1, 6)))]
    first, changes = list(current), []
    for _ in range(draw(st.integers(1, steps))):
        verb = draw(st.sampled_from(["add", "remove", "update"]))
        if verb == "add":
            given = [passage() for _ in range(draw(st.integers(0, 4)))]
            current = current + given
        else:
            most = len(current) - (verb == "remove")
            some = draw(st.lists(st.sampled_from(current), max_size=min(3, most), unique=True))
            names = [each.id for each in some]
            given = names if verb == "remove" else [passage(name) for name in names]
            current = [each for each in current if each.id not in names] + (given if verb == "update" else [])
        changes.append((verb, given, current))
    return first, changes


def assert_same(index, anew, queries=QUERIES, depths=(1, 2, 40)):
    """The two have the same passages in the same order, and find the same with the same scores, to the last bit."""
    assert list(index) == list(anew)
    assert len(index) == len(anew)
    for k in depths:
        assert index.search(queries, k) == anew.search(queries, k)
    assert index.fingerprint == anew.fingerprint
