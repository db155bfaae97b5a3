"""The examples of each step, value by value, on hand-written questions."""

import dspy
import pytest
from gold_scenes import AUSTEN, CHAIN, COMPARED, EMMA, IVANHOE, NOISE, OLIVER, Finds, rows, shown

import multihop.signatures
from multihop import Program, create
from multihop.optimize.prompts.makers.scene import set_scenes
from multihop.optimize.prompts.steps import MAKERS, make_pool, step_examples


def test_everything_is_searched_for_at_once():
    retriever = Finds()
    set_scenes([CHAIN, COMPARED], retriever)
    (queries,) = retriever.searched
    assert {"Where was the author of Emma born?", "Who wrote Emma?", "Where was Jane Austen born?"} <= set(queries)
    assert {"wrote Emma", "Jane Austen wrote Emma.", "When was Ivanhoe published?"} <= set(queries)


@pytest.mark.parametrize("step", ["ReviewPath", "JudgePath", "ReviewPathAloud", "JudgePathAloud"])
def test_a_path_is_enough_at_its_end_and_one_beside_the_point_leads_nowhere(step):
    assert rows(step, "path", "relevant", "enough", "query") == [
        (shown(EMMA), True, False, "Where was Jane Austen born?"),
        (shown(EMMA, NOISE[0]), True, False, "Where was Jane Austen born?"),
        (shown(EMMA, AUSTEN), True, True, ""),
        *[(shown(page), False, False, "Who wrote Emma?") for page in NOISE[:3]],
    ]


def test_only_what_is_enough_is_analysed_and_the_reasoning_of_the_rest_does_not_arrive():
    proof = "Emma is a novel by Jane Austen. Jane Austen: She was born in Steventon. So the answer is Steventon."
    part = "Emma is a novel by Jane Austen. Still to be found: Where was Jane Austen born?"
    nothing = "Still to be found: Who wrote Emma?"
    assert rows("ReviewPathAloud", "analysis", "reasoning") == [
        ("", part),
        ("", part),
        (proof, proof),
        *[("", nothing)] * 3,
    ]


def test_the_halves_of_a_comparison_come_in_either_order():
    judged = rows("ReviewPath", "path", "enough", "query", path=COMPARED)
    assert (shown(OLIVER), False, "When was Ivanhoe published?") in judged
    assert (shown(IVANHOE), False, "When was Oliver Twist published?") in judged
    assert (shown(OLIVER, IVANHOE), True, "") in judged


def test_a_chain_reviews_all_that_it_has_found():
    assert rows("ReviewPathAloud", "path", "relevant", "enough", chain=True) == [
        (shown(*NOISE), False, False),
        (shown(EMMA, *NOISE[:3]), True, False),
        (shown(EMMA, AUSTEN, *NOISE[:2]), True, True),
    ]


def test_a_missing_fact_is_written_where_it_is_not_the_answer():
    assert rows("CompletePath", "path", "information") == []
    fact = "Jane Austen wrote Emma. Emma is a novel by Jane Austen."
    assert rows("CompletePath", "path", "information", retriever=Finds((AUSTEN,))) == [(shown(AUSTEN), fact)]
    dates = "Ivanhoe was published in 1819. Ivanhoe appeared in 1819."
    assert (shown(OLIVER), dates) in rows("CompletePath", "path", "information", path=COMPARED)


def test_the_answer_follows_from_the_last_missing_fact():
    assert rows("CompletePathAloud", "path", "likely_answer", retriever=Finds((AUSTEN,))) == [
        (shown(AUSTEN), "Steventon")
    ]
    assert (shown(OLIVER), COMPARED.answer) in rows("CompletePathAloud", "path", "likely_answer", path=COMPARED)


def test_a_summary_quotes_what_helps_and_is_empty_where_nothing_does():
    assert rows("SummarizePassages", "summary") == [
        "Emma is a novel by Jane Austen.",
        "Emma is a novel by Jane Austen. Jane Austen: She was born in Steventon.",
        "",
    ]
    whole, (*nothing,) = rows("SummarizePassages", "passages")[1:]
    assert str(AUSTEN) in whole
    assert nothing == shown(*NOISE)


def test_evidence_is_never_empty():
    *telling, nothing = rows("WriteEvidence", "summary")
    assert telling == rows("SummarizePassages", "summary")[:-1]
    assert nothing == "Nothing here says anything about what is asked."


def test_a_sub_question_can_be_answered_with_its_paragraph_and_not_without():
    assert rows("AnswerSubQuestion", "sub_question", "passages", "answerable", "sub_answer") == [
        ("Who wrote Emma?", shown(*NOISE, EMMA), True, "Jane Austen"),
        ("Who wrote Emma?", shown(*NOISE), False, ""),
        ("Where was Jane Austen born?", shown(*NOISE, AUSTEN), True, "Steventon"),
        ("Where was Jane Austen born?", shown(*NOISE), False, ""),
    ]


def test_a_step_quotes_the_sentence_that_holds_its_answer():
    history = ["Who wrote Emma? -> Jane Austen wrote Emma."]
    assert rows("AnswerStep", "history", "passages", "sentence", "result") == [
        ([], shown(*NOISE, EMMA), "Emma is a novel by Jane Austen.", "Jane Austen wrote Emma."),
        ([], shown(*NOISE), "no information", "not found"),
        (history, shown(*NOISE, AUSTEN), "She was born in Steventon.", "Jane Austen was born in Steventon."),
        (history, shown(*NOISE), "no information", "not found"),
    ]
    assert rows("AnswerStepFromMemory", "history", "result") == [
        ([], "Jane Austen wrote Emma."),
        (history, "Jane Austen was born in Steventon."),
    ]


def test_memories_are_enough_when_every_hop_is_among_them():
    asked = ["Where was Jane Austen born? -> Steventon"]
    part = ["Emma is a novel by Jane Austen."]
    assert rows("JudgeMemories", "evidence", "pathway", "enough") == [
        (part, [], False),
        (part, ["Where was Jane Austen born? -> not found"], False),
        ([*part, "Jane Austen: She was born in Steventon."], asked, True),
    ]


def test_a_planner_asks_for_what_is_missing_and_after_a_search_in_vain_in_other_words():
    question = "Where was the author of Emma born?"
    assert rows("PlanSubQuestion", "pathway", "asked", "sub_question") == [
        ([], [question], "Who wrote Emma?"),
        ([], [question], "Where was Jane Austen born?"),
        (
            ["Where was Jane Austen born? -> not found"],
            [question, "Where was Jane Austen born?"],
            "What is the place of birth of Jane Austen?",
        ),
    ]


@pytest.mark.parametrize("step", ["PickSubQuestion", "AskFollowUp"])
def test_a_planner_that_can_end_does_so_when_everything_is_known(step):
    first, second = "Who wrote Emma? -> Jane Austen", "Where was Jane Austen born? -> Steventon"
    assert rows(step, "notes", "enough", "sub_question", "answer") == [
        ([], False, "Who wrote Emma?", ""),
        ([first], False, "Where was Jane Austen born?", ""),
        ([first, second], True, "", "Steventon"),
    ]


def test_what_a_row_decides_is_what_it_shows():
    def decisions(step):
        scene = set_scenes([CHAIN, COMPARED], Finds())[0]
        return [row.decision for row in MAKERS[step].rows(scene)]

    first, later = "the first question", "a later question"
    assert decisions("PlanSubQuestion") == [first, later, later]
    assert decisions("AskFollowUp") == [first, later, "enough"]
    assert decisions("JudgePath") == ["search on", "search on", "accept", "reject", "reject", "reject"]
    assert decisions("ThinkAndAct") == ["the first search", *["search on"] * 3, "finish"]
    assert decisions("EvaluateHistory") == ["a middling score", "a high score", "a low score", "a low score"]


def test_a_planner_that_always_asks_is_never_shown_the_end():
    assert rows("NextSubQuestion", "history", "sub_question") == [
        ([], "Who wrote Emma?"),
        (["Who wrote Emma? -> Jane Austen wrote Emma."], "Where was Jane Austen born?"),
    ]


def test_a_split_describes_an_answer_that_is_not_known():
    assert rows("SplitQuestion", "sub_questions") == [["Who wrote Emma?", "Where was the person who wrote Emma born?"]]


def test_the_steps_that_label_copy_and_count():
    assert rows("DecomposeQuestion", "sub_questions", "sub_answers") == [
        (["Who wrote Emma?", "Where was #1 born?"], ["Jane Austen", "Steventon"])
    ]
    assert rows("MarkWords", "marked") == [["Emma", "Jane Austen"], ["born", "Steventon"]]
    assert rows("PickNextQuery", "known", "query") == [("Jane Austen", "born Jane Austen")]
    assert rows("JudgeAnswer", "answer", "correct") == [("Steventon", True), ("Jane Austen", False)]


READERS = [name for name in MAKERS if name.startswith(("Read", "AnswerQuestion", "AnswerFromPassages"))]


@pytest.mark.parametrize("step", READERS)
def test_every_reader_says_the_answer(step):
    assert rows(step, "answer") == ["Steventon"]
    assert rows(step, "answer", path=COMPARED) == ["Ivanhoe"]


def test_evidence_is_shown_as_each_program_shows_it():
    proof = "Emma is a novel by Jane Austen. Jane Austen: She was born in Steventon. So the answer is Steventon."
    assert rows("ReadEvidence", "evidence") == [[f"Assertion: {proof}\nParagraph: {EMMA}\nParagraph: {AUSTEN}"]]
    assert rows("ReadEvidence", "evidence", chain=True) == [[f"Assertion: {proof}", *shown(EMMA, AUSTEN)]]
    assert rows("ReadHistory", "history")[0][-1] == "Thought: Jane Austen was born in Steventon."


@pytest.mark.parametrize("step", MAKERS)
def test_a_step_is_known_by_its_class_whatever_its_instructions_are_and_after_loading(step):
    signature = getattr(multihop.signatures, step)

    class Alone(Program):
        retrieves = False

        def __init__(self, **limits):
            super().__init__(**limits)
            self.do = dspy.Predict(signature)
            self.aloud = dspy.ChainOfThought(signature)

    program = Alone()
    for predictor in program.predictors():
        predictor.signature = predictor.signature.with_instructions("Do it.")
    program.load_state(program.dump_state())
    scenes = set_scenes([CHAIN, COMPARED], Finds())
    made = step_examples(program, scenes)
    wanted = [example.shown.toDict() for example in make_pool(MAKERS[step], signature, scenes).examples]
    assert [example.shown.toDict() for example in made["do"].examples] == wanted
    aloud = [example.shown.toDict() for example in made["aloud.predict"].examples]
    assert all(each.pop("reasoning") for each in aloud)
    assert aloud == wanted


def test_a_chain_of_reviews_is_taught_as_a_chain():
    from multihop.optimize.prompts.steps import scenes_for

    assert [scenes_for(create(name, Finds()), []) for name in ("tor", "cor")] == [[], []]


@pytest.mark.parametrize("name", ["tor", "cor"])
def test_reviews_that_think_are_taught_with_their_thoughts(name):
    program = create(name, Finds(), reason=("review", "read") if name == "cor" else ("review", "complete", "read"))
    made = step_examples(program, set_scenes([CHAIN, COMPARED], Finds(), chain=name == "cor"))
    taught = {step: [example.shown for example in pool.examples] for step, pool in made.items()}
    assert [demo.reasoning for demo in taught["review.predict"] if demo.enough] == [
        "Emma is a novel by Jane Austen. Jane Austen: She was born in Steventon. So the answer is Steventon.",
        "Oliver Twist appeared in 1837. Ivanhoe appeared in 1819. So the answer is Ivanhoe.",
    ]
    assert all(demo.reasoning for step in set(taught) & {"complete.predict", "read.predict"} for demo in taught[step])
