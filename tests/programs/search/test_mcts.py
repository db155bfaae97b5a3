import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_moves import gather, run, toy

from multihop.programs.search import best_leaf, best_path, search


class Reference:
    """The pseudocode of the paper, one call after the other."""

    def __init__(self, moves, iterations, exploration):
        self.moves, self.exploration = moves, exploration
        self.visits, self.value, self.reward, self.children, self.made = {(): 0}, {(): 0.0}, {}, {}, {(): 0}
        for iteration in range(1, iterations + 1):
            for state in self.select((), iteration):
                self.backpropagate(state, self.simulate(state))

    def select(self, state, iteration):
        while not self.moves.terminal(state):
            if state not in self.children:
                return self.expand(state, iteration) or [state]
            if not self.children[state]:
                return [state]
            bounds = [
                self.value[child] / self.visits[child]
                + self.exploration * math.sqrt(math.log(self.visits[state]) / self.visits[child])
                for child in self.children[state]
            ]
            state = self.children[state][bounds.index(max(bounds))]
        return [state]

    def expand(self, state, iteration):
        acts = run(self.moves.propose(state))[: self.moves.breadth]
        self.children[state] = [(*state, run(self.moves.move(state, act))) for act in acts]
        for child in self.children[state]:
            self.visits[child], self.value[child], self.made[child] = 0, 0.0, iteration
        return self.children[state]

    def simulate(self, state):
        end = state
        while not self.moves.terminal(end) and end not in self.children:
            act = run(self.moves.plan(end))
            if act is None:
                break
            end = (*end, run(self.moves.move(end, act)))
        reward = run(self.moves.score(end))
        self.reward.setdefault(state, reward)
        return reward

    def backpropagate(self, state, reward):
        while True:
            self.visits[state] += 1
            self.value[state] += reward
            if not state:
                return
            state = state[:-1]


def counting(moves):
    """The moves, and how often each kind is asked for."""
    made = Counter()

    def counted(name):
        def ask(*given):
            made[name] += 1
            return getattr(moves, name)(*given)

        return ask

    return replace(moves, **{name: counted(name) for name in ("propose", "plan", "move", "score")}), made


@given(
    st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.integers(1, 25), st.sampled_from([0.0, 0.3, 1.4])
)
def test_tree_and_calls_are_those_of_the_pseudocode(seed, depth, breadth, iterations, exploration):
    """Where nothing is looked up (`reuse="none"`), these are the calls that the paper's table 3 counts."""
    (moves, made), (by_paper, expected) = (
        counting(toy(seed, depth=depth, breadth=breadth, levels=4)) for _ in range(2)
    )
    reference = Reference(by_paper, iterations, exploration)
    root = run(search(moves, gather, iterations=iterations, exploration=exploration))
    assert made == expected
    nodes = {node.path: node for node in root.walk()}
    assert nodes.keys() == reference.visits.keys()
    for path, node in nodes.items():
        assert node.visits == reference.visits[path]
        assert node.value == pytest.approx(reference.value[path])
        assert node.iteration == reference.made[path]
        if path:
            assert node.reward == pytest.approx(reference.reward[path])


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_visits_and_values_add_up(seed, parallel):
    moves = toy(seed)
    root = run(search(moves, gather, iterations=15, parallel=parallel))
    for node in root.walk():
        below = sum(child.visits for child in node.children)
        own = node.visits - below
        assert own >= (1 if node.path else 0)
        if node.children and node.path:
            assert own == 1  # its own simulation; from then on all that comes through goes further down
        assert node.value >= sum(child.value for child in node.children) - 1e-9
    assert root.visits >= 15


def test_a_round_never_expands_a_leaf_twice_and_iterations_stay_what_they_are():
    moves = toy(3, depth=4, breadth=4, dead=0, ending=0)
    before, expanded = [], []

    async def propose(path):
        expanded.append(path)
        return [0, 1, 2, 3]

    def over():
        before.append(len(expanded))
        return False

    root = run(search(replace(moves, propose=propose), gather, iterations=20, parallel=4, over=over))
    rounds = [later - earlier for earlier, later in zip(before, [*before[1:], len(expanded)], strict=True)]
    assert len(expanded) == len(set(expanded)) == max(node.iteration for node in root.walk()) == 20
    assert rounds[0] == 1  # there is only the root to begin with
    assert max(rounds) == 4


def test_virtual_loss_sends_the_second_of_a_round_elsewhere():
    expanded, before = [], []

    async def propose(path):
        expanded.append(path)
        return [0, 1]

    async def score(path):
        return 1.0 - path[0] / 10

    moves = replace(toy(0, dead=0, ending=0), propose=propose, score=score)
    run(search(moves, gather, iterations=3, parallel=2, over=lambda: before.append(len(expanded))))
    # With its pending visit, the first child falls from 1 + sqrt(ln 3) to 1/2 + sqrt(ln 3 / 2), below the second.
    assert expanded == [(), (0,), (1,)]
    assert before == [0, 1]


def test_a_dead_end_is_asked_for_actions_once_and_earns_its_reward_again():
    asked, scored = [], []

    async def propose(path):
        asked.append(path)
        return [] if path else [0]

    async def score(path):
        scored.append(path)
        return 0.5

    async def nothing_more(path):
        return None

    moves = replace(toy(0, ending=0), propose=propose, plan=nothing_more, score=score)
    root = run(search(moves, gather, iterations=4))
    assert asked == [(), (0,)]
    assert scored == [(0,)] * 4
    assert (root.visits, root.value) == (4, 2.0)


def test_a_search_that_is_over_keeps_what_it_has():
    moves = toy(5)
    asked = iter([False, False, True])
    root = run(search(moves, gather, iterations=20, over=lambda: next(asked)))
    assert {node.iteration for node in root.walk()} <= {0, 1, 2}
    assert run(search(moves, gather, over=lambda: True)).children == ()
    assert best_path(run(search(moves, gather, over=lambda: True))) == ()


def test_the_chosen_path_has_the_largest_total_value_and_its_simulation():
    moves = toy(11, depth=4)
    root = run(search(moves, gather, iterations=20))

    def totals(node, total=0.0):
        total += node.value if node.path else 0.0
        if not node.children:
            yield total, node
        for child in node.children:
            yield from totals(child, total)

    best, leaf = max(totals(root), key=lambda each: each[0])
    assert best_leaf(root) == leaf
    assert best_path(root) == leaf.path + leaf.rollout
    assert best > 0
