from pprint import pformat

from golden import check_picture
from written_runs import MCTS, row, rows, searched

from multihop.view.drawn_search import DrawnSearch
from multihop.view.search_tree import shorten_labels

STEP = {"sub_question": "And?", "sentence": "", "result": "Ada", "passages": [], "thought": "Hm."}
KEPT = {**searched("Who?", 1, 0.5), "kept": True, "rollout": [STEP]}
NOTHING_FOUND = {"sub_question": "Why?", "sentence": "", "result": "", "passages": []}
DROPPED = {**NOTHING_FOUND, "reward": 0.0, "kept": False, "chosen": False, "children": []}
CUT_SHORT = [{"step": "plan", "inputs": {}, "error": "OverBudget"}, {"step": "over budget", "limit": "20 calls"}]
SEARCHES = dict(zip(("reviews", "sub-questions", "two memories", "labelled hops", "a failure"), rows(), strict=True))
SEARCHES["kept and dropped"] = row("q", [{"step": "tree", "tree": {**MCTS, "children": [KEPT, DROPPED]}}])
SEARCHES["cut short"] = row("q", CUT_SHORT)


def test_every_kind_of_search_is_printed_and_told_to_the_page_as_its_picture_shows():
    shown = []
    for name, each in SEARCHES.items():
        search = DrawnSearch.of_row(each)
        shown += [f"# {name}", repr(search), pformat(search.picture, width=150, sort_dicts=False), ""]
    check_picture("searches", "\n".join(shown))


def node(label, *children, answer=""):
    return {"label": label, "mark": "", "texts": [("answer", answer)] if answer else [], "children": list(children)}


def test_labels_on_the_map_leave_out_what_siblings_begin_with_alike_and_same_ones_show_their_answers():
    for children, shorts in (
        (("Who directed the film A?", "Who directed the film B?", "When was it made?"), ["…A?", "…B?", None]),
        (("Who wrote it?", "Who sang it?"), [None, None]),  # one word alike
        (("Who wrote it", "Who wrote it first"), [None, "…first"]),
        ((("Who wrote it?", "Ada"), ("Who wrote it?", "Bo"), "Who sang it?"), ["→ Ada", "→ Bo", None]),
    ):
        told = [each if isinstance(each, tuple) else (each, "") for each in children]
        root = node("the question", *(node(label, answer=answer) for label, answer in told))
        shorten_labels(root)
        assert [child.get("short") for child in root["children"]] == shorts
