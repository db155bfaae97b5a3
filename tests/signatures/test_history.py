import pytest

from multihop.signatures import NextSubQuestion, ProposeSubQuestions


@pytest.mark.parametrize("signature", [NextSubQuestion, ProposeSubQuestions])
def test_sub_questions_are_built_from_key_words_of_the_question_and_of_the_history(signature):
    """MZQA, appendix G.1 and G.5: both prompts ask for it."""
    assert "from the key words of the question and of the results so far" in " ".join(signature.instructions.split())
