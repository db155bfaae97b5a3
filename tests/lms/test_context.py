import pytest

from multihop.lms.context import least_tokens, too_long


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("one two", 2), ("|---|---|", 1), ("don't", 3), ("1984, Ōtani", 3), ("日本語です", 1)]
)
def test_a_text_has_a_token_for_each_word_and_each_run_of_marks_at_least(text, tokens):
    assert least_tokens(text) == tokens


def test_a_prompt_that_is_too_long_is_told_with_both_numbers():
    said = "the prompt has 9,000 tokens, and the context of m.gguf 8,192; show fewer passages, or open it wider."
    assert str(too_long(9000, "m.gguf", 8192, remedy="open it wider")).splitlines()[0] == said
