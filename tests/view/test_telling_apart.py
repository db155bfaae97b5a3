from multihop.view.pictures.telling_apart import tell_children_apart


def node(label, *children, answer=""):
    return {"label": label, "mark": "", "texts": [("answer", answer)] if answer else [], "children": list(children)}


def shorts(*children):
    root = node("the question", *children)
    tell_children_apart(root)
    return [child.get("short") for child in root["children"]]


def test_what_siblings_begin_with_alike_is_left_out():
    assert shorts(
        node("Who directed the film Night Train?"), node("Who directed the film Day Train?"), node("When was it made?")
    ) == ["…Night Train?", "…Day Train?", None]


def test_each_is_compared_with_the_sibling_that_it_is_most_like():
    assert shorts(
        node("Who wrote the book Emma?"), node("Who wrote the song Emma?"), node("Who wrote the song Io?")
    ) == ["…book Emma?", "…Emma?", "…Io?"]


def test_one_word_alike_is_left_as_it_is_and_so_is_a_label_that_is_the_beginning_of_another():
    assert shorts(node("Who wrote it?"), node("Who sang it?")) == [None, None]
    assert shorts(node("Who wrote it"), node("Who wrote it first")) == [None, "…first"]


def test_labels_that_are_the_same_are_told_apart_by_their_answers():
    assert shorts(node("Who wrote it?", answer="Ada"), node("Who wrote it?", answer="Bo"), node("Who sang it?")) == [
        "→ Ada",
        "→ Bo",
        None,
    ]


def test_it_goes_down_the_tree_and_an_only_child_keeps_its_label():
    inner = node("A first step", node("Find the first one"), node("Find the second one"))
    assert shorts(inner) == [None]
    assert [child["short"] for child in inner["children"]] == ["…first one", "…second one"]
