"""Every layout that is read: what its fields become, and what is refused."""

import json

import pytest

from multihop.base import InputError
from multihop.data import Question, SubQuestion, gather_passages, open_questions
from multihop.data.formats import format_of, read_context
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
    **{
        f"2wiki, {kind}": ({**TWO_WIKI, "type": kind}, "2WikiMultiHopQA", {"type": kind, "hops": hops})
        for kind, hops in {"inference": 2, "comparison": 2, "new": 0}.items()
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
    "flashrag, metadata that says nothing": (
        {**flashrag(), "metadata": {"answer_type": "span"}},
        "FlashRAG",
        {"question": "Who wrote Dusk?", "answers": ("Rosa Tiel", "Tiel"), "passages": ()},
    ),
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
            ("a date", [{**EMPTY, "date": {"day": "3", "month": "May", "year": "1959"}}], ("3 May 1959",)),
            ("two answers", [{**EMPTY, "spans": ["Torun"]}, {**EMPTY, "number": "1,200"}], ("Torun", "1,200")),
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
    if name in ("plain, aliases", "plain, fields of our rows", "a question alone", "our smallest row"):
        assert question == Question(**{"id": "q1", "question": row["question"], **expected}), "all else is empty"


BAD = [
    (HOTPOTQA, {"question": ""}, "'question' is empty"),
    (HOTPOTQA, {"_id": None}, "no field '_id' or 'id'"),
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
    (MUSIQUE, {"answerable": "yes"}, "'answerable' must be true or false"),
    (MUSIQUE, {"paragraphs": [{"idx": 0, "title": "Kelmar"}]}, r"paragraphs\[0\]: no field 'paragraph_text'"),
    (
        MUSIQUE,
        {"paragraphs": PARAGRAPHS[:2]},
        r"question_decomposition\[0\]: 'paragraph_support_idx' is 3, but no paragraph",
    ),
    (flashrag(), {"metadata": "none"}, "'metadata' must be an object, but is text"),
    (flashrag(), {"golden_answers": {"start": 3}}, "'golden_answers' must be text or a list, or an object"),
    (IRCOT_HOTPOTQA, {"contexts": [{"title": "Dusk"}]}, r"contexts\[0\]: no field 'paragraph_text'"),
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


def test_null_fields_of_a_merged_table_count_as_absent():
    merged = flashrag(**{**FLASHRAG_HOTPOTQA["metadata"], "evidences": None, "question_decomposition": None})
    assert read(merged) == read(FLASHRAG_HOTPOTQA)


def save(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


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
    ],
)
def test_sets_of_other_layouts_are_questions_with_answers(tmp_path, row, answers):
    (question,) = open_questions(save(tmp_path / "q.jsonl", row))
    assert (question.question, question.answers, question.supporting) == ("Who?", answers, ())


def context(*paragraphs, joint=" "):
    return read_context(Record({"context": list(paragraphs)}, "test"), joint=joint)


def test_a_second_paragraph_of_a_title_gets_an_id_from_its_content_and_the_same_is_given_once():
    passages, sentences = context(["Emma", ["A.", "B."]], ["Jane", ["B."]], ["Emma", ["C."]], ["Emma", ["C."]])
    assert passages == (
        Passage("Emma", "Emma", "A. B."),
        Passage("Jane", "Jane", "B."),
        Passage(content_id("Emma", "C."), "Emma", "C."),
    )
    assert sentences == (("A.", "B."), ("B.",), ("C.",))
    assert context(["Emma", ["A.", " B."]], joint="")[0][0].text == "A. B."
    assert context() == ((), ())
    _, question = read({**IRCOT_HOTPOTQA, "contexts": [*CONTEXTS, OTHER_DUSK]})
    assert question.passages[3].id == content_id("Dusk", "Dusk is a film.")
    assert len(list(gather_passages([question, read(IRCOT_HOTPOTQA)[1]]))) == 4


def test_supporting_titles_come_once_and_sentences_all():
    _, question = read({**HOTPOTQA, "supporting_facts": [["Emma", 0], ["Jane", 1], ["Emma", 2]]})
    assert question.supporting == ("Emma", "Jane")
    assert question.supporting_sents == (("Emma", 0), ("Jane", 1), ("Emma", 2))


def test_references_to_later_hops_stay():
    assert fill_references("#0, #1, #2 and #3", ["a", "b"]) == "#0, a, b and #3"
    assert fill_references("#1 of #2", [r"#2\1", "b"]) == r"#2\1 of b", "answers that look like references"
    assert fill_references("#11 and #1", [str(number) for number in range(1, 12)]) == "11 and 1"
