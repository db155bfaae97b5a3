"""The flaws of demonstrations, found in what they say of their own inputs."""

import pytest

from multihop.data import Question
from multihop.data.question import SubQuestion
from multihop.lms import simulated
from multihop.lms.prompt import Demonstration, Field, Prompt
from multihop.retrieval import Passage

EMMA = Passage("1", "Emma", "Emma is a novel. It was written by Jane Austen.")
AUSTEN = Passage("2", "Jane Austen", "Jane Austen was born in the village of Steventon.")
NOISE = Passage("3", "Clueless", "Clueless is a film of 1995 that retells a novel.")
ASKED = "Where was the author of Emma born?"
HOPS = (
    SubQuestion("Who wrote Emma?", "Jane Austen", "1"),
    SubQuestion("Where was Jane Austen born?", "Steventon", "2"),
)
QUESTION = Question(id="q", question=ASKED, answers=("Steventon",), supporting=("1", "2"), decomposition=HOPS)
TWINS = Question(
    id="t",
    question="Were Emma and Clueless made by one person?",
    answers=("no",),
    supporting=("1", "3"),
    decomposition=(SubQuestion("Who wrote Emma?", "Jane Austen", "1"), SubQuestion("What is Clueless?", "a film", "3")),
    type="comparison",
)
FIRST, SECOND, OTHER = str(EMMA), str(AUSTEN), str(NOISE)
NOTE_1, NOTE_2 = "Who wrote Emma? -> Jane Austen", "Where was Jane Austen born? -> Steventon"
BOOLS = {"relevant", "enough", "answerable", "valid", "first_better"}


@pytest.fixture(scope="module")
def engine():
    return simulated([QUESTION, TWINS], [EMMA, AUSTEN, NOISE], error_rate=0.5, known=0.0, learns=1.0).engine


def prompt_for(inputs, outputs, demonstrations=()):
    fields = tuple(Field(name, "bool" if name in BOOLS else "str") for name in outputs)
    return Prompt("", inputs, tuple(Field(name, "str") for name in inputs), fields, tuple(demonstrations))


def flaw(engine, inputs, outputs, question=ASKED):
    inputs = {**inputs, "question": question}
    return engine.flaw_of(Demonstration(inputs, outputs), prompt_for(inputs, outputs))


GOOD = [
    ({"path": [FIRST]}, {"relevant": True, "enough": False, "analysis": "", "query": "Where was Jane Austen born?"}),
    ({"path": [FIRST, SECOND]}, {"relevant": True, "enough": True, "analysis": "It is Steventon.", "query": ""}),
    ({"path": [OTHER]}, {"relevant": False, "enough": False, "query": "Who wrote Emma?"}),
    ({"evidence": [EMMA.text], "pathway": []}, {"enough": False}),
    ({"evidence": [EMMA.text], "pathway": [NOTE_2]}, {"enough": True}),
    (
        {"passages": [OTHER, FIRST], "sub_question": "Who wrote Emma?"},
        {"answerable": True, "sub_answer": "Jane Austen"},
    ),
    ({"passages": [OTHER], "sub_question": "Who wrote Emma?"}, {"answerable": False, "sub_answer": ""}),
    (
        {"passages": [FIRST], "history": [], "sub_question": "Who wrote Emma?"},
        {"sentence": "It was written by Jane Austen.", "result": "Jane Austen wrote it."},
    ),
    (
        {"passages": [OTHER], "history": [], "sub_question": "Who wrote Emma?"},
        {"sentence": "no information", "result": "not found"},
    ),
    ({"history": [], "number": 2}, {"sub_questions": ["Who wrote Emma?", "Who is the author of Emma?"]}),
    ({"notes": [NOTE_1]}, {"enough": False, "sub_question": "Where was Jane Austen born?", "answer": ""}),
    ({"notes": [NOTE_1, NOTE_2]}, {"enough": True, "sub_question": "", "answer": "Steventon"}),
    ({"passages": [FIRST], "thoughts": []}, {"thought": "Emma was written by Jane Austen.", "enough": False}),
    ({"history": [NOTE_1, NOTE_2]}, {"score": "10"}),
    ({"history": [NOTE_1]}, {"score": "5"}),
    (
        {"history": ["search: clueless -> Clueless", OTHER]},
        {"action": "search", "query": "author of Emma", "answer": ""},
    ),
    ({"passages": [FIRST, SECOND]}, {"reasoning": "Jane Austen was born in Steventon.", "answer": "steventon"}),
    ({"passages": [OTHER, FIRST]}, {"summary": "Emma was written by Jane Austen."}),
    ({"passages": [OTHER]}, {"summary": ""}),
    ({"passages": [OTHER]}, {"summary": "Nothing here says anything about what is asked."}),
    ({"history": [], "number": 2}, {"thoughts": ["Jane Austen wrote Emma.", "Next: who is the author of Emma?"]}),
    ({"history": [NOTE_1, NOTE_2], "number": 1}, {"thoughts": ["So the answer is Steventon."]}),
    ({"candidate": "Steventon", "summary": SECOND}, {"valid": True}),
    ({"candidate": "Bath", "summary": ""}, {"valid": False}),
    ({"first": "Bath: no", "second": "Steventon: yes"}, {"first_better": False}),
    ({}, {"answer": "Steventon"}),
    ({}, {"sub_questions": ["Who wrote Emma?", "Where was the author of Emma born?"]}),
]


@pytest.mark.parametrize(("inputs", "outputs"), GOOD)
def test_what_follows_from_the_inputs_is_good(engine, inputs, outputs):
    assert flaw(engine, inputs, outputs) == ""


BAD = [
    ({"path": [FIRST]}, {"relevant": False}, "relevant should be True"),
    ({"path": [OTHER]}, {"relevant": True}, "relevant should be False"),
    ({"path": [FIRST]}, {"enough": True}, "enough should be False"),
    ({"path": [FIRST, SECOND]}, {"enough": False}, "enough should be True"),
    ({"path": [FIRST]}, {"enough": False, "reasoning": "It is Steventon."}, "reasoning states what is not shown"),
    ({"path": [FIRST]}, {"analysis": "steventon, so much is sure."}, "analysis gives the answer away"),
    ({"path": [FIRST]}, {"query": "Who wrote Emma?"}, "query lead to nothing that is missing"),
    ({"path": [OTHER]}, {"query": "Where was Jane Austen born?"}, "query use what nothing has told yet"),
    ({"history": [], "number": 5}, {"sub_questions": ["Who wrote Emma?"]}, "sub_questions are 1 where 5 are asked for"),
    (
        {"history": [], "number": 2},
        {"sub_questions": ["Who wrote Emma?", "Where was Jane Austen born?"]},
        "sub_questions use what nothing has told yet",
    ),
    (
        {"history": [], "number": 2},
        {"sub_questions": ["Who wrote Emma?", "who wrote emma?"]},
        "sub_questions repeat each other",
    ),
    (
        {"passages": [FIRST], "sub_question": "Who wrote Emma?"},
        {"answerable": False, "sub_answer": ""},
        "answerable should be True",
    ),
    (
        {"passages": [FIRST], "sub_question": "Who wrote Emma?"},
        {"sub_answer": "Ann Other"},
        "sub_answer is not in the inputs",
    ),
    ({"passages": [FIRST], "sub_question": "Who wrote Emma?"}, {"sub_answer": "Emma"}, "sub_answer does not answer"),
    (
        {"passages": [FIRST], "history": [], "sub_question": "Who wrote Emma?"},
        {"sentence": "Emma is a novel."},
        "sentence does not answer",
    ),
    (
        {"passages": [FIRST], "history": [], "sub_question": "Who wrote Emma?"},
        {"sentence": "Jane Austen wrote it in 1815."},
        "sentence is not in the inputs",
    ),
    (
        {"passages": [OTHER], "history": [], "sub_question": "Who wrote Emma?"},
        {"result": "Jane Austen wrote it."},
        "result tells what no passage does",
    ),
    ({"passages": [OTHER], "thoughts": []}, {"thought": "It was Jane Austen."}, "thought states what is not shown"),
    ({"passages": [OTHER]}, {"answer": "Steventon"}, "answer is told by nothing"),
    ({"passages": [FIRST, SECOND]}, {"answer": "Bath"}, "answer is not right"),
    ({"passages": [OTHER]}, {"summary": "Clueless is a film."}, "summary finds something where nothing helps"),
    ({"passages": [FIRST]}, {"summary": ""}, "summary leaves out what helps"),
    ({"history": [], "number": 2}, {"thoughts": ["Jane Austen wrote Emma."]}, "thoughts are 1 where 2 are asked for"),
    ({"history": []}, {"thoughts": ["Emma sold well."]}, "thoughts lead to nothing that is missing"),
    ({"history": []}, {"thoughts": ["Jane Austen.", "jane austen."]}, "thoughts repeat each other"),
    ({"history": [NOTE_1, NOTE_2]}, {"thoughts": ["She wrote more."]}, "thoughts do not give the answer"),
    ({"history": []}, {"thoughts": ["Jane Austen was born in Steventon."]}, "thoughts gives the answer away"),
    ({"notes": [NOTE_1, NOTE_2]}, {"action": "search"}, "action should be finish"),
    ({"notes": [NOTE_1]}, {"action": "finish"}, "action should be search"),
    ({"notes": [NOTE_1]}, {"actions": ["finish: Bath"]}, "actions finish where they should search"),
    ({"history": [NOTE_1, NOTE_2]}, {"score": "2"}, "score should be from 7 to 10"),
    ({"history": []}, {"score": "9"}, "score should be from 0 to 5"),
    ({"history": []}, {"score": "high"}, "score is no number from 0 to 10"),
    ({"candidate": "Bath", "summary": ""}, {"valid": True}, "valid should be False"),
    ({"first": "Bath: no", "second": "Steventon: yes"}, {"first_better": True}, "first_better should be False"),
    ({"passages": [FIRST, SECOND], "number": 2}, {"candidates": ["Bath"]}, "candidates do not begin with the answer"),
]


@pytest.mark.parametrize(("inputs", "outputs", "wrong"), BAD)
def test_what_does_not_follow_from_the_inputs_is_named(engine, inputs, outputs, wrong):
    assert flaw(engine, inputs, outputs) == wrong


def test_an_output_that_is_not_there_and_a_question_that_nobody_knows(engine):
    inputs = {"path": [FIRST], "question": ASKED}
    prompt = prompt_for(inputs, {"relevant": True, "enough": False})
    assert engine.flaw_of(Demonstration(inputs, {"relevant": True}), prompt) == "enough is missing"
    strange = Demonstration({**inputs, "question": "What else?"}, {"relevant": True, "enough": False})
    assert engine.flaw_of(strange, prompt) == "it is of a question that the simulation does not know"


def test_of_two_facts_with_one_answer_a_note_tells_the_one_that_it_asks_for():
    both = Question(
        id="b",
        question="Did one person write Emma and Clueless?",
        answers=("yes",),
        supporting=("1", "3"),
        decomposition=(
            SubQuestion("Who wrote Emma?", "Jane Austen", "1"), SubQuestion("Who wrote Clueless?", "Jane Austen", "3"),
        ),
        type="comparison",
    )  # fmt: skip
    other = NOISE._replace(text="Clueless was written by Jane Austen.")
    engine = simulated([both], [EMMA, other]).engine
    assert flaw(engine, {"notes": [NOTE_1]}, {"enough": False}, both.question) == ""
    assert (
        flaw(engine, {"notes": [NOTE_1, "Who wrote Clueless? -> Jane Austen"]}, {"enough": True}, both.question) == ""
    )


def test_yes_and_no_are_no_secrets_but_need_all_that_is_compared(engine):
    assert flaw(engine, {"path": [FIRST]}, {"enough": False, "reasoning": "no word of it"}, TWINS.question) == ""
    assert flaw(engine, {"passages": [FIRST]}, {"answer": "no"}, TWINS.question) == "answer is told by nothing"
    assert flaw(engine, {"passages": [FIRST, OTHER]}, {"answer": "no"}, TWINS.question) == ""


def shows(path, enough):
    query = "" if enough else "Where was Jane Austen born?"
    return Demonstration({"path": path, "question": ASKED}, {"enough": enough, "query": query})


ENOUGH, NOT_ENOUGH, WRONG = shows([FIRST, SECOND], True), shows([FIRST], False), shows([FIRST], True)


@pytest.mark.parametrize(
    ("demonstrations", "for_true", "for_false", "in_all"),
    [
        ([], 0.0, 0.0, 0.0),
        ([ENOUGH, NOT_ENOUGH, NOT_ENOUGH], 0.5, 1.0, 1.0),
        ([ENOUGH, ENOUGH, NOT_ENOUGH], 1.0, 0.5, 1.0),
        ([ENOUGH], 0.0, -0.5, 1 / 3),
        ([ENOUGH] * 3, 0.0, -1.0, 1.0),
        ([NOT_ENOUGH] * 3, -1.0, 0.0, 1.0),
        ([WRONG] * 3, 0.0, 0.0, 0.0),
        ([WRONG, ENOUGH, NOT_ENOUGH], 0.5, 0.5, 2 / 3),
    ],
)
def test_a_decision_is_learned_where_both_of_its_sides_are_shown(engine, demonstrations, for_true, for_false, in_all):
    prompt = prompt_for({"path": [], "question": ASKED}, {"enough": True, "query": ""}, demonstrations)
    assert engine.skill(prompt, "enough", True) == for_true
    assert engine.skill(prompt, "enough", False) == for_false
    assert engine.skill(prompt) == pytest.approx(in_all)


def test_to_finish_is_the_side_of_enough(engine):
    act = Demonstration({"notes": [NOTE_1, NOTE_2], "question": ASKED}, {"action": "finish"})
    prompt = prompt_for({"notes": [], "question": ASKED}, {"action": ""}, [act, act])
    assert (engine.skill(prompt, "enough", True), engine.skill(prompt, "enough", False)) == (0.0, -1.0)


@pytest.mark.parametrize(("path", "right", "other"), [([FIRST, SECOND], True, NOT_ENOUGH), ([FIRST], False, ENOUGH)])
def test_from_one_side_alone_that_side_is_always_taken(engine, path, right, other):
    taught = prompt_for({"path": path, "question": ASKED}, {"enough": right, "query": ""}, [other] * 3)
    assert engine.reply(taught)["enough"] is not right
    both = [ENOUGH, ENOUGH, NOT_ENOUGH, NOT_ENOUGH]
    assert engine.reply(taught._replace(demonstrations=tuple(both)))["enough"] is right


def test_summaries_that_are_never_empty_teach_to_find_something_everywhere(engine):
    told = Demonstration({"passages": [FIRST], "question": ASKED}, {"summary": "Emma: By Jane Austen."})
    prompt = prompt_for({"passages": [], "question": ASKED}, {"summary": ""}, [told] * 3)
    assert not engine.flaw_of(told, prompt)
    assert (engine.skill(prompt, "summary", True), engine.skill(prompt, "summary", False)) == (0.0, -1.0)
    assert engine.reply(prompt)["summary"] != ""
