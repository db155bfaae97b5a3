"""An answer, its sources and its search as they look in a terminal of 80 columns, with and without colours."""

import io
import re
from types import SimpleNamespace

import dspy
import pytest
from golden import check_picture
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from written_runs import COST, MCTS, REVIEWS, find, rows, said, write_run

from multihop import Passage
from multihop.cli.show_answer import show_prediction
from multihop.cli.show_results import show_question
from multihop.runtime import Citation
from multihop.view.search_lines import excerpt, place_of

QUESTION = "Where was the director of Night Train born?"
PASSAGES = [
    Passage("p1", "Night Train", "Night Train is a film of 1959. Its director was Jerzy Kawal."),
    Passage("p2", "Jerzy Kawal", "Jerzy Kawal was a Polish director. He was born in Łódź, and lived there for long."),
    *(Passage(f"p{place}", f"Another Night Train ({place})", "A film.") for place in range(3, 9)),
]
LABELS = [
    {"id": f"p{place}", "title": "", "tag": "terminate", "relevant": place / 10, "useful": ["Łódź"]}
    for place in range(8)
]
SEARCHES = {
    "tor": [{"step": "tree", "tree": REVIEWS}, said("read", answer="Łódź")],
    "mzqa": [{"step": "tree", "tree": MCTS}, said("read", answer="Łódź")],
    "resp": [
        find("Who directed Night Train?", "p1", "p2", titles=[("p1", "Night Train")]),
        {"step": "branches", "branches": [[said("summarize", summary="By Jerzy.")], [said("answer", a="x", b=True)]]},
        {"step": "branches", "branches": [[find("Jerzy", "p2"), {"step": "label", "labels": LABELS}], []]},
        said("judge", enough=False),
        {"step": "read", "inputs": {}, "error": "OverBudget"},
        {"step": "stop", "outputs": {"rule": "nothing-new", "why": "All that was found was known."}},
        {"step": "over budget", "limit": "20 calls"},
    ],
}
SENTENCE = "He was born in Łódź, and lived there for long."
CITED = [Citation("p2", "Jerzy Kawal", SENTENCE, 34, 80, 0.97)]


@pytest.fixture
def shown(monkeypatch, capsys):
    def show(name, width, *, answer="Łódź", passages=PASSAGES, citations=(), **environment):
        for variable, value in {"COLUMNS": str(width), **environment}.items():
            monkeypatch.setenv(variable, value)
        fields = {"passages": passages, "trajectory": SEARCHES[name], "cost": COST, "over_budget": name == "resp"}
        prediction = dspy.Prediction(answer=answer, **fields)
        show_prediction(QUESTION, SimpleNamespace(name=name), "multihop/local@all-minilm", prediction, citations)
        return capsys.readouterr().out

    return show


def test_a_source_from_a_document_is_shown_with_its_file_and_page(shown):
    out = shown("tor", 80, passages=[*PASSAGES[:1], Passage("a/po.pdf#page=3&part=2", "The Po", "A river of Italy.")])
    assert "2  The Po       A river of Italy.\n   a/po.pdf, page 3\n" in out


@pytest.mark.parametrize("name", SEARCHES)
def test_an_answer_and_what_it_stands_on_look_like_their_pictures(shown, name):
    text = shown(name, 80)
    check_picture(f"ask-{name}", text)
    if name == "mzqa":
        text = shown(name, 80, citations=CITED)
        check_picture("ask-cited", text[: text.index("\nsteps")])
    assert max(map(len, text.splitlines())) <= 80


def test_a_cited_sentence_is_marked_with_the_answer_in_it(shown):
    text = shown("mzqa", 100, citations=CITED, FORCE_COLOR="1", TERM="xterm-256color")
    marked = "… \x1b[4mHe was born in \x1b[0m\x1b[1;4;32mŁódź\x1b[0m\x1b[4m, and lived there for long.\x1b[0m"
    assert marked in text


def test_green_is_the_answer_wherever_it_stands_and_there_is_no_colour_where_none_is_wanted(shown):
    text = shown("tor", 100, FORCE_COLOR="1", TERM="xterm-256color")
    assert text.count("\x1b[1;32mŁódź\x1b[0m") == 4  # the answer, its source, the review that accepted, the last step
    assert "\x1b[31mreject \x1b[0m" in text
    text = shown("tor", 100, FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="1")
    assert not any(f"\x1b[{weight}{colour}m" in text for weight in ("", "1;", "2;") for colour in range(30, 38))


@pytest.mark.parametrize(("question", "colour"), [("q1", 32), ("q2", 31)])
def test_the_answer_of_a_finished_question_is_green_where_it_is_right_and_red_where_not(question, colour, tmp_path):
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=100)
    show_question(write_run(tmp_path / "run", rows()), question, console)
    assert re.search(rf"^→ \x1b\[1;{colour}m(Łódź|Warsaw)\x1b\[0m$", console.file.getvalue(), re.M)


def test_the_source_that_holds_the_answer_is_shown_however_far_behind(shown):
    last = Passage("p9", "Łódź", "A city. The director of Night Train was born in Łódź.")
    lines = shown("resp", 100, passages=[*PASSAGES[2:], last]).splitlines()
    sources = lines[lines.index("sources") + 1 :][:7]
    assert [line.split()[0] for line in sources] == ["1", "2", "3", "4", "5", "7", "…"]
    assert sources[5].endswith("… The director of Night Train was born in Łódź.")


def test_figures_of_a_node_are_never_cut(shown, monkeypatch):
    told = {**MCTS, "children": [{**MCTS["children"][0], "result": "Łódź, " * 30, "children": []}]}
    monkeypatch.setitem(SEARCHES, "mzqa", [{"step": "tree", "tree": told}])
    (line,) = [line for line in shown("mzqa", 80).splitlines() if "N 2" in line]
    assert re.fullmatch(r"    → Łódź, .*…  N 2 · Q 1.50 · reward 0.50", line)


@pytest.mark.parametrize(
    ("answer", "text", "place"),
    [
        ("Łódź", "He was born in łódź.", (15, 19)),
        ("New  York", "in New\nYork", (3, 11)),
        ("art", "He was a party man.", None),
        ("C++", "Written in C++, not in C.", (11, 14)),
        ("yes", "yes", None),
        (" ", "a b", None),
    ],
)
def test_an_answer_is_found_as_whole_words(answer, text, place):
    found = place_of(answer, text)
    assert (found and found.span()) == place


@given(st.lists(st.sampled_from(["Łódź", "word", "Mr.", "end.", "日本"]), max_size=40), st.integers(12, 60))
def test_an_excerpt_fits_and_holds_the_answer(words, width):
    shown = excerpt(" ".join(words), "Łódź", width)
    assert shown.cell_len <= width
    assert ("Łódź" in shown.plain) == ("Łódź" in words)
    assert bool(shown.spans) == ("Łódź" in words)
