import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy_moves import gather, run, toy

from multihop.programs.search import Moves, best_end, search_by_trials


class Reference:
    """The algorithm of the paper, one call after the other: V is a mean, and both V and N begin with a node's value."""

    def __init__(self, moves, trials, exploration, trust, solved_at):
        self.moves, self.trust = moves, trust
        self.visits, self.total, self.score, self.children, self.failed = {(): 1}, {(): 0.0}, {}, {}, []
        for _ in range(trials):
            path = [()]
            self.visits[()] += 1
            while not moves.terminal(path[-1]):
                state = path[-1]
                if state not in self.children:
                    self.expand(state)
                if not self.children[state]:
                    break
                bound = {
                    child: self.total[child] / self.visits[child]
                    + exploration * math.sqrt(math.log(self.visits[state]) / self.visits[child])
                    for child in self.children[state]
                }
                path.append(max(self.children[state], key=bound.__getitem__))
                self.visits[path[-1]] += 1
            if path == [()]:
                break
            reward = self.score[path[-1]]
            for state in path:
                self.total[state] += reward  # summed as the search sums, so that rounding decides no tie otherwise
            if reward >= solved_at:
                break
            if path[-1] not in self.failed:
                self.failed.append(path[-1])

    def expand(self, state):
        samples = run(self.moves.propose(state))[: self.moves.breadth]
        self.children[state] = []
        for act in samples:
            child = (*state, act)
            if child not in self.children[state]:
                self.children[state].append(child)
                self.score[child] = run(self.moves.score(child))
                share = sum(other == act for other in samples) / len(samples)
                self.total[child] = self.trust * self.score[child] + (1 - self.trust) * share
                self.visits[child] = 1


def search(moves, **options):
    failed = []

    async def learn(path):
        failed.append(path)

    return run(search_by_trials(moves, gather, learn, **options)), failed


@settings(max_examples=30)
@example(5158, 11, 0.0, 0.0)  # two children of equal means
@given(st.integers(0, 10**6), st.integers(1, 25), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_tree_is_that_of_the_papers_algorithm(seed, trials, exploration, trust):
    moves = toy(seed, breadth=4, ending=0.2, repeating=True)
    tree, failed = search(moves, trials=trials, exploration=exploration, trust=trust, solved_at=0.9)
    expected = Reference(moves, trials, exploration, trust, 0.9)
    nodes = list(tree.walk())
    assert {node.path: node.visits for node in nodes} == expected.visits
    assert {node.path: node.reward for node in nodes if node.path} == expected.score
    for node in nodes[1:]:
        assert node.value / node.visits == pytest.approx(expected.total[node.path] / expected.visits[node.path])
    assert failed == expected.failed


def test_a_new_node_is_worth_its_score_and_its_share_of_the_samples():
    async def propose(path):
        return ["a", "b", "B", "b"] if not path else []

    async def move(path, act):
        return act.lower()

    async def score(path):
        return {"a": 0.8, "b": 0.4}[path[0]]

    moves = Moves(propose=propose, move=move, score=score, depth=1, same=str.lower)
    tree, failed = search(moves, trials=1, trust=0.5)
    worth = {child.path: child.value for child in tree.children}
    assert worth[("a",)] == pytest.approx(0.5 * 0.8 + 0.5 * 0.25)
    assert worth[("b",)] == pytest.approx(0.5 * 0.4 + 0.5 * 0.75 + 0.4)  # and the trial that ended there
    assert failed == [("b",)]
    assert best_end(tree, moves.terminal).path == ("a",)  # it scores better, whatever the samples say


def test_nothing_proposed_at_all_ends_the_search():
    async def nothing(path):
        return []

    moves = Moves(propose=nothing, move=None, score=None)
    tree, failed = search(moves)
    assert (tree.children, failed, best_end(tree, moves.terminal)) == ((), [], tree)


def test_the_budget_is_asked_before_each_trial():
    left = iter([False, False, True])
    tree, _ = search(toy(5, repeating=True), trials=50, solved_at=2.0, over=lambda: next(left))
    assert tree.visits - 1 == 2
