import dspy
import pytest
import ujson

from multihop import Direct, InputError, Passage, create, scripted, with_demonstrations

JUDGED = {
    "question": "Where was the author of Emma born?",
    "evidence": ["Jane Austen wrote Emma."],
    "pathway": [],
    "enough": False,
}


def nothing(query, k):
    return []


@pytest.fixture
def resp():
    return create("resp", nothing)


def test_they_are_shown_as_they_are_and_in_their_order(resp):
    values = {str: "a text", list[str]: ["one", "two"], bool: True, float: 0.5, int: 2}
    shots = {
        name.partition(".")[0]: [{field: values[each.annotation] for field, each in predictor.signature.fields.items()}]
        for name, predictor in resp.named_predictors()
    }
    shots["judge"] = [{**shots["judge"][0], "question": f"question {number}"} for number in (3, 1, 2)]
    made = with_demonstrations(resp, shots)
    for name, predictor in made.named_predictors():
        assert [dict(demo) for demo in predictor.demos] == shots[name.partition(".")[0]]
    assert all(not predictor.demos for predictor in resp.predictors())
    lm = scripted([{"answer": "Steventon"}])
    made = with_demonstrations(Direct(), {"answer": [{"question": "Who wrote Emma?", "answer": "Jane Austen"}]})
    with dspy.context(lm=lm):
        made(question="Who?")
    (shown,) = lm.engine.prompts[0].demonstrations
    assert (shown.inputs, shown.outputs) == ({"question": "Who wrote Emma?"}, {"answer": "Jane Austen"})


def test_what_may_be_left_out_gets_its_default_and_passages_are_shown_as_text():
    shot = {"path": ["a | b"], "question": "q", "relevant": True, "enough": False}
    assert with_demonstrations(create("tor", nothing), {"review": [shot]}).review.demos[0].analysis == ""
    shot = {"passages": (Passage("p", "Emma", "A novel."),), "question": "q", "answer": "a"}
    made = with_demonstrations(create("one-step", nothing), {"answer": [shot]})
    assert made.answer.demos[0].passages == ["Emma | A novel."]


def test_a_step_of_several_predictors_names_each():
    class Two(Direct):
        def __init__(self, **limits):
            super().__init__(**limits)
            self.both = dspy.Module()
            self.both.first, self.both.second = dspy.Predict("question -> hint"), dspy.Predict("hint -> answer")

    made = with_demonstrations(Two(), {"both.second": [{"hint": "h", "answer": "a"}]})
    assert made.both.second.demos[0].hint == "h"
    with pytest.raises(InputError, match=r"unknown step of 'two' 'both'.*answer, both.first, both.second"):
        with_demonstrations(Two(), {"both": []})


ONE, TWO = "step 'judge', demonstration 1: ", "step 'judge', demonstration 2: "
REFUSED = [
    ([], "demonstrations are one object: for each step, a list of inputs and outputs."),
    ({"jugde": []}, "unknown step of 'resp' 'jugde'; did you mean 'judge'? Valid: "),
    ({"judge": {"question": "q"}}, """step 'judge': its demonstrations are a list, not {"question":"q"}."""),
    ({"judge": ["q -> a"]}, f"{ONE}it is one object with a value for each field"),
    ({"judge": [JUDGED, {**JUDGED, "enuogh": True}]}, f"{TWO}unknown field 'enuogh'; did you mean 'enough'? Valid: "),
    ({"judge": [{"question": "q", "evidence": []}]}, f"{ONE}the output enough is missing. The step's fields: "),
    ({"judge": [{"enough": True}]}, f"{ONE}it has no input, so it shows nothing."),
    ({"judge": [{**JUDGED, "enough": "yes"}]}, f'{ONE}enough is "yes": input should be a valid boolean.'),
    ({"judge": [{**JUDGED, "evidence": "one"}]}, f'{ONE}evidence is "one": input should be a valid array.'),
    ({"judge": [{**JUDGED, "question": 7}]}, f"{ONE}question is 7: input should be a valid string."),
]


@pytest.mark.parametrize(("demonstrations", "message"), REFUSED)
def test_what_does_not_fit_is_refused_in_one_sentence(demonstrations, message, resp, tmp_path):
    with pytest.raises(InputError) as refused:
        with_demonstrations(resp, demonstrations)
    assert str(refused.value).startswith(message)
    (tmp_path / "shots.json").write_text(ujson.dumps(demonstrations))
    with pytest.raises(InputError) as refused:
        with_demonstrations(resp, tmp_path / "shots.json")
    assert str(refused.value).startswith(f"{tmp_path / 'shots.json'}: {message}")


def test_a_file_that_is_no_json_is_refused(resp, tmp_path):
    (tmp_path / "shots.json").write_text("{")
    with pytest.raises(InputError, match="shots.json is damaged, or is not JSON"):
        with_demonstrations(resp, tmp_path / "shots.json")
    with pytest.raises(InputError, match="none.json cannot be read: No such file"):
        with_demonstrations(resp, tmp_path / "none.json")
