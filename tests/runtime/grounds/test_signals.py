import pytest

from multihop.retrieval import Passage
from multihop.runtime.grounds.signals import free_signals

ETNA = Passage("1", "Etna", "Etna is a volcano in Sicily.")
SICILY = Passage("2", "Sicily", "Sicily is an island of Italy.")
PO = Passage("3", "Po", "The Po is a river.")
QUESTION = "On which island is Etna?"


def signals(answer, *, question=QUESTION, passages=(ETNA, SICILY, PO), **fields):
    return free_signals(question, answer, {"passages": list(passages), **fields})


def test_an_answer_is_told_by_its_words_and_by_where_it_stands():
    assert signals("Sicily") == {
        "words": 1.0, "refused": 0.0, "yes_or_no": 0.0, "echo": 0.0, "stands": pytest.approx(2 / 3),
        "searches": 0.0, "over_budget": 0.0,
    }  # fmt: skip
    assert signals("the Etna!")["echo"] == 1.0
    assert signals("Yes.")["yes_or_no"] == 1.0
    assert signals("I do not know")["refused"] == 1.0
    assert signals("a long answer of many more words than that")["words"] == 6.0


def test_an_answer_stands_where_all_its_words_do():
    assert signals("Si")["stands"] == 0.0
    assert signals("island of italy")["stands"] == pytest.approx(1 / 3)
    assert signals("", passages=[])["stands"] == signals("...")["stands"] == 0.0


def test_only_the_first_five_passages_are_looked_at():
    others = [Passage(str(number), f"Page {number}", "Nothing.") for number in range(5)]
    assert signals("Sicily", passages=[*others, ETNA])["stands"] == 0.0
    assert signals("Sicily", passages=[*others[:4], ETNA])["stands"] == pytest.approx(0.2)


def test_conclusions_that_name_the_answer_agree_with_it():
    evidence = [{"analysis": "Etna is on Sicily."}, {"analysis": "It is on Malta."}, {"result": "Sicily"}, {}, "Sicily"]
    assert signals("Sicily", evidence=evidence)["agreement"] == pytest.approx(2 / 3)
    assert "agreement" not in signals("Sicily", evidence=[{}])


def test_verdicts_searches_and_probabilities_are_read_from_the_steps_and_from_their_branches():
    steps = [
        {"step": "find", "query": "Etna", "k": 1, "hits": []},
        {
            "step": "branches",
            "branches": [
                [{"step": "review", "outputs": {"enough": True}}],
                [{"step": "review", "outputs": {"enough": False}}, {"step": "find", "query": "Sicily", "k": 1}],
            ],
        },
        {"step": "draft", "outputs": {"answer": "Malta"}},
        {"step": "read", "outputs": {"answer": "Sicily"}},
    ]
    found = signals("Sicily", trajectory=steps, over_budget=True)
    assert (found["enough"], found["searches"], found["over_budget"]) == (1.0, 2.0, 1.0)


def test_the_reward_is_that_at_the_end_of_the_path_that_was_chosen():
    tree = {
        "reward": None,
        "children": [{"reward": 0.9, "children": []}, {"reward": 0.25, "chosen": True, "children": []}],
    }
    assert signals("Sicily", trajectory=[{"step": "search", "tree": tree}])["score"] == 0.25
    assert "score" not in signals("Sicily", trajectory=[{"step": "search", "tree": {"reward": None}}])
