from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import IterativeRetrievalGeneration


def test_question_and_full_response_retrieve_for_the_next_turn_which_reads_its_own_passages():
    shelf = Shelf(q="a b", **{"q because A": "b c", "q still B": "d"})
    lm = by_field(
        reasoning=[
            {"reasoning": "because", "answer": "A"},
            {"reasoning": "still", "answer": "B"},
            {"reasoning": "sure", "answer": "D"},
        ]
    )
    prediction, prompts = run(IterativeRetrievalGeneration(shelf), lm)
    assert shelf.asked == ["q", "q because A", "q still B"]
    assert [prompt.inputs["passages"] for prompt in prompts] == [shown("a", "b"), shown("b", "c"), shown("d")]
    assert prediction.answer == "D"
    assert [passage.id for passage in prediction.passages] == ["d", "a", "b", "c"]


def test_if_a_turn_cannot_be_parsed_the_answer_before_counts():
    lm = by_field(reasoning=[{"reasoning": "because", "answer": "A"}, GARBAGE])
    prediction, prompts = run(IterativeRetrievalGeneration(Shelf(q="a"), retries=0), lm)
    assert (prediction.answer, len(prompts)) == ("A", 2)


def test_if_the_first_turn_cannot_be_parsed_it_answers_once_more():
    lm = by_field(reasoning=[GARBAGE, {"reasoning": "r", "answer": "A"}])
    prediction, prompts = run(IterativeRetrievalGeneration(Shelf(q="a"), retries=0), lm)
    assert (prediction.answer, len(prompts)) == ("A", 2)
    assert prompts[-1].inputs["passages"] == shown("a")
