import pytest
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import Budget, Recomp


def test_the_summary_alone_is_read():
    prediction, prompts = run(Recomp(Shelf(q="a b")), by_field(summary=["short"], answer="x"))
    assert [prompt.inputs for prompt in prompts] == [
        {"passages": shown("a", "b"), "question": "q"},
        {"summary": "short", "question": "q"},
    ]
    assert [passage.id for passage in prediction.passages] == ["a", "b"]


@pytest.mark.parametrize(
    ("shelf", "settings", "calls"),
    [(Shelf(), {}, 1), (Shelf(q="a"), {"retries": 0}, 2), (Shelf(q="a"), {"budget": Budget(calls=1)}, 1)],
)
def test_without_a_summary_the_lm_answers_from_memory(shelf, settings, calls):
    prediction, prompts = run(Recomp(shelf, **settings), by_field(summary=GARBAGE, answer="x"))
    assert prompts[-1].inputs == {"summary": "", "question": "q"}
    assert (prediction.answer, len(prompts)) == ("x", calls)
