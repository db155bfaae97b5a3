"""What the examples of each step say, value by value, on hand-written questions."""

import dspy
import pytest

import multihop.signatures
from multihop import Program, create
from multihop.data import Question
from multihop.data.gold import GoldHop, GoldPath
from multihop.optimize.prompts.makers.scene import set_scenes
from multihop.optimize.prompts.steps import MAKERS, make_pool, step_examples
from multihop.retrieval import Hit, Passage

EMMA = Passage("1", "Emma", "Emma is a novel by Jane Austen. It sold well.")
AUSTEN = Passage("2", "Jane Austen", "She wrote six novels. She was born in Steventon.")
NOISE = [Passage(f"n{number}", f"Page {number}", f"It is about {number}.") for number in range(4)]
HOPS = (
    GoldHop("Who wrote Emma?", "Jane Austen", EMMA, "Emma is a novel by Jane Austen."),
    GoldHop("Where was Jane Austen born?", "Steventon", AUSTEN, "She was born in Steventon.", (0,)),
)
CHAIN = GoldPath(Question(id="q1", question="Where was the author of Emma born?", answers=("Steventon",)), HOPS)
OLIVER = Passage("3", "Oliver Twist", "Oliver Twist appeared in 1837.")
IVANHOE = Passage("4", "Ivanhoe", "Ivanhoe appeared in 1819.")
FIRST = Question(id="q2", question="Which novel appeared first, Oliver Twist or Ivanhoe?", answers=("Ivanhoe",))
DATES = (
    GoldHop("When was Oliver Twist published?", "1837", OLIVER, OLIVER.text),
    GoldHop("When was Ivanhoe published?", "1819", IVANHOE, IVANHOE.text),
)
COMPARED = GoldPath(FIRST, DATES, compares=True)
ASIDE = "When was Oliver Twist published? -> Oliver Twist was published in 1837."


class Finds:
    """Finds the same for whatever is searched for, and notes what that was."""

    def __init__(self, pages=(*NOISE, EMMA)):
        self.pages, self.searched = pages, []

    def search(self, queries, k):
        self.searched.append(list(queries))
        return [[Hit(page, 1.0) for page in self.pages[:k]] for _ in queries]


def rows(step, *fields, path=CHAIN, retriever=None, chain=False):
    """The values of some fields, example by example."""
    scene = set_scenes([path, COMPARED if path is CHAIN else CHAIN], retriever or Finds(), chain=chain)[0]
    made = [tuple(row.fields[field] for field in fields) for row in MAKERS[step].rows(scene)]
    return [each[0] for each in made] if len(fields) == 1 else made


def shown(*passages):
    return [str(passage) for passage in passages]


def test_everything_is_searched_for_at_once():
    retriever = Finds()
    set_scenes([CHAIN, COMPARED], retriever)
    (queries,) = retriever.searched
    assert {"Where was the author of Emma born?", "Who wrote Emma?", "Where was Jane Austen born?"} <= set(queries)
    assert {"wrote Emma", "Jane Austen wrote Emma.", "When was Ivanhoe published?"} <= set(queries)


@pytest.mark.parametrize("step", ["ReviewPath", "JudgePath", "ReviewPathAloud"])
def test_a_path_is_enough_at_its_end_and_one_beside_the_point_leads_nowhere(step):
    assert rows(step, "path", "relevant", "enough", "query") == [
        (shown(EMMA), True, False, "Where was Jane Austen born?"),
        (shown(EMMA, NOISE[0]), True, False, "Where was Jane Austen born?"),
        (shown(EMMA, AUSTEN), True, True, ""),
        *[(shown(page), False, False, "Who wrote Emma?") for page in NOISE[:3]],
    ]


def test_only_what_is_enough_is_analysed_and_the_reasoning_of_the_rest_does_not_arrive():
    proof = "Jane Austen wrote Emma. Jane Austen was born in Steventon. So the answer is Steventon."
    part = "Jane Austen wrote Emma. Still to be found: Where was Jane Austen born?"
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


def test_a_summary_quotes_what_helps_and_is_empty_where_nothing_does():
    assert rows("SummarizePassages", "summary") == [
        "Emma is a novel by Jane Austen.",
        "Emma is a novel by Jane Austen. Jane Austen: She was born in Steventon.",
        "",
    ]
    whole, (*nothing,) = rows("SummarizePassages", "passages")[1:]
    assert str(AUSTEN) in whole
    assert nothing == shown(*NOISE)


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


def test_a_proposal_names_as_many_ways_on_as_it_says_and_none_that_is_not_open_yet():
    made = rows("ProposeSubQuestions", "number", "sub_questions")
    assert [len(listed) for _, listed in made] == [number for number, _ in made]
    assert made[0][1][:2] == ["Who wrote Emma?", "Who is the author of Emma?"]
    assert made[1][1][:2] == ["Where was Jane Austen born?", "What is the place of birth of Jane Austen?"]
    assert "Jane Austen" not in " ".join(made[0][1])
    both = rows("ProposeSubQuestions", "sub_questions", path=COMPARED)[0][:2]
    assert both == ["When was Oliver Twist published?", "When was Ivanhoe published?"]


def test_a_split_describes_an_answer_that_is_not_known():
    assert rows("SplitQuestion", "sub_questions") == [["Who wrote Emma?", "Where was the person who wrote Emma born?"]]


def test_a_thought_states_what_is_shown_says_what_is_missing_and_arrives():
    assert rows("ThinkOneSentence", "thoughts", "thought", "enough") == [
        ([], "Jane Austen wrote Emma.", False),
        ([], "What is still missing is this: Who wrote Emma?", False),
        (["Jane Austen wrote Emma."], "Jane Austen was born in Steventon, so the answer is Steventon.", True),
        (["Jane Austen wrote Emma."], "What is still missing is this: Where was Jane Austen born?", False),
    ]
    passages = rows("ThinkOneSentence", "passages")
    assert [(str(EMMA) in each, str(AUSTEN) in each) for each in passages] == [
        (True, False),
        (False, False),
        (True, True),
        (True, False),
    ]


def test_an_agent_searches_searches_again_in_other_words_and_finishes():
    assert rows("ThinkAndAct", "action", "query", "answer") == [
        ("search", "Who wrote Emma?", ""),
        ("search", "Who is the author of Emma?", ""),
        ("search", "Where was Jane Austen born?", ""),
        ("search", "What is the place of birth of Jane Austen?", ""),
        ("finish", "", "Steventon"),
    ]
    empty, in_vain, *_ = rows("ThinkAndAct", "history")
    thought = "Thought: Next I need to find out: Who wrote Emma?"
    assert (empty, in_vain) == ([], [thought, "Search: Who wrote Emma?", *shown(*NOISE[:3])])


def test_an_agent_in_a_tree_searches_with_a_few_words_and_finishes():
    assert rows("ThinkAndActAgain", "action", "query", "answer") == [
        ("search", "wrote Emma", ""),
        ("search", "Jane Austen born", ""),
        ("finish", "", "Steventon"),
    ]
    assert rows("ThinkAndActAgain", "history")[1] == [
        "search: wrote Emma -> Page 0; Page 1; Emma",
        *shown(*NOISE[:2], EMMA),
    ]
    first, second, last = rows("ProposeActions", "actions")
    assert first[:2] == ["search: wrote Emma", "search: author Emma"]
    assert second[:2] == ["search: Jane Austen born", "search: place birth Jane Austen"]
    assert last == ["finish: Steventon", "search: Jane Austen born Steventon"]


def test_a_history_scores_by_how_much_of_the_way_it_is():
    assert rows("EvaluateHistory", "history", "score") == [
        (["Who wrote Emma? -> Jane Austen wrote Emma."], "5"),
        (
            [
                "Who wrote Emma? -> Jane Austen wrote Emma.",
                "Where was Jane Austen born? -> Jane Austen was born in Steventon.",
            ],
            "10",
        ),
        ([ASIDE], "0"),
        (["Who wrote Emma? -> not found"], "0"),
    ]


def test_a_step_on_the_way_rates_ten_one_in_vain_five_and_one_aside_or_again_nothing():
    first = "Who wrote Emma? -> Jane Austen wrote Emma."
    made = {history[-1]: score for history, score in rows("RateStep", "history", "score")}
    assert made == {
        first: "10",
        "Where was Jane Austen born? -> Jane Austen was born in Steventon.": "10",
        "Who wrote Emma? -> not found": "5",
        "Where was Jane Austen born? -> not found": "5",
        ASIDE: "0",
        "Who is the author of Emma? -> Jane Austen is the author of Emma.": "0",
    }


def test_actions_score_ten_only_with_a_proven_answer_and_nothing_with_a_guess():
    ends = [(history[-1].partition(" -> ")[0], score) for history, score in rows("EvaluateActions", "history", "score")]
    assert ends == [
        (str(EMMA), "4"),
        ("finish: Jane Austen", "0"),
        (str(AUSTEN), "8"),
        ("finish: Steventon", "10"),
        (str(NOISE[2]), "0"),
    ]


def test_a_reflection_says_what_to_search_for_and_not_the_answer():
    made = rows("ReflectOnActions", "reflection")
    assert [("Who wrote Emma?" in each, "Where was Jane Austen born?" in each) for each in made] == [
        (True, False),
        (True, False),
        (False, True),
        (False, True),
    ]
    assert not any("Steventon" in each for each in made)


def test_the_right_candidate_is_valid_and_the_wrong_one_is_not():
    made = rows("ValidateCandidate", "candidate", "summary", "valid")
    assert [(candidate, valid) for candidate, _, valid in made] == [
        ("Steventon", True),
        ("Jane Austen", False),
        ("Jane Austen", False),
    ]
    assert made[2][1] == "Emma is a novel by Jane Austen."
    assert rows("ProposeCandidates", "candidates", "number") == [(["Steventon", "Jane Austen"], 2)]
    summaries = rows("SummarizeForCandidate", "candidate", "summary")
    assert summaries[0][1].endswith("So the answer is Steventon.")
    assert summaries[1][1].startswith("The passages do not speak for Jane Austen as the answer.")


def test_the_better_account_is_that_of_the_right_candidate_wherever_it_is():
    made = rows("CompareCandidates", "first", "second", "first_better")
    assert [(first.partition(":")[0], second.partition(":")[0], better) for first, second, better in made] == [
        ("Steventon", "Jane Austen", True),
        ("Jane Austen", "Steventon", False),
    ]


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
    proof = "Jane Austen wrote Emma. Jane Austen was born in Steventon. So the answer is Steventon."
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
