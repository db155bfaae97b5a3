"""The picture of a search that goes on comes to what the trajectory says in the end."""

import dspy
import pytest
from answering import answering
from simulated import simulated

from multihop import BM25, PROGRAMS, Little, create
from multihop.runtime import listening
from multihop.view.pictures.choosing import picture_trajectory
from multihop.view.pictures.growing import GrowingPicture

PASSAGES, QUESTIONS = list(Little().passages()), list(Little().questions())[:4]
RETRIEVER = BM25.build(PASSAGES)
SMALL = {
    "mzqa": {"iterations": 4, "depth": 3, "candidates": 2},
    "rap": {"iterations": 2, "depth": 2, "candidates": 2},
    "lats": {"iterations": 3, "depth": 3},
    "lats-mzqa": {"iterations": 2, "depth": 2},
    "tot-bfs": {"depth": 2},
    "tot-dfs": {"depth": 2},
}


def grown(program, question, lm):
    """The pictures on the way, the last one, and that of the trajectory."""
    growing, due = GrowingPicture(question, program), []

    def take(step):
        if growing.take(step):
            due.append(growing.picture)

    with dspy.context(lm=lm), listening(take):
        prediction = program(question=question)
    return due, growing.picture, picture_trajectory(prediction.trajectory, question)


def outline(node, *names):
    return [*(node[name] for name in names), [outline(child, *names) for child in node["children"]]]


@pytest.mark.parametrize("order", ["by-level", "depth-first"])
@pytest.mark.parametrize("expansion", ["mpc", "direct"])
def test_a_tree_of_reviews_grows_to_the_one_on_record(expansion, order):
    program = create("tor", RETRIEVER, expansion=expansion, order=order, widths=(3, 2))
    lm = simulated(QUESTIONS, PASSAGES, error_rate=0.2)
    for question in QUESTIONS:
        due, last, recorded = grown(program, question.question, lm)
        assert outline(last["root"], "label", "mark") == outline(recorded["root"], "label", "mark")
        assert [child["texts"] for child in last["root"]["children"]] == [
            child["texts"] for child in recorded["root"]["children"]
        ]
        sizes = [str(outline(each["root"], "label")).count("[") for each in due]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1]


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("lm", ["simulated", "answering"])
def test_a_searched_tree_grows_to_the_one_on_record(name, lm):
    lm = answering() if lm == "answering" else simulated(QUESTIONS, PASSAGES, error_rate=0.2)
    _, last, recorded = grown(create(name, RETRIEVER, **SMALL[name]), QUESTIONS[0].question, lm)
    assert (last["kind"], recorded["kind"]) == ("searched", "searched")
    assert outline(last["root"], "label") == outline(recorded["root"], "label")
    found = [len(node["passages"]) for node in last["root"]["children"] if "passages" in node]
    assert found == [len(node["passages"]) for node in recorded["root"]["children"] if "passages" in node]


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - SMALL.keys() - {"tor", "efficientrag", "ranked-rag"}))
def test_every_other_program_grows_a_picture_of_the_same_kind(name):
    retriever = RETRIEVER if PROGRAMS[name].retrieves else None
    _, last, recorded = grown(create(name, retriever), QUESTIONS[1].question, answering())
    assert last["kind"] == recorded["kind"]
    if last["kind"] == "rounds":
        assert [each["queries"] for each in last["rounds"]] == [each["queries"] for each in recorded["rounds"]]


def test_pictures_are_due_ever_more_seldom():
    program = create("tor", RETRIEVER)
    growing = GrowingPicture("q", program)
    step = {"step": "find", "query": "q", "k": 1, "hits": [], "path": []}
    assert sum(growing.take(step) for _ in range(1_000)) < 70
