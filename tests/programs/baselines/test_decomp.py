from shelf import Shelf, by_field, run, shown

from multihop import DecomposedPrompting


def test_the_controller_picks_and_the_module_answers_until_it_stops():
    shelf = Shelf(s1="a", s2="a b")
    lm = by_field(
        sub_question=[
            {"enough": False, "sub_question": "s1"},
            {"enough": False, "sub_question": "s2"},
            {"enough": True, "sub_question": "ignored"},
        ],
        sub_answer=[{"answerable": True, "sub_answer": "A"}, {"answerable": True, "sub_answer": "B"}],
        answer=["final"],
    )
    prediction, prompts = run(DecomposedPrompting(shelf), lm)
    assert shelf.asked == ["s1", "s2"]
    assert [prompt.inputs for prompt in prompts] == [
        {"notes": [], "question": "q"},
        {"passages": shown("a"), "question": "q", "sub_question": "s1"},
        {"notes": ["s1 -> A"], "question": "q"},
        {"passages": shown("a", "b"), "question": "q", "sub_question": "s2"},
        {"notes": ["s1 -> A", "s2 -> B"], "question": "q"},
        {"notes": ["s1 -> A", "s2 -> B"], "passages": shown("a", "b"), "question": "q"},
    ]
    assert prediction.evidence == [
        {"analysis": "s1 -> A", "passages": ["a"]},
        {"analysis": "s2 -> B", "passages": ["a", "b"]},
    ]


def test_it_may_stop_before_asking_anything():
    prediction, prompts = run(DecomposedPrompting(Shelf()), by_field(sub_question=[{"enough": True}], answer="x"))
    assert (prediction.answer, len(prompts), prediction.passages) == ("x", 2, [])
