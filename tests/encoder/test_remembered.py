from multihop.encoder import Judgement, Pair
from multihop.encoder.remembered import Remembered


def pair(number):
    return Pair("Who?", f"page {number}")


class Judge:
    """Believes page 3 to be relevant by 0.03, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, pairs):
        self.asked.append([each.passage for each in pairs])
        return [Judgement(int(each.passage.split()[1]) / 100, 0.5, 0.5, 0.5, 0.0, 0.0) for each in pairs]


def relevances(remembered, judge, *numbers):
    return [each.relevant for each in remembered.judge([pair(number) for number in numbers], judge)]


def test_what_was_judged_is_not_judged_again():
    remembered, judge = Remembered(), Judge()
    assert relevances(remembered, judge, 2, 1, 2) == [0.02, 0.01, 0.02]
    assert relevances(remembered, judge, 1, 3, 2) == [0.01, 0.03, 0.02]
    assert relevances(remembered, judge, 3) == [0.03]
    assert judge.asked == [["page 2", "page 1"], ["page 3"]]


def test_a_pair_is_another_with_other_things_known():
    remembered, judge = Remembered(), Judge()
    remembered.judge([pair(1), pair(1)._replace(known=("page 2",))], judge)
    assert judge.asked == [["page 1", "page 1"]]


def test_the_one_that_was_asked_for_longest_ago_is_forgotten():
    remembered, judge = Remembered(most=2), Judge()
    for number in (1, 2, 1, 3, 1, 2):
        relevances(remembered, judge, number)
    assert judge.asked == [["page 1"], ["page 2"], ["page 3"], ["page 2"]]


def test_more_than_are_kept_are_judged_at_once():
    remembered, judge = Remembered(most=1), Judge()
    assert relevances(remembered, judge, 1, 2, 3) == [0.01, 0.02, 0.03]
    assert len(judge.asked) == 1


def test_forgotten_they_are_judged_anew():
    remembered, judge = Remembered(), Judge()
    relevances(remembered, judge, 1)
    remembered.forget()
    relevances(remembered, judge, 1)
    assert judge.asked == [["page 1"], ["page 1"]]
