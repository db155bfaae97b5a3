"""Examples of the steps of searches, made from their inputs alone: thoughts, actions, scores, and judgements."""

from gold_scenes import ASIDE, AUSTEN, COMPARED, EMMA, NOISE, Finds, rows, shown


def test_a_proposal_names_as_many_ways_on_as_it_says_and_none_that_is_not_open_yet():
    made = rows("ProposeSubQuestions", "number", "sub_questions")
    assert [len(listed) for _, listed in made] == [number for number, _ in made]
    assert made[0][1][:2] == ["Who wrote Emma?", "Who is the author of Emma?"]
    assert made[1][1][:2] == ["Where was Jane Austen born?", "What is the place of birth of Jane Austen?"]
    assert "Jane Austen" not in " ".join(made[0][1])
    both = rows("ProposeSubQuestions", "sub_questions", path=COMPARED)[0][:2]
    assert both == ["When was Oliver Twist published?", "When was Ivanhoe published?"]


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


def test_thoughts_to_choose_from_state_facts_until_the_answer_follows():
    first, last = rows("ProposeThoughts", "history", "number", "thoughts", retriever=Finds(()))
    ways = ["Who wrote Emma?", "Who is the author of Emma?", "What is the name of the person who wrote Emma?"]
    ways.append("Who or what is Emma?")
    assert first == ([], 5, ["Jane Austen wrote Emma.", *(f"Next I need to find out: {way}" for way in ways)])
    arrived = ["So the answer is Steventon.", "Jane Austen was born in Steventon, so the answer is Steventon."]
    assert last == (["Jane Austen wrote Emma.", "Jane Austen was born in Steventon."], 2, arrived)
    history = rows("ProposeThoughts", "history")[-1]
    assert history[:4] == ["Jane Austen wrote Emma.", *shown(NOISE[0], NOISE[1], EMMA)]  # what the thought finds


def test_a_line_of_thought_is_worth_the_way_behind_it_unless_it_guesses_or_strays():
    known = ["Jane Austen wrote Emma.", "Jane Austen was born in Steventon."]
    assert rows("ValueThoughts", "history", "score", retriever=Finds(())) == [
        (known[:1], "4"),
        ([*known[:1], "So the answer is Jane Austen."], "0"),
        (known, "8"),
        ([*known, "So the answer is Steventon."], "10"),
        (["Oliver Twist was published in 1837."], "0"),
    ]


def test_who_answers_alone_asks_the_question_itself_in_the_end():
    notes = ["Who wrote Emma? -> Jane Austen wrote Emma."]
    whole = [*notes, "Where was Jane Austen born? -> Jane Austen was born in Steventon."]
    assert rows("AskOwnQuestion", "history", "sub_question") == [
        *rows("NextSubQuestion", "history", "sub_question"),
        (whole, "Where was the author of Emma born?"),
    ]
    assert rows("AskOwnQuestions", "history", "number", "sub_questions")[-1] == (
        whole,
        1,
        ["Where was the author of Emma born?"],
    )
    assert rows("AnswerOwnQuestion", "sub_question", "result") == [
        ("Who wrote Emma?", "Jane Austen wrote Emma. The answer is Jane Austen."),
        ("Where was Jane Austen born?", "Jane Austen was born in Steventon. The answer is Steventon."),
    ]
