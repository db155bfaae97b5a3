from multihop.encoder import condense

TEXT = "Emma | A novel. It sold well. Jane Austen wrote it. It is long."


def mark(words):
    return (TEXT.index(words), TEXT.index(words) + len(words))


def test_everything_stays_where_it_fits():
    assert condense(TEXT, []) == TEXT


def test_marked_sentences_come_before_the_first_and_the_first_before_the_rest():
    assert condense(TEXT, [mark("Jane Austen")], words=4) == "Jane Austen wrote it."
    assert condense(TEXT, [mark("Jane Austen")], words=8) == "Emma | A novel. Jane Austen wrote it."
    assert condense(TEXT, [], words=7) == "Emma | A novel. It sold well."


def test_nothing_condenses_to_nothing():
    assert condense("", []) == ""
