"""Search-R1 and Search-o1, call by call: the text that grows, its faults, and its form before a server of one's own."""

import dspy
import pytest
from json_server import JsonServer
from shelf import Shelf, by_field, inputs, page, run

from multihop import Budget, SearchO1, SearchR1, create, evaluate, open_lm
from multihop.data import Question
from multihop.programs.baselines.search_o1 import NO_MORE, NOTHING, REPEATED, boxed
from multihop.programs.baselines.search_r1 import INVALID, first_action


def tagged(*names):
    found = "\n".join(f'Doc {n}(Title: "{page(name).title}") text of {name}' for n, name in enumerate(names, 1))
    return f"\n\n<information>{found}</information>\n\n"


def asked(query):
    return f"so <|begin_search_query|>{query}<|end_search_query|>"


def found(result):
    return f"\n\n<|begin_search_result|>{result}<|end_search_result|>\n\n"


def texts(prompts):
    return [given["transcript"] for given in inputs(prompts, "continuation")]


SEARCH = "<think>look</think>\n<search> s1 </search>"
ANSWER = "<think>know</think>\n<answer> done </answer>"


def test_search_r1_writes_one_text_with_what_its_searches_find_until_it_answers():
    shelf = Shelf(s1="a b")
    prediction, prompts = run(SearchR1(shelf), by_field(continuation=[SEARCH, ANSWER]))
    assert shelf.batches == [(["s1"], 3)]
    assert [prompt.inputs for prompt in prompts] == [
        {"question": "q?", "transcript": ""},
        {"question": "q?", "transcript": SEARCH + tagged("a", "b")},
    ]
    assert (prediction.answer, prediction.cost["calls_by_role"]) == ("done", {"write": 2})
    assert prediction.evidence == [{"analysis": SEARCH + tagged("a", "b") + ANSWER, "passages": ["a", "b"]}]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("t <search>one</search> made up <answer>x</answer>", ("t <search>one</search>", "search", "one")),
        ("<answer>x</answer><search>one</search>", ("<answer>x</answer>", "answer", "x")),
        ("t <search> one", ("t <search> one</search>", "search", "one")),  # the server left the mark out
        ("I use <search> for <search>one</search>", ("I use <search> for <search>one</search>", "search", "one")),
        ("<answer>x</search> y", ("<answer>x</answer>", "answer", "x")),
        ("<search>\n</search>", ("<search>\n</search>", "search", "")),
        ("no tag", ("no tag", "", "")),
    ],
)
def test_the_first_action_of_a_turn_counts_and_the_rest_is_cut_off(written, read):
    assert first_action(written) == read


@pytest.mark.parametrize("invalid", ["no tag", "<search> </search>", "Paris."])
def test_a_turn_of_search_r1_without_an_action_is_told_so_and_the_next_one_taken(invalid):
    prediction, prompts = run(SearchR1(Shelf(s1="a")), by_field(continuation=[invalid, SEARCH, ANSWER]))
    assert texts(prompts) == ["", invalid + INVALID, invalid + INVALID + SEARCH + tagged("a")]
    assert prediction.answer == "done"


def test_after_its_turns_search_r1_can_only_answer_and_without_an_answer_the_passages_are_read():
    for settings, answer, calls in (({}, "read", 6), ({"reads_unfinished": False}, "", 5)):
        shelf = Shelf(**{f"s{n}": f"p{n}" for n in range(9)})
        said = ["none", *(f"<search>s{n}</search>" for n in range(4))]
        program = SearchR1(shelf, **settings)
        prediction, prompts = run(program, by_field(continuation=said, answer="read"))
        assert (prediction.answer, len(prompts), program.most_calls()) == (answer, calls, calls)
        assert shelf.asked == [
            "s0",
            "s1",
            "s2",
        ]  # of four turns one was invalid, and the last one does not search


def test_an_empty_answer_and_an_end_without_one_are_measured_as_wrong_in_the_papers_setting():
    program = create("search-r1", Shelf(s1="a"), preset="search-r1/paper", turns=1)
    for said in (["<answer> </answer>"], [SEARCH, SEARCH]):
        with dspy.context(lm=by_field(continuation=said)):
            measured = evaluate(program, [Question(id="q", question="q", answers=("x",))], progress=False)
        assert measured.summary["metrics"]["em"]["mean"] == 0


def test_a_repeated_query_ends_search_r1_or_is_searched_for_again():
    ends, _ = run(SearchR1(Shelf(s1="a")), by_field(continuation=[SEARCH, SEARCH], answer="read"))
    goes_on, prompts = run(SearchR1(Shelf(s1="a"), stops=()), by_field(continuation=[SEARCH, SEARCH, ANSWER]))
    assert (ends.answer, goes_on.answer, texts(prompts)[-1]) == ("read", "done", (SEARCH + tagged("a")) * 2)


def test_search_o1_puts_its_reading_of_the_documents_into_its_reasoning():
    shelf = Shelf(s1="a b", s2="c")
    said = [asked("s1") + " made up", asked("s2"), r"So \boxed{\text{The end}}."]
    prediction, prompts = run(SearchO1(shelf), by_field(continuation=said, analysis=["A.", "C."]))
    first, second = asked("s1") + found("A."), asked("s2")
    assert shelf.batches == [(["s1"], 5), (["s2"], 5)]
    assert [prompt.inputs for prompt in prompts] == [
        {"question": "q", "transcript": ""},
        {"passages": [str(page("a")), str(page("b"))], "transcript": asked("s1"), "query": "s1", "question": "q"},
        {"question": "q", "transcript": first},
        {"passages": [str(page("c"))], "transcript": first + second, "query": "s2", "question": "q"},
        {"question": "q", "transcript": first + second + found("C.")},
    ]
    assert (prediction.answer, prediction.cost["chain"]) == ("The end", 5)


def test_a_search_of_search_o1_that_repeats_finds_nothing_or_is_one_too_many_is_told_so():
    said = [asked("s1"), asked(" S1? "), asked("s2"), asked("s3"), r"\boxed{x}"]
    prediction, _ = run(SearchO1(Shelf(s1="a"), stops=(), turns=3), by_field(continuation=said, analysis="A."))
    told = [found("A."), found(REPEATED), found(NOTHING), found(NOTHING), ""]
    assert prediction.evidence[0]["analysis"] == "".join(map("".join, zip(said, told, strict=True)))
    prediction, _ = run(SearchO1(Shelf(s1="a"), turns=1), by_field(continuation=[said[0], *said[2::2]], analysis="A."))
    assert (prediction.answer, prediction.counts["rounds"]) == ("x", 1)
    assert prediction.evidence[0]["analysis"].endswith(found(NO_MORE) + said[-1])
    assert run(SearchO1(Shelf(s1="a")), by_field(continuation=said, analysis="A.", answer="read"))[0].answer == "read"


@pytest.mark.parametrize("calls", [1, 2, 3, 4])
def test_a_budget_ends_search_o1_with_an_answer_that_is_read(calls):
    said = {"continuation": lambda given: asked(f"s{len(given['transcript'])}"), "analysis": "A.", "answer": "read"}
    shelf = Shelf(s0="a", s96="b")
    prediction, prompts = run(SearchO1(shelf, budget=Budget(calls=calls)), by_field(**said))
    assert (prediction.answer, len(prompts), prediction.over_budget) == ("read", calls, True)


@pytest.mark.parametrize("end", ["I do not know.", asked(" "), r"\boxed{}"])
def test_reasoning_that_ends_without_a_search_and_an_answer_in_a_box_is_read(end):
    prediction, prompts = run(SearchO1(Shelf()), by_field(continuation=[end], answer="read"))
    assert (prediction.answer, len(prompts)) == ("read", 2)
    assert [boxed(text) for text in (r"\boxed{a} \boxed{b {c}}", r"\boxed{never closed", "")] == ["b {c}", "", ""]


@pytest.mark.parametrize(("program", "query"), [("search-r1", "<search>s1"), ("search-o1", "<|begin_search_query|>s1")])
def test_a_model_on_a_server_of_ones_own_goes_on_with_its_text_up_to_a_mark(program, query):
    bodies, said = [], [query, "<answer>x" if program == "search-r1" else r"\boxed{x}"]

    def answer(request):
        if request.method == "GET":
            return 404, {}
        bodies.append(request.json)
        is_asked_in_fields = "[[ ## " in str(request.json["messages"])
        before = "".join(each["content"] for each in request.json["messages"][1:])  # llama.cpp repeats it
        text = "[[ ## analysis ## ]]\nA.\n\n[[ ## completed ## ]]" if is_asked_in_fields else before + said.pop(0)
        return {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}

    with JsonServer(answer) as server, dspy.context(lm=open_lm(f"server/m@{server.url}/v1", structured="text")):
        prediction = create(program, Shelf(s1="a"))(question="Who wrote it")
    assert prediction.answer == "x"
    assert prediction.evidence[0]["analysis"].count(query) == 1
    first, last = bodies[0], bodies[-1]
    ends = ["</search>", "</answer>"] if program == "search-r1" else ["<|end_search_query|>"]
    (message,) = first["messages"]
    assert (message["role"], first["stop"], "continue_final_message" in first) == ("user", ends, False)
    assert message["content"].endswith(f" Question: Who wrote it{'?' * (program == 'search-r1')}\n")
    assert all(mark in message["content"] for mark in ends)
    assert last["messages"][0] == message
    assert last["messages"][1]["role"] == "assistant"
    assert last["messages"][1]["content"].startswith(query + ends[0])
    assert (last["continue_final_message"], last["add_generation_prompt"]) == (True, False)
