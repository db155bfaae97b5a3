from written_runs import HOSTILE, MCTS, row, rows, searched

from multihop.view.drawn_search import DrawnSearch
from multihop.view.search_tree import shorten_labels

REVIEWED, SEARCHED, MEMORIES, HOPS, FAILED = rows()


def picture_of(row):
    return DrawnSearch.of_row(row).picture


def test_a_tree_of_reviews_has_verdicts_queries_and_what_was_pruned():
    picture = picture_of(REVIEWED)
    root = picture["root"]
    assert picture["kind"] == "reviews"
    assert (root["label"], root["mark"], root["texts"]) == (
        REVIEWED["question"],
        "",
        [("query", "Who directed Night Train?")],
    )
    assert root["left_out"] == [{"id": "p3", "title": "Day Train", "gold": False, "why": "nearly repeats another"}]
    first, unparsed = root["children"]
    assert first["passage"] == {"id": "p1", "title": "Night Train", "gold": True}
    assert first["texts"] == [("verdict", "relevant, not enough"), ("query", "Where was Jerzy born?")]
    accepted, rejected = first["children"]
    assert (accepted["mark"], accepted["texts"]) == (
        "accept",
        [("verdict", "relevant, enough"), ("analysis", "He was born in Łódź.")],
    )
    assert (rejected["mark"], rejected["label"]) == ("reject", HOSTILE)
    assert (unparsed["label"], unparsed["texts"]) == ("p5", [("verdict", "none: unparseable")])


def test_a_search_without_visits_says_what_was_kept_and_a_rollout_is_told_step_by_step():
    step = {"sub_question": "And?", "sentence": "", "result": "Ada", "passages": [], "thought": "Hm."}
    kept = {**searched("Who?", 1, 0.5), "kept": True, "rollout": [step]}
    dropped = {
        "sub_question": "Why?",
        "sentence": "",
        "result": "",
        "passages": [],
        "reward": 0.0,
        "kept": False,
        "chosen": False,
        "children": [],
    }
    root = {**MCTS, "children": [kept, dropped]}
    first, second = picture_of(row("q", [{"step": "tree", "tree": root}]))["root"]["children"]
    assert (first["mark"], first["rollout"]) == ("kept", [[("asked", "And?"), ("thought", "Hm."), ("answer", "Ada")]])
    assert (second["mark"], second["numbers"], second["texts"], "passages" in second) == (
        "dropped",
        {"reward": 0.0},
        [],
        False,
    )


def test_two_memories_say_in_which_round_each_gained_what():
    picture = picture_of(MEMORIES)
    first, second = picture["rounds"]
    assert picture["kind"] == "rounds"
    assert first["memories"] == {"global evidence": ["It is by Jerzy."]}
    assert [(each["step"], each["outputs"]) for each in first["answers"]] == [
        ("summarize", {"summary": "It is by Jerzy."}),
        ("judge", {"enough": False}),
    ]
    assert second["queries"][0]["text"] == "Where was Jerzy born?"
    assert [(each["id"], each["gold"], each["new"]) for each in second["queries"][0]["found"]] == [
        ("p2", True, True),
        ("p1", True, False),
    ]
    assert second["memories"] == {
        "global evidence": ["He is from Łódź."],
        "local pathway": ["Where was Jerzy born? -> Łódź"],
    }


def test_labelled_hops_have_tags_marked_words_and_the_next_query():
    first, second = picture_of(HOPS)["rounds"]
    assert [(each["id"], each["tag"], each["relevant"], each["words"]) for each in first["labels"]] == [
        ("p1", "continue", 0.9, ["Jerzy"]),
        ("p4", "terminate", 0.1, []),
    ]
    assert first["next"] == [{"after": "Night Train", "words": "Jerzy", "query": "Jerzy born"}]
    assert second["answers"] == [{"step": "read", "outputs": {"answer": HOSTILE}}]


def test_a_failed_step_and_the_end_of_a_budget_are_told():
    steps = [{"step": "plan", "inputs": {}, "error": "OverBudget"}, {"step": "over budget", "limit": "20 calls"}]
    (only,) = picture_of(row("q", steps))["rounds"]
    assert [each["error"] for each in only["answers"]] == ["OverBudget", "the budget of 20 calls was used up"]


def node(label, *children, answer=""):
    return {"label": label, "mark": "", "texts": [("answer", answer)] if answer else [], "children": list(children)}


def shorts(*children):
    root = node("the question", *children)
    shorten_labels(root)
    return [child.get("short") for child in root["children"]]


def test_what_siblings_begin_with_alike_is_left_out():
    assert shorts(
        node("Who directed the film Night Train?"), node("Who directed the film Day Train?"), node("When was it made?")
    ) == ["…Night Train?", "…Day Train?", None]


def test_one_word_alike_is_left_as_it_is_and_so_is_a_label_that_is_the_beginning_of_another():
    assert shorts(node("Who wrote it?"), node("Who sang it?")) == [None, None]
    assert shorts(node("Who wrote it"), node("Who wrote it first")) == [None, "…first"]


def test_labels_that_are_the_same_are_told_apart_by_their_answers():
    assert shorts(node("Who wrote it?", answer="Ada"), node("Who wrote it?", answer="Bo"), node("Who sang it?")) == [
        "→ Ada",
        "→ Bo",
        None,
    ]
