import numpy as np
import pytest

from multihop.encoder import session
from multihop.encoder.session import Session, Words

WORDS = Words(np.array([[1, 2], [3, 4], [5, 6]], np.int8), np.array([1.0, 0.5, 2.0], np.float32))


class Network:
    """Says the sum of the words of its input and of the places of the second segment."""

    def __init__(self, wanted):
        self.wanted = [type("Input", (), {"name": name}) for name in wanted]
        self.fed = []

    def get_inputs(self):
        return self.wanted

    def run(self, _, feed):
        self.fed.append({name: values.shape for name, values in feed.items()})
        second = feed["types"].sum(1) if "types" in feed else np.zeros(1)
        return [feed["words"].sum((1, 2)), second]


def opened(monkeypatch, wanted):
    network, opened_on = Network(wanted), []
    monkeypatch.setattr(session, "open_network", lambda path: opened_on.append(path) or network)
    return network, opened_on


def test_each_input_is_asked_alone_and_told_with_its_place(monkeypatch):
    network, paths = opened(monkeypatch, ["words", "types"])
    said = {place: tuple(map(float, each)) for place, each in Session("p", WORDS).run([[0], [1, 2, 2], [2]], [1, 2, 0])}
    assert said == {0: (3.0, 0.0), 1: (3.5 + 22 + 22, 1.0), 2: (22.0, 1.0)}
    assert sorted(fed["words"] for fed in network.fed) == [(1, 1, 2), (1, 1, 2), (1, 3, 2)]
    assert paths == ["p"]


def test_the_longest_is_told_first_and_nothing_is_asked_for_nothing(monkeypatch):
    network, _ = opened(monkeypatch, ["words"])
    assert [place for place, _ in Session("p", WORDS).run([[0], [1, 2], [0, 1, 2]])] == [2, 1, 0]
    assert list(Session("p", WORDS).run([])) == []
    assert len(network.fed) == 3


def test_a_network_is_given_what_it_asks_for_and_its_error_reaches_the_asker(monkeypatch):
    network, _ = opened(monkeypatch, ["words"])
    list(Session("p", WORDS).run([[0, 1]], [1]))
    assert [set(fed) for fed in network.fed] == [{"words"}]
    network.run = lambda *_: 1 / 0
    with pytest.raises(ZeroDivisionError):
        list(Session("p", WORDS).run([[0], [1]]))
