from multihop import Question
from multihop.experiments.choosing.hops import mean_hops


def test_gold_passages_count_where_the_hops_are_not_told():
    asked = [
        Question(id="1", question="Where?", answers=(), hops=4, supporting=("a", "b")),
        Question(id="2", question="When?", answers=(), supporting=("a", "b")),
        Question(id="3", question="Who?", answers=()),
    ]
    assert mean_hops(asked) == 3.0
    assert mean_hops(asked[2:]) is mean_hops([]) is None
