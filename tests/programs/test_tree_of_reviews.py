import dspy
import numpy as np
import pytest
from in_turn import AtOnce, InTurn
from reviewing import names, reviewed, reviewing, run
from shelf import GARBAGE, Shelf, by_field, learned_from, page, shown, tree

from multihop import Budget, ChainOfReviews, InputError, TreeOfReviews
from multihop.experiments import open_experiment
from multihop.programs.shared.evidence import Evidence, agree, nearest_first


def test_the_algorithm_of_the_paper_call_by_call():
    shelf = Shelf(q="a b c", **{"missing after a": "b d"})
    lm = reviewing({"a": "more", "b": "more", "a d": "It is D."})
    prediction, prompts = run(shelf, lm)
    assert shelf.asked == InTurn("q", AtOnce("missing after a", "missing after b"))
    assert [k for _, k in shelf.batches] in ([5, 3], [5, 3, 3])  # those at once may come in one batch or in two
    assert reviewed(prompts) == InTurn(AtOnce("a", "b", "c"), AtOnce("a b", "a d"))
    assert prompts[-1].inputs == {
        "evidence": ["Assertion: It is D.\nParagraph: A | text of a\nParagraph: D | text of d"],
        "question": "q",
    }
    assert prediction.answer == "read"
    assert [passage.id for passage in prediction.passages] == ["a", "d"]
    assert prediction.evidence == [{"analysis": "It is D.", "passages": ["a", "d"]}]
    assert prediction.cost["calls_by_role"] == {"review": 5, "complete": 2, "read": 1}
    assert prediction.cost["chain"] == 4  # review, complete, review, read
    assert prediction.counts == {"documents": 4, "evidence": 1, "reviews": 5}


def test_nothing_found_is_a_tree_without_children():
    for order in ("by-level", "depth-first"):
        assert tree(run(Shelf(), reviewing({}), order=order)[0]) == {"action": "search", "query": "q", "children": []}


@pytest.mark.parametrize(("expansion", "calls"), [("direct", 0), ("cot", 0), ("mpc", 1)])
def test_each_expansion_makes_its_query_in_its_way(expansion, calls):
    shelf = Shelf(q="a", next="d")
    lm = reviewing({"a": "more", "a d": "It is D."}, {"a": "next"})
    prediction, prompts = run(shelf, lm, expansion=expansion)
    assert shelf.batches[1] == (["next"], 3)
    assert prediction.cost["calls_by_role"].get("complete", 0) == calls
    fields = [field.name for field in prompts[0].output_fields]
    assert ("query" in fields) == (expansion != "mpc")
    assert ("reasoning" in fields) == (expansion == "cot")


@pytest.mark.parametrize(
    ("settings", "read"),
    [
        ({"fusion": "analysis"}, {"analyses": ["It is A.", "It is B."]}),
        ({"fusion": "analysis", "reader_tokens": 5}, {"analyses": ["It is A."]}),  # what fits
        ({"fusion": "paragraph"}, {"passages": shown("a", "b")}),
        ({"fusion": "evidence"}, {"evidence": ["Assertion: It is A.\nParagraph: A | text of a",
                                               "Assertion: It is B.\nParagraph: B | text of b"]}),
    ],
)  # fmt: skip
def test_each_fusion_shows_the_reader_its_part(settings, read):
    _, prompts = run(Shelf(q="a b"), reviewing({"a": "It is A.", "b": "It is B."}), **settings)
    assert prompts[-1].inputs == {**read, "question": "q"}


@pytest.mark.parametrize("fusion", ["analysis", "paragraph", "evidence"])
def test_nothing_accepted_reads_the_paragraphs_of_the_relevant_paths_deepest_first(fusion):
    shelf = Shelf(q="c a x", **{"missing after a": "b", "missing after c": ""})
    lm = reviewing({"a": "more", "c": "more", "a b": "more"})
    prediction, prompts = run(shelf, lm, depth=2, fusion=fusion)
    assert prompts[-1].inputs == {"passages": shown("a", "b", "c"), "question": "q"}
    assert prediction.cost["calls_by_role"]["read" if fusion == "paragraph" else "read_paths"] == 1
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]


@pytest.mark.parametrize("found", ["", "x y"])
def test_nothing_relevant_answers_from_memory(found):
    prediction, prompts = run(Shelf(q=found), reviewing({}))
    assert prompts[-1].inputs == {"question": "q"}
    assert prediction.passages == []
    assert prediction.cost["calls_by_role"]["answer"] == 1


def test_what_is_not_followed_says_why():
    shelf = Shelf(q="a b", **{"missing after b": "a b c"})
    lm = reviewing({"a": "It is A.", "b": "more"})
    for pruning, expected in (
        ((), {}),
        ("relevance", {}),
        (("relevance", "repetition"), {"a": "in the pool", "b": "on the path"}),
    ):
        prediction, _ = run(shelf, lm, pruning=pruning, stops=())
        b = tree(prediction)["children"][1]
        assert {pruned["id"]: pruned["why"] for pruned in b.get("pruned", ())} == expected


@pytest.mark.parametrize(("before", "sorted_anew"), [(14, False), (15, True)])
def test_more_than_fifteen_passages_are_put_in_the_order_of_the_answer(before, sorted_anew):
    found = [*(f"p{number}" for number in range(before)), "read"]  # the last is what the answer says
    prediction, _ = run(Shelf(q=" ".join(found)), reviewing(dict.fromkeys(found, "It is so.")), widths=len(found))
    assert prediction.passages[0].id == ("read" if sorted_anew else "p0")
    assert len(prediction.passages) == len(found)


def test_the_retrievers_own_encoder_puts_them_in_the_order_of_the_whole_response():
    found, compared = [f"p{number}" for number in range(16)], []

    class Encoder:
        def embed(self, texts):
            compared.extend(texts)
            return np.array([[float(place in (0, 8)), 1.0] for place in range(len(texts))])

    shelf = Shelf(q=" ".join(found))
    shelf.encoder = Encoder()
    prediction, _ = run(shelf, reviewing(dict.fromkeys(found, "It is so.")), widths=16, reason="read")
    assert compared == ["r read", *(f"Assertion: It is so.\nParagraph: {text}" for text in shown(*found))]
    assert [passage.id for passage in prediction.passages[:3]] == ["p7", "p0", "p1"]


def test_steps_named_in_reason_think_before_they_write():
    shelf, verdicts = Shelf(q="a", **{"missing after a": "d"}), {"a": "more", "a d": "It is D."}
    for reason in ((), ("review",), ("complete",), ("read",), ("review", "complete", "read")):
        prediction, prompts = run(shelf, reviewing(verdicts), reason=reason)
        written = [[field.name for field in each.output_fields] for each in prompts]
        thought = {step: ["reasoning"] if step in reason else [] for step in ("review", "complete", "read")}
        answer = ["likely_answer"] if "complete" in reason else []
        review = [*thought["review"], "relevant", "enough", "analysis"]
        complete = [*thought["complete"], "information", *answer]
        assert written == [review, complete, review, [*thought["read"], "answer"]]
        assert prediction.counts == {"documents": 2, "evidence": 1, "reviews": 2}


def test_the_rows_of_the_paper_think_at_the_same_steps():
    for number in (1, 2):
        rows = {row.name: row.settings for row in open_experiment(f"tor-table-{number}").rows}
        assert rows["CoR"]["reason"] == ["review", "read"]
        assert rows["ToR"]["reason"] == ["review", "complete", "read"]
    chain, direct, cot = (
        each.review.predict.signature
        for each in (
            ChainOfReviews(Shelf(), reason="review"),
            TreeOfReviews(Shelf(), reason="review", expansion="direct"),
            TreeOfReviews(Shelf(), expansion="cot"),
        )
    )
    assert chain.instructions == direct.instructions == cot.instructions
    assert list(chain.fields) == list(direct.fields) == list(cot.fields)
    assert [type(each(Shelf()).review) for each in (ChainOfReviews, TreeOfReviews)] == [dspy.Predict, dspy.Predict]


def test_a_review_that_cannot_be_parsed_rejects_its_path_and_is_counted():
    prediction, _ = run(Shelf(q="a b"), reviewing({"a": GARBAGE, "b": "It is B."}), retries=1)
    assert prediction.cost["parse_failures"] == 2
    assert [child["action"] for child in tree(prediction)["children"]] == ["reject", "accept"]
    assert tree(prediction)["children"][0]["review"]["failed"] == "unparseable"


@pytest.mark.parametrize("calls", [1, 2, 3, 5])
def test_a_budget_that_ends_in_the_middle_reads_what_there_is(calls):
    shelf = Shelf(q="a b c", **{"missing after a": "d"})
    lm = reviewing({"a": "more", "b": "It is B.", "a d": "It is D."})
    prediction, prompts = run(shelf, lm, budget=Budget(calls=calls), concurrency=1)
    assert prediction.cost["calls"] == calls
    assert prediction.over_budget
    assert sum(prediction.cost["calls_by_role"].get(role, 0) for role in ("read", "read_paths", "answer")) == 1
    assert len(reviewed(prompts)) >= min(calls - 1, 3)
    if "b" in reviewed(prompts):  # of three calls two review, any two of the three paths
        assert prediction.evidence[0]["analysis"] == "It is B."
    assert "b" in reviewed(prompts) or calls < 5


def test_trajectories_are_the_same_at_any_concurrency():
    shelf = Shelf(q="a b c d", **{f"missing after {name}": "b d e" for name in "abcd"})
    verdicts = {"a": "more", "b": "It is B.", "c": "more", "a e": "It is E.", "c d": "more"}
    runs = [run(shelf, reviewing(verdicts), concurrency=n)[0].trajectory for n in (1, 8, 64)]
    assert runs[0] == runs[1] == runs[2]


def test_the_depth_first_order_prunes_by_what_came_before():
    shelf = Shelf(q="a b", **{"missing after a": "b c", "missing after b": "c d"})
    verdicts = {"a": "more", "b": "more", "a c": "It is C.", "b c": "It is C.", "b d": "It is D."}
    by_level = reviewed(run(shelf, reviewing(verdicts))[1])
    depth_first = reviewed(run(shelf, reviewing(verdicts), order="depth-first")[1])
    assert by_level == InTurn(AtOnce("a", "b"), AtOnce("a b", "a c", "b c", "b d"))
    assert depth_first == ["a", "a b", "a c", "b", "b d"]


def test_optimizers_learn_from_the_path_that_led_to_the_answer():
    shelf = Shelf(q="a b x", **{"missing after a": "d"})
    lm = reviewing({"a": "more", "b": "It is wrong.", "a d": "I read it in D."})
    paths = [names(given) for given, _ in learned_from(TreeOfReviews(shelf), lm) if "path" in given]
    assert paths == ["a", "a", "a d"]  # review of a, completion after a, review of a d; nothing of b and x


def test_evidence_near_the_answer_comes_first_and_agrees_with_it_in_whole_words():
    far, near = Evidence("It is Rome.", (page("a"),)), Evidence("It is New York.", (page("b"),))
    assert nearest_first([far, near], "New York") == [near, far]
    assert nearest_first([far, near], "") == [far, near]
    assert agree("Paris", "It is Paris!")
    assert not agree("art", "Paris is a party")
    assert not agree("", "")


def test_settings_are_checked():
    for settings in ({"depth": 0}, {"widths": ()}, {"expansion": "magic"}, {"pruning": ("luck",)}):
        with pytest.raises(InputError, match="setting"):
            TreeOfReviews(Shelf(), **settings)
    assert TreeOfReviews(Shelf(), widths=[5, 3]).settings["widths"] == (5, 3)
    assert TreeOfReviews(Shelf(), widths=5, pruning="relevance").settings["pruning"] == ("relevance",)


HELPS = {"relevant": True, "enough": False, "analysis": ""}
ENOUGH = {"relevant": True, "enough": True, "analysis": "It is so."}
NO_HELP = {"relevant": False, "enough": False, "analysis": ""}


@pytest.mark.parametrize(
    ("row", "review", "same", "reviews"),
    [
        ("ToR", NO_HELP, False, 5),
        ("ToR", ENOUGH, False, 5),
        ("ToR", HELPS, False, 65),
        ("ToR", HELPS, True, 5 + 12 + 18),
        ("w/o repetitive pruning", NO_HELP, True, 5),
        ("w/o repetitive pruning", ENOUGH, True, 5),
        ("w/o repetitive pruning", HELPS, True, 65),
        ("w/o relevance pruning", NO_HELP, False, 65),
        ("w/o relevance pruning", ENOUGH, False, 65),
        ("w/o both", NO_HELP, True, 65),
        ("w/o both", ENOUGH, True, 65),
    ],
)
def test_the_rows_of_table_5_in_the_extreme(row, review, same, reviews):
    """Every path is reviewed alike, and every query finds other pages or always the same ones."""
    settings = next(each.settings for each in open_experiment("tor-table-5").rows if each.name == row)

    def finds(query, k):
        return [(page(f"{'' if same else query} {number}"), 1.0) for number in range(k)]

    lm = by_field(relevant=review, information=lambda given: f"after {names(given)}", answer="read")
    prediction, _ = run(finds, lm, **settings)
    assert prediction.counts["reviews"] == reviews
    if row == "w/o both":
        assert prediction.cost["calls"] == TreeOfReviews(finds, **settings).most_calls()
