import random

import dspy
import numpy as np
import pytest
from in_turn import AtOnce, InTurn
from reviewing import PAGES, Shelf, reviewed, reviewing, run, tree

from multihop import Budget, ChainOfReviews, InputError, TreeOfReviews
from multihop.experiments import open_experiment
from multihop.retrieval import Hit, Passage


def test_the_algorithm_of_the_paper_call_by_call():
    shelf = Shelf(q="a|b|c", **{"missing after a": "b|d"})
    lm = reviewing({"a": "more", "b": "more", "a d": "It is D."})
    prediction, prompts, _ = run(shelf, lm)
    assert shelf.asked == InTurn(("q", 5), AtOnce(("missing after a", 3), ("missing after b", 3)))
    assert reviewed(prompts) == InTurn(AtOnce("a", "b", "c"), AtOnce("a b", "a d"))
    assert prompts[-1].inputs == {
        "evidence": ["Assertion: It is D.\nParagraph: Title a | text of a\nParagraph: Title d | text of d"],
        "question": "q",
    }
    assert prediction.answer == "read"
    assert [passage.id for passage in prediction.passages] == ["a", "d"]
    assert prediction.evidence == [{"analysis": "It is D.", "passages": ["a", "d"]}]
    assert prediction.cost["calls_by_role"] == {"review": 5, "complete": 2, "read": 1}
    assert prediction.cost["chain"] == 4  # review, complete, review, read
    assert prediction.counts == {"documents": 4, "evidence": 1, "reviews": 5}


class Dice(Shelf):
    """Finds the same pages for every query."""

    def search(self, queries, k):
        self.asked += [(query, k) for query in queries]
        return [[Hit(PAGES[name], 1.0) for name in "abcd"[:k]] for _ in queries]


def thrown(seed, path):
    return random.Random(f"{seed} {path}").choice(["more", "more", "no", "It is so."])


class Thrown(dict):
    """Verdicts by the path alone."""

    def __init__(self, seed):
        self.seed = seed

    def get(self, path, default=None):
        return thrown(self.seed, path)


def follow_all(seed, depth, width):
    """Every path that is reviewed where nothing accepted prunes: all of whose beginnings are gone on from."""
    reviewed, open_paths = set(), [()]
    while open_paths:
        path = open_paths.pop()
        for name in "abcd"[:width]:
            child = (*path, name)
            reviewed.add(" ".join(child))
            if thrown(seed, " ".join(child)) == "more" and len(child) < depth:
                open_paths.append(child)
    return reviewed


@pytest.mark.parametrize(("seed", "depth", "width"), [(2, 2, 3), (3, 3, 2), (5, 4, 3)])
def test_both_orders_review_the_same_paths_where_nothing_accepted_prunes(seed, depth, width):
    for order in ("by-level", "depth-first"):
        settings = {"order": order, "depth": depth, "widths": width, "pruning": "relevance", "stops": ()}
        _, prompts, _ = run(Dice(), reviewing(Thrown(seed)), **settings)
        paths = reviewed(prompts)
        assert (sorted(paths), len(paths)) == (sorted(follow_all(seed, depth, width)), len(set(paths)))


def test_nothing_found_is_a_tree_without_children():
    for order in ("by-level", "depth-first"):
        assert tree(run(Shelf(), reviewing({}), order=order)[0]) == {"action": "search", "query": "q", "children": []}


@pytest.mark.parametrize(("expansion", "calls"), [("direct", 0), ("cot", 0), ("mpc", 1)])
def test_each_expansion_makes_its_query_in_its_way(expansion, calls):
    shelf = Shelf(q="a", next="d")
    lm = reviewing({"a": "more", "a d": "It is D."}, {"a": "next"})
    prediction, prompts, _ = run(shelf, lm, expansion=expansion)
    assert shelf.asked[1] == ("next", 3)
    assert prediction.cost["calls_by_role"].get("complete", 0) == calls
    fields = [field.name for field in prompts[0].output_fields]
    assert ("query" in fields) == (expansion != "mpc")
    assert ("reasoning" in fields) == (expansion == "cot")


@pytest.mark.parametrize(
    ("fusion", "shown"),
    [
        ("analysis", {"analyses": ["It is A.", "It is B."]}),
        ("paragraph", {"passages": ["Title a | text of a", "Title b | text of b"]}),
        ("evidence", {"evidence": ["Assertion: It is A.\nParagraph: Title a | text of a",
                                   "Assertion: It is B.\nParagraph: Title b | text of b"]}),
    ],
)  # fmt: skip
def test_each_fusion_shows_the_reader_its_part(fusion, shown):
    _, prompts, _ = run(Shelf(q="a|b"), reviewing({"a": "It is A.", "b": "It is B."}), fusion=fusion)
    assert prompts[-1].inputs == {**shown, "question": "q"}


def test_the_reader_is_shown_what_fits():
    _, prompts, _ = run(
        Shelf(q="a|b"), reviewing({"a": "It is A.", "b": "It is B."}), fusion="analysis", reader_tokens=5
    )
    assert prompts[-1].inputs["analyses"] == ["It is A."]


@pytest.mark.parametrize("fusion", ["analysis", "paragraph", "evidence"])
def test_nothing_accepted_reads_the_paragraphs_of_the_relevant_paths_deepest_first(fusion):
    shelf = Shelf(q="c|a|x", **{"missing after a": "b", "missing after c": ""})
    lm = reviewing({"a": "more", "c": "more", "a b": "more"})
    prediction, prompts, _ = run(shelf, lm, depth=2, fusion=fusion)
    shown = [f"Title {name} | text of {name}" for name in "abc"]
    assert prompts[-1].inputs == {"passages": shown, "question": "q"}
    assert prediction.cost["calls_by_role"]["read" if fusion == "paragraph" else "read_paths"] == 1
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]


@pytest.mark.parametrize("found", ["", "x|y"])
def test_nothing_relevant_answers_from_memory(found):
    prediction, prompts, _ = run(Shelf(q=found), reviewing({}))
    assert prompts[-1].inputs == {"question": "q"}
    assert prediction.passages == []
    assert prediction.cost["calls_by_role"]["answer"] == 1


def test_what_is_not_followed_says_why():
    shelf = Shelf(q="a|b", **{"missing after b": "a|b|c"})
    lm = reviewing({"a": "It is A.", "b": "more"})
    for pruning, expected in (
        ((), {}),
        ("relevance", {}),
        (("relevance", "repetition"), {"a": "in the pool", "b": "on the path"}),
    ):  # fmt: skip
        prediction, _, _ = run(shelf, lm, pruning=pruning, stops=())
        b = tree(prediction)["children"][1]
        assert {pruned["id"]: pruned["why"] for pruned in b.get("pruned", ())} == expected


@pytest.mark.parametrize(("found", "sorted_anew"), [(15, False), (16, True)])
def test_more_than_fifteen_passages_are_put_in_the_order_of_the_answer(found, sorted_anew, monkeypatch):
    pages = {f"p{number}": Passage(f"p{number}", f"Title p{number}", f"text {number}") for number in range(found)}
    last = f"p{found - 1}"
    pages[last] = Passage(last, f"Title {last}", "read read")  # what the answer says
    for name, page in pages.items():
        monkeypatch.setitem(PAGES, name, page)
    verdicts = dict.fromkeys(pages, "It is so.")
    prediction, _, _ = run(Shelf(q="|".join(pages)), reviewing(verdicts), widths=found)
    assert prediction.answer == "read"
    assert prediction.passages[0].id == (last if sorted_anew else "p0")
    assert len(prediction.passages) == found


def test_the_retrievers_own_encoder_puts_them_in_the_order_of_the_whole_response(monkeypatch):
    pages = {f"p{number}": Passage(f"p{number}", f"Title p{number}", "…") for number in range(16)}
    for name, page in pages.items():
        monkeypatch.setitem(PAGES, name, page)
    shelf, compared = Shelf(q="|".join(pages)), []

    class Encoder:
        def embed(self, texts):
            compared.append(list(texts))
            return np.array([[float(place in (0, 8)), 1.0] for place in range(len(texts))])

    shelf.encoder = Encoder()
    verdicts = dict.fromkeys(pages, "It is so.")
    prediction, _, _ = run(shelf, reviewing(verdicts), widths=16, reason="read")
    assert compared[0][0] == "… read"
    assert compared[0][1:] == [f"Assertion: It is so.\nParagraph: {page}" for page in pages.values()]
    assert [passage.id for passage in prediction.passages[:3]] == ["p7", "p0", "p1"]


def test_steps_named_in_reason_think_before_they_write():
    shelf, verdicts = Shelf(q="a", **{"missing after a": "d"}), {"a": "more", "a d": "It is D."}
    for reason in ((), ("review",), ("complete",), ("read",), ("review", "complete", "read")):
        prediction, prompts, _ = run(shelf, reviewing(verdicts), reason=reason)
        written = [[f.name for f in each.output_fields] for each in prompts]
        thought = {step: ["reasoning"] if step in reason else [] for step in ("review", "complete", "read")}
        answer = ["likely_answer"] if "complete" in reason else []
        review = [*thought["review"], "relevant", "enough", "analysis"]
        complete = [*thought["complete"], "information", *answer]
        assert written == [review, complete, review, [*thought["read"], "answer"]]
        assert shelf.asked[-1] == ("missing after a", 3)
        assert prediction.counts == {"documents": 2, "evidence": 1, "reviews": 2}


@pytest.mark.parametrize("reason", [(), ("review",)])
def test_a_review_that_thinks_is_that_of_cot_where_it_writes_the_query(reason):
    direct, cot, mpc = (
        TreeOfReviews(Shelf(), expansion=expansion, reason=reason).review for expansion in ("direct", "cot", "mpc")
    )
    asked = [getattr(each, "predict", each).signature for each in (direct, cot, mpc)]
    thinks = ["reasoning" in each.output_fields for each in asked]
    assert thinks == [bool(reason), True, bool(reason)]
    assert (asked[0].instructions == asked[1].instructions) == bool(reason)
    assert ["query" in each.output_fields for each in asked] == [True, True, False]


def test_the_rows_of_the_paper_think_at_the_same_steps():
    for number in (1, 2):
        rows = {row.name: row.settings for row in open_experiment(f"tor-table-{number}").rows}
        assert rows["CoR"]["reason"] == ["review", "read"]
        assert rows["ToR"]["reason"] == ["review", "complete", "read"]
    chain, branch = (
        ChainOfReviews(Shelf(), reason=("review", "read")).review.predict.signature,
        TreeOfReviews(Shelf(), reason=("review", "read"), expansion="cot").review.predict.signature,
    )
    assert (chain.instructions, list(chain.fields)) == (branch.instructions, list(branch.fields))
    assert [type(each(Shelf()).review) for each in (ChainOfReviews, TreeOfReviews)] == [dspy.Predict, dspy.Predict]


def test_a_review_that_cannot_be_parsed_rejects_its_path_and_is_counted():
    prediction, _, _ = run(Shelf(q="a|b"), reviewing({"a": "garbage", "b": "It is B."}), retries=1)
    assert prediction.cost["parse_failures"] == 2
    assert [child["action"] for child in tree(prediction)["children"]] == ["reject", "accept"]
    assert tree(prediction)["children"][0]["review"]["failed"] == "unparseable"


@pytest.mark.parametrize("calls", [1, 2, 3, 5])
def test_a_budget_that_ends_in_the_middle_reads_what_there_is(calls):
    shelf = Shelf(q="a|b|c", **{"missing after a": "d"})
    lm = reviewing({"a": "more", "b": "It is B.", "a d": "It is D."})
    prediction, prompts, _ = run(shelf, lm, budget=Budget(calls=calls), concurrency=1)
    assert prediction.cost["calls"] == calls
    assert prediction.over_budget
    assert sum(prediction.cost["calls_by_role"].get(role, 0) for role in ("read", "read_paths", "answer")) == 1
    assert len(reviewed(prompts)) >= min(calls - 1, 3)
    if "b" in reviewed(prompts):  # of three calls two review, any two of the three paths
        assert prediction.evidence[0]["analysis"] == "It is B."
    assert "b" in reviewed(prompts) or calls < 5


def test_trajectories_are_the_same_at_any_concurrency():
    shelf = Shelf(q="a|b|c|d", **{f"missing after {name}": "b|d|e" for name in "abcd"})
    verdicts = {"a": "more", "b": "It is B.", "c": "more", "a e": "It is E.", "c d": "more"}
    runs = [run(shelf, reviewing(verdicts), concurrency=n)[0].trajectory for n in (1, 8, 64)]
    assert runs[0] == runs[1] == runs[2]


def test_the_depth_first_order_prunes_by_what_came_before():
    shelf = Shelf(q="a|b", **{"missing after a": "b|c", "missing after b": "c|d"})
    verdicts = {"a": "more", "b": "more", "a c": "It is C.", "b c": "It is C.", "b d": "It is D."}
    by_level = reviewed(run(shelf, reviewing(verdicts))[1])
    depth_first = reviewed(run(shelf, reviewing(verdicts), order="depth-first")[1])
    assert by_level == InTurn(AtOnce("a", "b"), AtOnce("a b", "a c", "b c", "b d"))
    assert depth_first == ["a", "a b", "a c", "b", "b d"]


def test_optimizers_learn_from_the_path_that_led_to_the_answer():
    shelf = Shelf(q="a|b|x", **{"missing after a": "d"})
    lm = reviewing({"a": "more", "b": "It is wrong.", "a d": "I read it in D."})
    _, _, learned = run(shelf, lm)
    paths = [len(inputs["path"]) for inputs in learned if "path" in inputs]
    assert paths == [1, 1, 2]  # review of a, completion after a, review of a d; nothing of b and x


def test_settings_are_checked():
    for settings in ({"depth": 0}, {"widths": ()}, {"expansion": "magic"}, {"pruning": ("luck",)}):
        with pytest.raises(InputError, match="setting"):
            TreeOfReviews(Shelf(), **settings)
    assert TreeOfReviews(Shelf(), widths=[5, 3]).settings["widths"] == (5, 3)
    assert TreeOfReviews(Shelf(), widths=5, pruning="relevance").settings["pruning"] == ("relevance",)
