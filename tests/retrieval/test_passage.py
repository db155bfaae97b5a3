import pytest

from multihop.base.english import LONGEST_TITLE, split_title
from multihop.retrieval import Passage


@pytest.mark.parametrize("title", ["Po", "Po (river)", ""])
def test_what_is_shown_is_split_again(title):
    assert split_title(str(Passage("p", title, "A river."))) == (title, "A river.")


def test_only_the_first_bar_counts_and_only_near_the_beginning():
    assert split_title("Po | A | B") == ("Po", "A | B")
    late = "x" * LONGEST_TITLE + " | y"
    assert split_title(late) == ("", late)
    assert split_title(late[1:]) == (late[1:LONGEST_TITLE], "y")
    assert split_title("a|b") == ("", "a|b")
