import pytest
from in_turn import AtOnce, InTurn
from shelf import GARBAGE, Shelf, by_field, inputs, run, shown

from multihop import InputError, RetrieveSummarizePlan
from multihop.programs.shared.evidence import room


def build(shelf, **settings):
    return RetrieveSummarizePlan(shelf, retries=0, **settings)


def test_the_algorithm_of_the_paper_call_by_call():
    shelf = Shelf(q="a b", s1="c")
    lm = by_field(
        summary=["about a", "about c"],
        sub_answer=[{"answerable": True, "sub_answer": "C"}],
        enough=[False, True],
        sub_question=["s1"],
        answer=["final"],
    )
    prediction, prompts = run(build(shelf), lm)
    assert shelf.batches == [(["q"], 5), (["s1"], 5)]
    assert [prompt.inputs for prompt in prompts] == InTurn(
        {"passages": shown("a", "b"), "question": "q"},
        {"evidence": ["about a"], "pathway": [], "question": "q"},
        {"evidence": ["about a"], "pathway": [], "asked": ["q"], "question": "q"},
        AtOnce(
            {"passages": shown("c"), "question": "q"},
            {"passages": shown("c"), "question": "q", "sub_question": "s1"},
        ),
        {"evidence": ["about a", "about c"], "pathway": ["s1 -> C"], "question": "q"},
        {"evidence": ["about a", "about c"], "pathway": ["s1 -> C"], "question": "q"},
    )
    assert prediction.answer == "final"
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]
    assert prediction.counts == {"rounds": 2, "repeated": 0, "documents": 3, "refused": 0}
    assert prediction.cost["calls_by_role"] == {"summarize": 2, "answer": 1, "judge": 2, "plan": 1, "read": 1}
    assert prediction.cost["chain"] == 6  # the summary and the sub-answer of a round are written at once
    assert prediction.evidence[-1] == {"analysis": "s1 -> C", "passages": ["c"]}


def test_it_stops_after_the_first_round_when_that_is_enough():
    prediction, prompts = run(build(Shelf(q="a")), by_field(summary="s", enough=True, answer="x"))
    assert len(prompts) == prediction.cost["calls"] == 3
    assert prediction.counts["rounds"] == 1


def test_before_so_many_rounds_nothing_is_judged():
    lm = by_field(
        summary="s", sub_answer={"answerable": True, "sub_answer": "B"}, enough=True, sub_question="s1", answer="x"
    )
    program = build(Shelf(q="a", s1="b"), least_turns=2)
    prediction, _ = run(program, lm)
    assert prediction.cost["calls_by_role"] == {"summarize": 2, "plan": 1, "answer": 1, "judge": 1, "read": 1}
    assert program.most_calls() == 11


def test_a_repeated_sub_question_is_asked_for_once_more_then_the_search_ends():
    shelf = Shelf(q="a", s1="b")
    lm = by_field(
        summary="s",
        sub_answer={"answerable": True, "sub_answer": "y"},
        enough=False,
        sub_question=["Q?", "s1", "S1!", "s1"],
        answer="x",
    )
    prediction, prompts = run(build(shelf, turns=5), lm)
    assert [given["asked"] for given in inputs(prompts, "sub_question")] == [
        ["q"],
        ["q", "Q?"],
        ["q", "Q?", "s1"],
        ["q", "Q?", "s1", "S1!"],
    ]
    assert shelf.asked == ["q", "s1"]
    assert prediction.counts["refused"] == 3
    assert prediction.counts["repeated"] == 0


def test_what_is_not_found_or_not_answerable_is_so_on_the_pathway():
    lm = by_field(
        summary="s",
        sub_answer={"answerable": False, "sub_answer": "ignored"},
        enough=False,
        sub_question=["s1", "s2"],
        answer="x",
    )
    _, prompts = run(build(Shelf(q="a", s1="b")), lm)
    assert prompts[-1].inputs["pathway"] == ["s1 -> not found", "s2 -> not found"]


def test_an_empty_summary_is_no_evidence_and_then_the_passages_are_read():
    _, prompts = run(build(Shelf(q="a b"), turns=1), by_field(summary=" ", answer="x"))
    assert prompts[-1].inputs == {"evidence": shown("a", "b"), "pathway": [], "question": "q"}


@pytest.mark.parametrize(("broken", "calls"), [({"enough": GARBAGE}, 3), ({"sub_question": GARBAGE}, 4)])
def test_a_verdict_or_plan_that_cannot_be_parsed_ends_the_search(broken, calls):
    said = {"summary": "s", "enough": False, "sub_question": "s1", "answer": "x", **broken}
    prediction, prompts = run(build(Shelf(q="a")), by_field(**said))
    assert prediction.answer == "x"
    assert (len(prompts), prediction.cost["parse_failures"]) == (calls, 1)


def test_a_summary_or_sub_answer_that_cannot_be_parsed_counts_as_none():
    lm = by_field(summary=[GARBAGE, "s"], sub_answer=GARBAGE, sub_question=["s1"], enough=True, answer="x")
    prediction, prompts = run(build(Shelf(q="a", s1="b")), lm)
    assert prompts[-1].inputs == {"evidence": ["s"], "pathway": ["s1 -> not found"], "question": "q"}
    assert prediction.cost["parse_failures"] == 2


def test_passages_are_cut_to_the_token_limit_and_output_to_200_tokens():
    beside = -room(build(Shelf()).summarize, 0, "q")
    for tokens, fitting in ((beside + 12, "ab"), (beside, "a"), (1, "a")):  # the first always does
        _, prompts = run(build(Shelf(q="a b c"), input_tokens=tokens), by_field(summary="s", enough=True, answer="x"))
        assert prompts[0].inputs["passages"] == shown(*fitting)
    program = build(Shelf(q="a"))
    assert [predictor.config for predictor in program.predictors()] == [{"max_tokens": 200}] * 5
    assert [predictor.config for predictor in build(Shelf(), output_tokens=None).predictors()] == [{}] * 5


def test_each_step_may_have_an_lm_of_its_own_and_one_set_on_a_predictor_comes_first():
    small, large, own = by_field(summary="s", enough=True), by_field(answer="x"), by_field(answer="own")
    program = build(Shelf(q="a"), lms={"read": large, "judge": "openai/some-model"})
    assert program.settings["lms"] == {"read": large.model, "judge": "openai/some-model"}
    assert program.deepcopy().lms["read"] is large
    program = build(Shelf(q="a"), lms={"read": large})
    assert run(program, small)[0].answer == "x"
    assert (len(small.engine.prompts), len(large.engine.prompts)) == (2, 1)
    program.read.lm = own
    assert run(program, small)[0].answer == "own"
    assert (program.lm_of("read"), program.lm_of("judge")) == (own, None)
    with pytest.raises(InputError, match="unknown step of RetrieveSummarizePlan 'reader'.*Valid: answer, judge, plan"):
        build(Shelf(), lms={"reader": large})


def test_a_summary_that_says_that_nothing_helps_is_none_and_the_reader_is_given_the_passages():
    for said, is_kept in (("Nothing in them helps.", False), ("Nothing Else Matters is a song.", True)):
        _, prompts = run(build(Shelf(q="a"), turns=1), by_field(summary=said, answer="x"))
        assert prompts[-1].inputs["evidence"] == ([said] if is_kept else shown("a"))
