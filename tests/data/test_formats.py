"""Every layout that is read: what its fields become, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.data import Question, SubQuestion, gather_passages, open_questions
from multihop.data.formats import Format, format_of, read_context, read_supporting
from multihop.data.own_rows import fill_references
from multihop.data.question import content_id, question_id
from multihop.data.record import Record
from multihop.retrieval import Passage

from .layouts import (
    CONTEXTS,
    EMPTY,
    FLASHRAG_HOTPOTQA,
    FLASHRAG_MUSIQUE,
    FLASHRAG_TWO_WIKI,
    HOTPOTQA,
    IRCOT_HOTPOTQA,
    IRCOT_MUSIQUE,
    IRCOT_TWO_WIKI,
    MUSIQUE,
    NQ,
    PARAGRAPHS,
    POPQA,
    ROW,
    STEPS,
    TWO_WIKI,
    UNANSWERABLE,
    as_columns,
    as_objects,
    as_text,
    flashrag,
)  # fmt: skip

KELMAR, TRAM, ROSA, DUSK = (content_id(each["title"], each["paragraph_text"]) for each in PARAGRAPHS)
FILM, NOVEL = content_id("Dusk (film)", "From Dusk."), content_id("Dusk", "By Rosa Tiel.")
IN_CONTEXTS = [content_id(each["title"], each["paragraph_text"]) for each in CONTEXTS]
IN_CORPUS = [content_id(each["title"], each["text"]) for each in NQ["contexts"]]
WHO = {"id": "q1", "question": "Who wrote Emma?"}


def read(row, where="dev.jsonl, line 9"):
    """The name of the layout, and the question."""
    record = Record({"id": row["question_id"], **row} if "question_id" in row else row, where)
    layout = format_of(record)
    return layout.name, layout.read(record)


HOTPOTQA_READ = {
    "id": "5a0001",
    "question": HOTPOTQA["question"],
    "answers": ("Ostrava",),
    "supporting": ("The Glass Orchard", "Ilona Marek"),
    "supporting_sents": (("The Glass Orchard", 1), ("Ilona Marek", 0)),
    "passages": (
        Passage("Orchard", "Orchard", "An orchard is a planting of trees."),
        Passage(
            "The Glass Orchard", "The Glass Orchard", "The Glass Orchard is an opera. Its composer is Ilona Marek."
        ),
        Passage("Ilona Marek", "Ilona Marek", "Ilona Marek was born in Ostrava. She studied in Brno."),
    ),
    "sentences": tuple(tuple(sentences) for _, sentences in HOTPOTQA["context"]),
    "decomposition": (),
    "type": "bridge",
    "level": "medium",
    "hops": 2,
    "gold": "given",
    "answerable": True,
}
TWO_WIKI_READ = {
    "id": "aa01",
    "answers": ("no",),
    "supporting": ("Slow Harbour", "Petra Lund", "North Ferry", "Olav Dahl"),
    "supporting_sents": (("Slow Harbour", 1), ("Petra Lund", 0), ("North Ferry", 0), ("Olav Dahl", 0)),
    "passages": (
        Passage("Slow Harbour", "Slow Harbour", "Slow Harbour is a film. It was directed by Petra Lund."),
        Passage("Petra Lund", "Petra Lund", "Petra Lund is a Danish director."),
    ),
    "sentences": tuple(tuple(sentences) for _, sentences in TWO_WIKI["context"]),
    "decomposition": tuple(SubQuestion("", triple[2], "", tuple(triple)) for triple in TWO_WIKI["evidences"]),
    "type": "bridge_comparison",
    "hops": 4,
}
MUSIQUE_READ = {
    "id": "3hop1__11_22_33",
    "answers": ("Vossia", "Republic of Vossia"),
    "supporting": (KELMAR, ROSA, DUSK),
    "supporting_sents": (),
    "passages": tuple(
        Passage(identifier, each["title"], each["paragraph_text"])
        for identifier, each in zip((KELMAR, TRAM, ROSA, DUSK), PARAGRAPHS, strict=True)
    ),
    "sentences": (),
    "decomposition": (
        SubQuestion("Dusk >> author", "Rosa Tiel", DUSK),
        SubQuestion("Rosa Tiel >> place of birth", "Kelmar", ROSA),
        SubQuestion("Where is Kelmar, home of Rosa Tiel?", "Vossia", KELMAR),
    ),
    "type": "3hop1",
    "hops": 3,
    "answerable": True,
}
BLIND_MUSIQUE = {
    "id": MUSIQUE["id"],
    "question": MUSIQUE["question"],
    "paragraphs": [{key: each[key] for key in ("idx", "title", "paragraph_text")} for each in PARAGRAPHS],
}
KNOWN = {"id": "q1", "question": WHO["question"], "answers": ("Jane Austen",)}
OTHER_DUSK = {**CONTEXTS[0], "paragraph_text": "Dusk is a film.", "is_supporting": False}

READ = {
    "hotpotqa": (HOTPOTQA, "HotpotQA", HOTPOTQA_READ),
    "hotpotqa, the hub's table": (as_columns(HOTPOTQA), "HotpotQA", HOTPOTQA_READ),
    "hotpotqa, fullwiki without a gold paragraph": (
        {**HOTPOTQA, "context": HOTPOTQA["context"][:2]},
        "HotpotQA",
        {"supporting": HOTPOTQA_READ["supporting"], "passages": HOTPOTQA_READ["passages"][:2]},
    ),
    "hotpotqa, the test file": (
        {name: HOTPOTQA[name] for name in ("_id", "question", "context")},
        "HotpotQA",
        {"answers": (), "supporting": (), "hops": 0, "answerable": True},
    ),
    "2wiki": (TWO_WIKI, "2WikiMultiHopQA", TWO_WIKI_READ),
    "2wiki, columns": (as_columns(TWO_WIKI), "2WikiMultiHopQA", TWO_WIKI_READ),
    "2wiki, text": (as_text(TWO_WIKI), "2WikiMultiHopQA", TWO_WIKI_READ),
    "2wiki, objects": (as_objects(TWO_WIKI), "2WikiMultiHopQA", TWO_WIKI_READ),
    "2wiki, newer rows": ({**TWO_WIKI, "_id": None, "id": "bb02"}, "2WikiMultiHopQA", {"id": "bb02"}),
    **{
        f"2wiki, {kind}": ({**TWO_WIKI, "type": kind}, "2WikiMultiHopQA", {"type": kind, "hops": hops})
        for kind, hops in {"compositional": 2, "inference": 2, "comparison": 2, "new": 0}.items()
    },
    "2wiki, the test file": (
        {**TWO_WIKI, "answer": "", "evidences": [], "supporting_facts": []},
        "2WikiMultiHopQA",
        {"answers": (), "supporting": (), "decomposition": (), "answerable": True},
    ),
    "musique": (MUSIQUE, "MuSiQue", MUSIQUE_READ),
    "musique, an unanswerable twin": (
        UNANSWERABLE,
        "MuSiQue",
        {
            "id": "3hop1__11_22_33#unanswerable",
            "answerable": False,
            "answers": (),
            "passages": (MUSIQUE_READ["passages"][1], MUSIQUE_READ["passages"][3]),
            "decomposition": tuple(
                hop._replace(passage=place)
                for hop, place in zip(MUSIQUE_READ["decomposition"], (DUSK, "", ""), strict=True)
            ),
        },
    ),
    "musique, the test file": (
        BLIND_MUSIQUE,
        "MuSiQue",
        {"answers": (), "decomposition": (), "supporting": (), "passages": MUSIQUE_READ["passages"], "hops": 3},
    ),
    "musique, ids of another kind": ({**MUSIQUE, "id": "mine"}, "MuSiQue", {"type": "", "hops": 3}),
    "flashrag, hotpotqa": (
        FLASHRAG_HOTPOTQA,
        "FlashRAG",
        {
            "id": "dev_3",
            "answers": ("Rosa Tiel", "Tiel"),
            "supporting_sents": (("Dusk", 0), ("Rosa Tiel", 1)),
            "passages": (
                Passage("Dusk", "Dusk", "Dusk is a novel."),
                Passage("Rosa Tiel", "Rosa Tiel", "A writer. She wrote Dusk."),
            ),
            "type": "bridge",
            "level": "hard",
            "hops": 2,
        },
    ),
    "flashrag, 2wiki": (
        FLASHRAG_TWO_WIKI,
        "FlashRAG",
        {
            "passages": (Passage("Dusk", "Dusk", "Dusk is a novel. By Rosa Tiel."),),
            "decomposition": (SubQuestion("", "Rosa Tiel", "", ("Dusk", "author", "Rosa Tiel")),),
            "type": "compositional",
            "hops": 2,
            "answers": ("Rosa Tiel", "Tiel"),
        },
    ),
    "flashrag, musique": (
        FLASHRAG_MUSIQUE,
        "FlashRAG",
        {
            "supporting": (FILM, NOVEL),
            "decomposition": (
                SubQuestion("The film Dusk >> based on", "Dusk", FILM),
                SubQuestion("Dusk >> author", "Rosa Tiel", NOVEL),
            ),
            "hops": 2,
            "answers": ("Rosa Tiel", "Tiel"),
        },
    ),
    "flashrag, musique that cannot be answered": (
        flashrag(answerable=False, question_decomposition=[{**step, "support_paragraph": None} for step in STEPS]),
        "FlashRAG",
        {"id": "dev_3#unanswerable", "answers": (), "answerable": False, "passages": ()},
    ),
    **{
        f"flashrag, metadata {metadata}": (
            {**flashrag(), "metadata": metadata},
            "FlashRAG",
            {"question": "Who wrote Dusk?", "answers": ("Rosa Tiel", "Tiel"), "passages": ()},
        )
        for metadata in ({}, {"answer_type": "span"}, None)
    },
    "ircot, hotpotqa": (
        IRCOT_HOTPOTQA,
        "IRCoT's files",
        {
            "id": IRCOT_HOTPOTQA["question_id"],
            "answers": ("Torun",),
            "supporting": ("Dusk", "Rosa Tiel"),
            "passages": tuple(Passage(each["title"], each["title"], each["paragraph_text"]) for each in CONTEXTS),
            "type": "bridge",
            "level": "hard",
            "hops": 2,
        },
    ),
    "ircot, 2wiki": (
        IRCOT_TWO_WIKI,
        "IRCoT's files",
        {"supporting": ("Dusk", "Rosa Tiel"), "hops": 2, "decomposition": ()},
    ),
    "ircot, musique": (
        IRCOT_MUSIQUE,
        "IRCoT's files",
        {
            "supporting": tuple(IN_CONTEXTS[:2]),
            "decomposition": (
                SubQuestion("Dusk >> author", "Rosa Tiel"),
                SubQuestion("Where was Rosa Tiel born?", "Torun"),
            ),
            "type": "2hop",
            "hops": 2,
        },
    ),
    **{
        f"ircot, {name}": ({**IRCOT_HOTPOTQA, "answers_objects": answers}, "IRCoT's files", {"answers": expected})
        for name, answers, expected in (
            ("spans", [{**EMPTY, "spans": ["Ada", "Bob"]}], ("Ada, Bob",)),
            ("a number", [{**EMPTY, "number": 7}], ("7",)),
            ("a number as text", [{**EMPTY, "number": "1,200"}], ("1,200",)),
            ("a date", [{**EMPTY, "date": {"day": "3", "month": "May", "year": "1959"}}], ("3 May 1959",)),
            ("two answers", [{**EMPTY, "spans": ["Torun"]}, {**EMPTY, "spans": ["Thorn"]}], ("Torun", "Thorn")),
            ("no answer", [EMPTY], ()),
        )
    },
    **{
        f"hipporag, {identifier}": (
            row,
            "HippoRAG",
            {
                "id": identifier,
                "answers": answers,
                "supporting": (IN_CORPUS[1],),
                "passages": tuple(
                    Passage(name, each["title"], each["text"])
                    for name, each in zip(IN_CORPUS, NQ["contexts"], strict=True)
                ),
            },
        )
        for row, identifier, answers in (
            (NQ, "n1", ("Torun", "Thorn")), (POPQA, "7", ("Torun", "Thorn", "Toruń"))
        )
    },
    "plain, aliases": (
        {**WHO, "answer": "Jane Austen", "answer_aliases": ["Austen", "Jane Austen"]},
        "question and answer",
        {"answers": ("Jane Austen", "Austen")},
    ),
    "plain, fields of our rows": (
        {
            **WHO, "answer": "Jane Austen", "supporting": ["p1", "p2"], "type": "bridge", "level": "hard", "hops": 2,
            "decomposition": [{"question": "Who?", "answer": "Jane Austen"}],
        },
        "question and answer",
        {
            **KNOWN, "supporting": ("p1", "p2"), "type": "bridge", "level": "hard", "hops": 2,
            "decomposition": (SubQuestion("Who?", "Jane Austen"),),
        },
    ),
    "plain, fields of other sets with names of ours": (
        {
            **WHO, "answer": True, "facts": ["A novel."], "decomposition": ["Who?", "Where?"], "level": 5,
            "hops": "two", "supporting": [3],
        },
        "question and answer",
        {**KNOWN, "answers": ("yes",), "decomposition": (), "level": "", "hops": 0, "supporting": ()},
    ),
    "plain, prose under the name of HotpotQA's paragraphs": (
        {**WHO, "context": "Emma is by Jane Austen.", "answer": "Jane Austen"}, "question and answer", KNOWN
    ),
    "plain, one that cannot be answered": (
        {**WHO, "answer": None}, "question and answer", {"answers": (), "answerable": False}
    ),
    "a question alone": (
        {**WHO, "type": "bridge", "supporting": ["p1"]},
        "questions alone",
        {**KNOWN, "answers": (), "type": "bridge", "supporting": ("p1",), "answerable": True},
    ),
    "our smallest row": (
        ROW, "this library's rows", {"id": "q1", "question": ROW["question"], "answers": ("Kelmar", "Kelmar town")}
    ),
}  # fmt: skip
"""For each record: the layout, and the fields of the question."""


@pytest.mark.parametrize("name", READ)
def test_a_record(name):
    row, layout, expected = READ[name]
    told, question = read(row)
    assert told == layout
    assert {field: getattr(question, field) for field in expected} == expected


@pytest.mark.parametrize(
    "name", ["plain, aliases", "a question alone", "our smallest row", "plain, fields of our rows"]
)
def test_all_else_is_empty(name):
    row, _, expected = READ[name]
    assert read(row)[1] == Question(**{"id": "q1", "question": row["question"], **expected})


BAD = [
    (HOTPOTQA, {"question": ""}, "'question' is empty"),
    (HOTPOTQA, {"_id": None}, "no field '_id' or 'id'"),
    (HOTPOTQA, {"answer": ["Ostrava"]}, "'answer' must be text, but is a list"),
    (HOTPOTQA, {"supporting_facts": [["Ilona Marek"]]}, r"'supporting_facts\[0\]' must be \[title, sent_id\]"),
    (
        HOTPOTQA,
        {"supporting_facts": [["Ilona Marek", "0"]]},
        r"supporting_facts\[0\]: 'sent_id' must be a whole number",
    ),
    (HOTPOTQA, {"context": [["Ilona Marek", "She."]]}, r"context\[0\]: 'sentences' must be a list, but is text"),
    (
        TWO_WIKI,
        {"evidences": [["Slow Harbour", "director"]]},
        r"'evidences\[0\]' must be \[fact, relation, entity\], but is a list",
    ),
    (MUSIQUE, {"question": " "}, "'question' is empty"),
    (MUSIQUE, {"answerable": "yes"}, "'answerable' must be true or false"),
    (MUSIQUE, {"paragraphs": [{"idx": 0, "title": "Kelmar"}]}, r"paragraphs\[0\]: no field 'paragraph_text'"),
    (
        MUSIQUE,
        {"paragraphs": PARAGRAPHS[:2]},
        r"question_decomposition\[0\]: 'paragraph_support_idx' is 3, but no paragraph",
    ),
    (flashrag(), {"metadata": "none"}, "'metadata' must be an object, but is text"),
    (flashrag(), {"golden_answers": {"start": 3}}, "'golden_answers' must be text or a list, or an object"),
    (flashrag(), {"golden_answers": ["A\0B"]}, r"'golden_answers\[0\]' holds a NUL character"),
    (flashrag(), {"question": ""}, "'question' is empty"),
    (IRCOT_HOTPOTQA, {"contexts": [{"title": "Dusk"}]}, r"contexts\[0\]: no field 'paragraph_text'"),
    (WHO, {"question": " ", "answer": "Ada"}, "'question' is empty"),
    (WHO, {"resposta": "Ada"}, "not a question in a known layout. Its fields are id, question, resposta."),
    (ROW, {"question": ""}, "'question' is empty"),
    (ROW, {"answers": {"start": 3}}, "'answers' must be text or a list, or an object"),
    (ROW, {"answers": ["A\0B"]}, r"'answers\[0\]' holds a NUL character"),
    (ROW, {"supporting": "p1"}, "'supporting' must be a list, but is text"),
    (ROW, {"supporting": ["p1"], "supporting_sents": [["p1"]]}, r"'supporting_sents\[0\]' must be \[id, sent\]"),
    (ROW, {"paragraphs": [{"title": "Dusk"}], "_": 1}, r"paragraphs\[0\]: no field 'text'"),
    (ROW, {"decomposition": [{"triple": ["A", "b"]}]}, r"decomposition\[0\]: 'triple' must be .* has 2 parts"),
    (ROW, {"decomposition": [{"answer": "Rosa"}]}, r"decomposition\[0\]: no field 'question'"),
    (
        ROW,
        {"decomposition": [{"question": "Who?", "answer": "Rosa", "paragraph": 0}]},
        r"decomposition\[0\]: 'paragraph' is 0, but the question has 0 paragraphs",
    ),
    (ROW, {"hops": "two"}, "'hops' must be a whole number"),
    (ROW, {"id": None}, "no field 'id'"),
]


@pytest.mark.parametrize(("row", "change", "problem"), BAD)
def test_a_bad_record_is_named(row, change, problem):
    with pytest.raises(InputError, match=f"^dev.jsonl, line 9.*{problem}"):
        read({**row, **change})


def test_an_unknown_layout_lists_the_known_ones():
    with pytest.raises(InputError) as caught:
        format_of(Record({"prompt": "Who?", "completion": "Ada"}, "x.jsonl, line 1"))
    message = str(caught.value)
    assert message.startswith("x.jsonl, line 1: not a question in a known layout. Its fields are prompt, completion.")
    for name in ("FlashRAG", "HotpotQA", "2WikiMultiHopQA", "MuSiQue", "(question, answers)"):
        assert name in message


def test_a_format_fits_where_all_its_marks_are_filled():
    layout = Format("test", ("a", "b"), lambda record: None)
    assert layout.fits(Record({"a": [], "b": 0, "c": 1}, ""))
    assert not layout.fits(Record({"a": 1, "b": None}, ""))
    assert not layout.fits(Record({"a": 1}, ""))


@given(st.text(), st.text(), st.text())
def test_content_ids_tell_texts_apart_and_show_the_title(title, one, other):
    assert content_id(title, one).startswith(f"{title}#")
    assert (content_id(title, one) == content_id(title, other)) == (one == other)


def test_null_fields_of_a_merged_table_count_as_absent():
    merged = flashrag(**{**FLASHRAG_HOTPOTQA["metadata"], "evidences": None, "question_decomposition": None})
    assert read(merged) == read(FLASHRAG_HOTPOTQA)


def save(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_twins_of_musique_full_stand_in_one_file(tmp_path):
    path = save(tmp_path / "musique_full_v1.0_dev.jsonl", MUSIQUE, UNANSWERABLE)
    assert [question.answerable for question in open_questions(path)] == [True, False]


def test_the_rows_of_bamboogle_on_the_hub(tmp_path):
    row = {"Question": "Who was president when it was founded?", "Answer": "James Monroe"}
    first, second = open_questions(save(tmp_path / "test.jsonl", row, row))
    assert (first.question, first.answers) == (row["Question"], ("James Monroe",))
    assert (first.id, second.id) == (question_id(row["Question"]), f"{first.id}-2")


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        ({"Prompt": "Who?", "Answer": "Ada", "wiki_links": "['https://en.wikipedia.org/wiki/Ada']"}, ("Ada",)),
        ({"query": "Who?", "answer": "Ada", "question_type": "null_query", "evidence_list": []}, ("Ada",)),
        ({"qid": "s1", "term": "Ada", "question": "Who?", "answer": False, "facts": ["One."]}, ("no",)),
        ({"query_id": 7, "query": "Who?", "answer": "Ada", "gold_docs": [], "evidence_docs": []}, ("Ada",)),
    ],
)
def test_sets_of_other_layouts_are_questions_with_answers(tmp_path, row, answers):
    (question,) = open_questions(save(tmp_path / "q.jsonl", row))
    assert (question.question, question.answers, question.supporting) == ("Who?", answers, ())


def test_two_paragraphs_of_one_title_stay_two():
    _, question = read({**IRCOT_HOTPOTQA, "contexts": [*CONTEXTS, OTHER_DUSK]})
    assert [passage.id for passage in question.passages] == [
        "Dusk", "Rosa Tiel", "Torun", content_id("Dusk", "Dusk is a film.")
    ]  # fmt: skip
    assert len(list(gather_passages([question, read(IRCOT_HOTPOTQA)[1]]))) == 4


def context(*paragraphs, joint=" "):
    return read_context(Record({"context": list(paragraphs)}, "test"), joint=joint)


def test_the_joint_stands_between_sentences():
    assert context(["Emma", ["A.", "B."]])[0][0].text == "A. B."
    assert context(["Emma", ["A.", " B."]], joint="")[0][0].text == "A. B."


def test_a_second_paragraph_of_a_title_gets_an_id_from_its_content():
    passages, sentences = context(["Emma", ["A."]], ["Jane", ["B."]], ["Emma", ["C."]])
    assert [passage.id for passage in passages] == ["Emma", "Jane", content_id("Emma", "C.")]
    assert [passage.title for passage in passages] == ["Emma", "Jane", "Emma"]
    assert sentences == (("A.",), ("B.",), ("C.",))


def test_a_paragraph_that_stands_there_twice_is_given_once():
    passages, sentences = context(["Emma", ["A."]], ["Emma", ["A."]], ["Emma", ["B."]], ["Emma", ["B."]])
    assert [passage.text for passage in passages] == ["A.", "B."]
    assert sentences == (("A.",), ("B.",))


def test_supporting_titles_come_once_and_sentences_all():
    record = Record({"supporting_facts": [["Emma", 0], ["Jane", 1], ["Emma", 2]]}, "test")
    assert read_supporting(record) == (("Emma", "Jane"), (("Emma", 0), ("Jane", 1), ("Emma", 2)))
    assert read_supporting(Record({}, "test")) == ((), ())
    assert read_context(Record({}, "test"), joint="") == ((), ())


def test_references_to_later_hops_stay():
    assert fill_references("#0, #1, #2 and #3", ["a", "b"]) == "#0, a, b and #3"
    assert fill_references("#1 of #2", [r"#2\1", "b"]) == r"#2\1 of b", "answers that look like references"


@given(st.lists(st.text(alphabet="abc "), min_size=1, max_size=12))
def test_every_earlier_answer_can_be_referred_to(answers):
    question = " | ".join(f"#{number}" for number in range(1, len(answers) + 1))
    assert fill_references(question, answers) == " | ".join(answers)
