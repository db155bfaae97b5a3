"""Every layout that is read: what its fields become, and what is refused."""

import json

import pytest
from hub_sets import as_columns

from multihop.base import InputError
from multihop.data import Question, SubQuestion, gather_passages, open_questions
from multihop.data.formats import format_of
from multihop.data.own_rows import fill_references
from multihop.data.question import content_id, question_id
from multihop.data.record import Record
from multihop.retrieval import Passage

from . import layouts
from .layouts import CONTEXTS, EMPTY, HOTPOTQA, IRCOT_HOTPOTQA, MUSIQUE, PARAGRAPHS, ROW, TWO_WIKI, flashrag


def titled(*pages):
    return tuple(Passage(title, title, text) for title, text in pages)


def by_content(*paragraphs):
    """The paragraphs of a record, with ids made of their content."""
    pairs = [(each["title"], each.get("paragraph_text") or each["text"]) for each in paragraphs]
    return tuple(Passage(content_id(*pair), *pair) for pair in pairs)


def ids(*paragraphs):
    return tuple(passage.id for passage in by_content(*paragraphs))


KELMAR, _, ROSA, DUSK = ids(*PARAGRAPHS)
FILM, NOVEL = ids(*(step["support_paragraph"] for step in layouts.STEPS))
CORPUS = layouts.NQ["contexts"]
TITLE_FACTS = (("The Glass Orchard", 1), ("Ilona Marek", 0))
ORCHARDS = titled(
    ("Orchard", "An orchard is a planting of trees."),
    ("The Glass Orchard", "The Glass Orchard is an opera. Its composer is Ilona Marek."),
    ("Ilona Marek", "Ilona Marek was born in Ostrava. She studied in Brno."),
)
HOPS = (
    SubQuestion("Dusk >> author", "Rosa Tiel", DUSK),
    SubQuestion("Rosa Tiel >> place of birth", "Kelmar", ROSA),
    SubQuestion("Where is Kelmar, home of Rosa Tiel?", "Vossia", KELMAR),
)
TWO_WIKI_READ = {
    "id": "aa01", "question": TWO_WIKI["question"], "answers": ("no",),
    "supporting": ("Slow Harbour", "Petra Lund", "North Ferry", "Olav Dahl"),
    "supporting_sents": (("Slow Harbour", 1), ("Petra Lund", 0), ("North Ferry", 0), ("Olav Dahl", 0)),
    "passages": titled(
        ("Slow Harbour", "Slow Harbour is a film. It was directed by Petra Lund."),
        ("Petra Lund", "Petra Lund is a Danish director."),
    ),
    "sentences": tuple(tuple(sentences) for _, sentences in TWO_WIKI["context"]),
    "decomposition": tuple(SubQuestion("", triple[2], "", tuple(triple)) for triple in TWO_WIKI["evidences"]),
    "type": "bridge_comparison", "hops": 4,
}  # fmt: skip
WHOLE = [
    (HOTPOTQA, "HotpotQA", {
        "id": "5a0001", "question": HOTPOTQA["question"], "answers": ("Ostrava",), "passages": ORCHARDS,
        "supporting": ("The Glass Orchard", "Ilona Marek"), "supporting_sents": TITLE_FACTS,
        "sentences": tuple(tuple(sentences) for _, sentences in HOTPOTQA["context"]),
        "type": "bridge", "level": "medium", "hops": 2,
    }),
    (TWO_WIKI, "2WikiMultiHopQA", TWO_WIKI_READ),
    (as_columns(TWO_WIKI), "2WikiMultiHopQA", TWO_WIKI_READ),
    (MUSIQUE, "MuSiQue", {
        "id": "3hop1__11_22_33", "question": MUSIQUE["question"], "answers": ("Vossia", "Republic of Vossia"),
        "supporting": (KELMAR, ROSA, DUSK), "passages": by_content(*PARAGRAPHS), "decomposition": HOPS,
        "type": "3hop1", "hops": 3,
    }),
    (layouts.NQ, "HippoRAG", {
        "id": "n1", "question": layouts.NQ["question"], "answers": ("Torun", "Thorn"),
        "supporting": ids(CORPUS[1]), "passages": by_content(*CORPUS), "hops": 1,
    }),
    ({"id": "q1", "question": "Who?", "answer": "Ada", "answer_aliases": ["Ada L.", "Ada"]}, "question and answer", {
        "id": "q1", "question": "Who?", "answers": ("Ada", "Ada L."),
    }),
    ({"id": "q1", "question": "Who?", "type": "bridge", "supporting": ["p1"]}, "questions alone", {
        "id": "q1", "question": "Who?", "answers": (), "type": "bridge", "supporting": ("p1",),
    }),
    (ROW, "this library's rows", {"id": "q1", "question": ROW["question"], "answers": ("Kelmar", "Kelmar town")}),
]  # fmt: skip
"""For each record: the layout, and all that the question says."""

IRCOT = {"question": IRCOT_HOTPOTQA["question_text"], "hops": 2}
PARTS = {
    "hotpotqa, fullwiki without a gold paragraph": (
        {**HOTPOTQA, "context": HOTPOTQA["context"][:2]},
        {"supporting": ("The Glass Orchard", "Ilona Marek"), "passages": ORCHARDS[:2]},
    ),
    "hotpotqa, the test file": (
        {name: HOTPOTQA[name] for name in ("_id", "question", "context")},
        {"answers": (), "supporting": (), "hops": 0, "answerable": True},
    ),
    "hotpotqa, titles once and sentences all": (
        {**HOTPOTQA, "supporting_facts": [["Emma", 0], ["Jane", 1], ["Emma", 2]]},
        {"supporting": ("Emma", "Jane"), "supporting_sents": (("Emma", 0), ("Jane", 1), ("Emma", 2))},
    ),
    **{
        f"2wiki, {kind}": ({**TWO_WIKI, "type": kind}, {"type": kind, "hops": hops})
        for kind, hops in {"inference": 2, "comparison": 2, "new": 0}.items()
    },
    "2wiki, the test file": (
        {**TWO_WIKI, "answer": "", "evidences": [], "supporting_facts": []},
        {"answers": (), "supporting": (), "decomposition": (), "answerable": True},
    ),
    "musique, an unanswerable twin": (
        layouts.UNANSWERABLE,
        {
            "id": "3hop1__11_22_33#unanswerable", "answerable": False, "answers": (),
            "passages": by_content(PARAGRAPHS[1], PARAGRAPHS[3]),
            "decomposition": (HOPS[0], *(hop._replace(passage="") for hop in HOPS[1:])),
        },
    ),
    "musique, the test file": (
        {
            "id": MUSIQUE["id"], "question": MUSIQUE["question"],
            "paragraphs": [{key: each[key] for key in ("idx", "title", "paragraph_text")} for each in PARAGRAPHS],
        },
        {"answers": (), "decomposition": (), "supporting": (), "passages": by_content(*PARAGRAPHS), "hops": 3},
    ),
    "musique, ids of another kind": ({**MUSIQUE, "id": "mine"}, {"type": "", "hops": 3}),
    "flashrag, hotpotqa": (
        layouts.FLASHRAG_HOTPOTQA,
        {
            "id": "dev_3", "answers": ("Rosa Tiel", "Tiel"), "supporting_sents": (("Dusk", 0), ("Rosa Tiel", 1)),
            "passages": titled(("Dusk", "Dusk is a novel."), ("Rosa Tiel", "A writer. She wrote Dusk.")),
            "type": "bridge", "level": "hard", "hops": 2,
        },
    ),
    "flashrag, hotpotqa in a merged table, whose null fields are none": (
        flashrag(**{**layouts.FLASHRAG_HOTPOTQA["metadata"], "evidences": None, "question_decomposition": None}),
        {"supporting_sents": (("Dusk", 0), ("Rosa Tiel", 1)), "type": "bridge", "hops": 2},
    ),
    "flashrag, 2wiki": (
        layouts.FLASHRAG_TWO_WIKI,
        {
            "passages": titled(("Dusk", "Dusk is a novel. By Rosa Tiel.")), "answers": ("Rosa Tiel", "Tiel"),
            "decomposition": (SubQuestion("", "Rosa Tiel", "", ("Dusk", "author", "Rosa Tiel")),),
            "type": "compositional", "hops": 2,
        },
    ),
    "flashrag, musique": (
        flashrag(answerable=True, answer_aliases=[], question_decomposition=layouts.STEPS),
        {
            "supporting": (FILM, NOVEL), "answers": ("Rosa Tiel", "Tiel"), "hops": 2,
            "decomposition": (
                SubQuestion("The film Dusk >> based on", "Dusk", FILM),
                SubQuestion("Dusk >> author", "Rosa Tiel", NOVEL),
            ),
        },
    ),
    "flashrag, musique that cannot be answered": (
        flashrag(answerable=False, question_decomposition=[{**layouts.STEPS[0], "support_paragraph": None}]),
        {"id": "dev_3#unanswerable", "answers": (), "answerable": False, "passages": ()},
    ),
    "flashrag, metadata that says nothing": (
        flashrag(answer_type="span"),
        {"question": "Who wrote Dusk?", "answers": ("Rosa Tiel", "Tiel"), "passages": ()},
    ),
    "ircot, hotpotqa": (
        IRCOT_HOTPOTQA,
        {
            **IRCOT, "id": IRCOT_HOTPOTQA["question_id"], "answers": ("Torun",), "supporting": ("Dusk", "Rosa Tiel"),
            "passages": titled(*((each["title"], each["paragraph_text"]) for each in CONTEXTS)),
            "type": "bridge", "level": "hard",
        },
    ),
    "ircot, 2wiki": (layouts.IRCOT_TWO_WIKI, {**IRCOT, "supporting": ("Dusk", "Rosa Tiel"), "decomposition": ()}),
    "ircot, musique": (
        layouts.IRCOT_MUSIQUE,
        {
            **IRCOT, "supporting": ids(*CONTEXTS[:2]), "type": "2hop",
            "decomposition": (
                SubQuestion("Dusk >> author", "Rosa Tiel"),
                SubQuestion("Where was Rosa Tiel born?", "Torun"),
            ),
        },
    ),
    **{
        f"ircot, {name}": ({**IRCOT_HOTPOTQA, "answers_objects": answers}, {"answers": expected})
        for name, answers, expected in (
            ("spans", [{**EMPTY, "spans": ["Ada", "Bob"]}], ("Ada, Bob",)),
            ("a date", [{**EMPTY, "date": {"day": "3", "month": "May", "year": "1959"}}], ("3 May 1959",)),
            ("two answers", [{**EMPTY, "spans": ["Torun"]}, {**EMPTY, "number": 7}], ("Torun", "7")),
        )
    },
    "hipporag, popqa": (
        layouts.POPQA, {"id": "7", "answers": ("Torun", "Thorn", "Toruń"), "supporting": ids(CORPUS[1])}
    ),
    "serag": (
        layouts.SERAG, {
            "id": "aa01", "answers": ("Torun",), "supporting": ("Dusk", "Rosa Tiel"), "hops": 2,
            "decomposition": tuple(SubQuestion("", each[2], triple=tuple(each)) for each in layouts.SERAG["evidence"]),
        }
    ),
    "serag, musique": (
        layouts.SERAG_MUSIQUE, {"id": "3hop1__11_22_33", "supporting": (), "hops": 3, "type": "3hop1"}
    ),
    "plain, fields of our rows": (
        {
            "id": "q1", "question": "Who?", "answer": "Ada", "supporting": ["p1"], "level": "hard", "hops": 2,
            "decomposition": [{"question": "Who?", "answer": "Ada"}],
        },
        {"supporting": ("p1",), "level": "hard", "hops": 2, "decomposition": (SubQuestion("Who?", "Ada"),)},
    ),
    "plain, fields of other sets with names of ours": (
        {
            "id": "q1", "question": "Who?", "answer": True, "facts": ["A novel."], "decomposition": ["Who?", "Where?"],
            "level": 5, "hops": "two", "supporting": [3], "context": "prose",
        },
        {"answers": ("yes",), "decomposition": (), "level": "", "hops": 0, "supporting": (), "passages": ()},
    ),
}  # fmt: skip
"""For each record: some of the fields of the question."""


def read(row):
    """The name of the layout, and the question."""
    record = Record({"id": row["question_id"], **row} if "question_id" in row else row, "dev.jsonl, line 9")
    layout = format_of(record)
    return layout.name, layout.read(record)


@pytest.mark.parametrize(("row", "layout", "expected"), WHOLE)
def test_a_record_of_each_layout_and_nothing_else(row, layout, expected):
    assert read(row) == (layout, Question(**expected))


@pytest.mark.parametrize("name", PARTS)
def test_each_kind_of_record(name):
    row, expected = PARTS[name]
    question = read(row)[1]
    assert {field: getattr(question, field) for field in expected} == expected


@pytest.mark.parametrize(
    ("row", "change", "problem"),
    [
        (HOTPOTQA, {"_id": None}, "no field '_id' or 'id'"),
        (HOTPOTQA, {"supporting_facts": [["Ilona Marek"]]}, r"'supporting_facts\[0\]' must be \[title, sent_id\]"),
        (HOTPOTQA, {"context": [["Ilona Marek", "She."]]}, r"context\[0\]: 'sentences' must be a list, but is text"),
        (
            TWO_WIKI,
            {"evidences": [["Slow Harbour", "director"]]},
            r"'evidences\[0\]' must be \[fact, relation, entity\]",
        ),
        (MUSIQUE, {"answerable": "yes"}, "'answerable' must be true or false"),
        (
            MUSIQUE,
            {"paragraphs": PARAGRAPHS[:2]},
            r"question_decomposition\[0\]: 'paragraph_support_idx' is 3, but no paragraph",
        ),
        (flashrag(), {"metadata": "none"}, "'metadata' must be an object, but is text"),
        (IRCOT_HOTPOTQA, {"contexts": [{"title": "Dusk"}]}, r"contexts\[0\]: no field 'paragraph_text'"),
        (ROW, {"supporting": ["p1"], "supporting_sents": [["p1"]]}, r"'supporting_sents\[0\]' must be \[id, sent\]"),
        (ROW, {"decomposition": [{"triple": ["A", "b"]}]}, r"decomposition\[0\]: 'triple' must be .* has 2 parts"),
        (ROW, {"decomposition": [{"answer": "Rosa"}]}, r"decomposition\[0\]: no field 'question'"),
        (
            ROW,
            {"decomposition": [{"question": "Who?", "answer": "Rosa", "paragraph": 0}]},
            r"decomposition\[0\]: 'paragraph' is 0, but the question has 0 paragraphs",
        ),
    ],
)
def test_a_bad_record_is_named(row, change, problem):
    with pytest.raises(InputError, match=f"^dev.jsonl, line 9.*{problem}"):
        read({**row, **change})


def test_a_field_that_is_nearly_an_answer_is_asked_about():
    with pytest.raises(InputError, match="did you mean 'answr'. Then say so: --field answer=answr"):
        read({"question": "Who?", "answr": "Ada"})


def test_an_unknown_layout_lists_the_known_ones():
    with pytest.raises(InputError) as caught:
        read({"prompt": "Who?", "completion": "Ada"})
    said = "dev.jsonl, line 9: not a question in a known layout. Its fields are prompt, completion."
    assert str(caught.value).startswith(said)
    for name in ("FlashRAG", "HotpotQA", "2WikiMultiHopQA", "MuSiQue", "(question, answers)"):
        assert name in str(caught.value)


def test_the_rows_of_bamboogle_on_the_hub_have_no_ids(tmp_path):
    row = {"Question": "Who was president when it was founded?", "Answer": "James Monroe"}
    (tmp_path / "test.jsonl").write_text(2 * f"{json.dumps(row)}\n")
    first, second = open_questions(tmp_path / "test.jsonl")
    assert (first.question, first.answers) == (row["Question"], ("James Monroe",))
    assert (first.id, second.id) == (question_id(row["Question"]), f"{first.id}-2")


def test_a_second_paragraph_of_a_title_gets_an_id_from_its_content_and_the_same_is_given_once():
    context = [["Emma", ["A.", "B."]], ["Jane", ["B."]], ["Emma", ["C."]], ["Emma", ["C."]]]
    question = read({**HOTPOTQA, "context": context})[1]
    assert question.passages == (
        *titled(("Emma", "A.B."), ("Jane", "B.")),
        Passage(content_id("Emma", "C."), "Emma", "C."),
    )
    assert question.sentences == (("A.", "B."), ("B.",), ("C.",))
    other = {**CONTEXTS[0], "paragraph_text": "Dusk is a film.", "is_supporting": False}
    question = read({**IRCOT_HOTPOTQA, "contexts": [*CONTEXTS, other]})[1]
    assert question.passages[3].id == content_id("Dusk", "Dusk is a film.")
    assert len(list(gather_passages([question, read(IRCOT_HOTPOTQA)[1]]))) == 4


def test_references_to_later_hops_stay():
    assert fill_references("#0, #1, #2 and #3", ["a", "b"]) == "#0, a, b and #3"
    assert fill_references("#1 of #2", [r"#2\1", "b"]) == r"#2\1 of b", "answers that look like references"
    assert fill_references("#11 and #1", [str(number) for number in range(1, 12)]) == "11 and 1"
