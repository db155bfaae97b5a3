"""Tree of Reviews against a second reading of its paper: sections 3.2 and 3.4 as one recursion over a random table.

Nothing here but the program under test comes from the package's own account of the method.
"""

import random
from typing import NamedTuple

import pytest
from reviewing import names
from shelf import GARBAGE, by_field, page, run, tree

from multihop import TreeOfReviews
from multihop.retrieval import Hit

QUESTION = "the question"
CASES = 60


class Table:
    """What a retriever and an LM say in one random case: a ranking per query, a review and a completion per path."""

    def __init__(self, seed):
        self.seed = seed
        draw = self.draw("the case")
        self.paragraphs = [f"p{number}" for number in range(draw.randint(1, 9))]
        self.queries = [f"query {number}" for number in range(draw.randint(1, 12))]
        self.verdicts = draw.choices(["relevant", "enough", "neither", "enough but not relevant", "garbage"], k=9)
        self.verdicts += ["relevant"] * draw.randint(1, 9)
        self.settings = {
            "depth": draw.randint(1, 4),
            "widths": tuple(draw.randint(1, 3) for _ in range(draw.randint(1, 4))),
            "pruning": tuple(each for each in ("relevance", "repetition") if draw.random() < 0.5),
            "expansion": draw.choice(["direct", "cot", "mpc"]),
            "reason": tuple(each for each in ("review", "complete", "read") if draw.random() < 0.5),
        }

    def draw(self, what):
        return random.Random(f"{self.seed} {what}")

    def ranking(self, query):
        draw = self.draw(f"ranking {query}")
        return draw.sample(self.paragraphs, draw.randint(len(self.paragraphs) // 2, len(self.paragraphs)))

    def verdict(self, path):
        return self.draw(f"verdict {path}").choice(self.verdicts)

    def next_query(self, path):
        return self.draw(f"query {path}").choice(["", *self.queries])


class Node(NamedTuple):
    """A node of the tree, as far as the paper speaks of it."""

    paragraph: str
    action: str
    query: str | None
    pruned: list[str]
    children: list["Node"]


def tree_of_reviews(table):
    """The tree, the pool and the order of the reviews, as the paper has them."""
    depth, widths, pruning = (table.settings[name] for name in ("depth", "widths", "pruning"))
    pool, reviewed = [], []

    def visit(path):
        """Steps (i) to (iii) of section 3.2 at one node, and the search from there."""
        verdict = table.verdict(path) if path else "relevant"
        if path:
            reviewed.append(path)
        if verdict == "enough":
            action = "accept"
            pool.append(path)
        elif verdict == "relevant" or "relevance" not in pruning:
            action = "search"
        else:
            action = "reject"
        expands = action == "search" or "relevance" not in pruning  # section 4.5: "for each paragraph"
        if not expands or len(path) == depth:
            return Node(path[-1], action, None, [], [])
        query = table.next_query(path) if path else QUESTION
        if verdict == "garbage" and table.settings["expansion"] != "mpc":
            query = ""  # what cannot be read holds no query either
        query = query or QUESTION
        found = table.ranking(query)[: widths[min(len(path), len(widths) - 1)]]
        received = {paragraph for evidence in pool for paragraph in evidence}
        repeated = [each for each in found if "repetition" in pruning and (each in received or each in path)]
        children = [visit((*path, each)) for each in found if each not in repeated]
        return Node(path[-1] if path else "", action, query, repeated, children)

    return visit(()), pool, reviewed


class Answering:
    """The table as a retriever and as an LM."""

    def __init__(self, table):
        self.table, self.reviewed = table, []
        self.lm = by_field(relevant=self.review, information=self.complete, answer="…")

    def search(self, queries, k):
        return [[Hit(page(each), 1.0) for each in self.table.ranking(query)[:k]] for query in queries]

    def review(self, given):
        path = path_of(given)
        self.reviewed.append(path)
        verdict = self.table.verdict(path)
        if verdict == "garbage":
            return GARBAGE
        return {
            "relevant": verdict in ("relevant", "enough"),
            "enough": verdict.startswith("enough"),
            "analysis": "It is so." if verdict.startswith("enough") else "",
            "query": self.table.next_query(path),
        }

    def complete(self, given):
        return {"information": self.table.next_query(path_of(given)), "likely_answer": "…"}


def path_of(given):
    return tuple(names(given).split())


def drawn(node):
    """A node of the program's record."""
    pruned = [each["id"] for each in node.get("pruned", ())]
    children = [drawn(child) for child in node["children"]]
    return Node(node.get("id", ""), node["action"], node.get("query"), pruned, children)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_tree_is_that_of_the_paper(seed):
    table = Table(seed)
    answering = Answering(table)
    settings = {"stops": (), "retries": 0, **table.settings}
    prediction, _ = run(TreeOfReviews(answering, order="depth-first", **settings), answering.lm, QUESTION)
    expected, pool, reviewed = tree_of_reviews(table)
    assert drawn(tree(prediction)) == expected
    assert answering.reviewed == reviewed
    assert prediction.counts == {
        "documents": len({path[-1] for path in reviewed}),
        "evidence": len(pool),
        "reviews": len(reviewed),
    }
    if pool:
        assert prediction.evidence == [{"analysis": "It is so.", "passages": list(path)} for path in pool]
    if "repetition" not in table.settings["pruning"]:  # then nothing that was accepted prunes in any order
        prediction, _ = run(TreeOfReviews(answering, order="by-level", **settings), answering.lm, QUESTION)
        assert drawn(tree(prediction)) == expected


def test_the_cases_have_every_action_and_every_pruning():
    trees = [(table.settings["pruning"], tree_of_reviews(table)[0]) for table in map(Table, range(CASES))]
    seen = {(pruning, node.action, bool(node.pruned)) for pruning, root in trees for node in nodes(root)}
    actions = {(pruning, action) for pruning, action, _ in seen}
    both = ("relevance", "repetition")
    assert {pruning for pruning, _ in trees} == {(), both[:1], both[1:], both}
    assert {pruning for pruning, action in actions if action == "reject"} == {both[:1], both}
    assert {pruning for pruning, action in actions if action == "accept"} == {(), both[:1], both[1:], both}
    assert {pruning for pruning, _, pruned in seen if pruned} == {both[1:], both}
    assert max(sum(1 for _ in nodes(root)) for _, root in trees) > 25


def nodes(node):
    yield node
    for child in node.children:
        yield from nodes(child)
