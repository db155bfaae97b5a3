"""A record of every layout that is read, as its makers have it."""

HOTPOTQA = {
    "_id": "5a0001", "question": "In which city was the composer of The Glass Orchard born?", "answer": "Ostrava",
    "type": "bridge", "level": "medium",
    "supporting_facts": [["The Glass Orchard", 1], ["Ilona Marek", 0]],
    "context": [
        ["Orchard", ["An orchard is a planting of trees."]],
        ["The Glass Orchard", ["The Glass Orchard is an opera.", " Its composer is Ilona Marek."]],
        ["Ilona Marek", ["Ilona Marek was born in Ostrava.", " She studied in Brno."]],
    ],
}  # fmt: skip
TWO_WIKI = {
    "_id": "aa01", "question": "Are the directors of Slow Harbour and North Ferry from the same country?",
    "answer": "no", "answer_id": "Q35", "type": "bridge_comparison",
    "context": [
        ["Slow Harbour", ["Slow Harbour is a film.", "It was directed by Petra Lund."]],
        ["Petra Lund", ["Petra Lund is a Danish director."]],
    ],
    "entity_ids": "Q1_Q2_Q3_Q4",
    "supporting_facts": [["Slow Harbour", 1], ["Petra Lund", 0], ["North Ferry", 0], ["Olav Dahl", 0]],
    "evidences": [
        ["Slow Harbour", "director", "Petra Lund"],
        ["North Ferry", "director", "Olav Dahl"],
        ["Petra Lund", "country of citizenship", "Denmark"],
        ["Olav Dahl", "country of citizenship", "Norway"],
    ],
    "evidences_id": [],
}  # fmt: skip


PARAGRAPHS = [
    {"idx": 0, "title": "Kelmar", "paragraph_text": "Kelmar is a town in Vossia.", "is_supporting": True},
    {"idx": 1, "title": "Kelmar", "paragraph_text": "Kelmar has a tram.", "is_supporting": False},
    {"idx": 2, "title": "Rosa Tiel", "paragraph_text": "Rosa Tiel was born in Kelmar.", "is_supporting": True},
    {"idx": 3, "title": "Dusk", "paragraph_text": "Dusk is a novel by Rosa Tiel.", "is_supporting": True},
]
MUSIQUE = {
    "id": "3hop1__11_22_33", "paragraphs": PARAGRAPHS, "answerable": True,
    "question": "In which country is the birthplace of the author of Dusk?",
    "question_decomposition": [
        {"id": 11, "question": "Dusk >> author", "answer": "Rosa Tiel", "paragraph_support_idx": 3},
        {"id": 22, "question": "#1 >> place of birth", "answer": "Kelmar", "paragraph_support_idx": 2},
        {"id": 33, "question": "Where is #2, home of #1?", "answer": "Vossia", "paragraph_support_idx": 0},
    ],
    "answer": "Vossia", "answer_aliases": ["Republic of Vossia", "Vossia"],
}  # fmt: skip
_FIRST, *_LOST = MUSIQUE["question_decomposition"]
UNANSWERABLE = {
    **MUSIQUE, "answerable": False,
    "paragraphs": [{**PARAGRAPHS[1], "idx": 0}, {**PARAGRAPHS[3], "idx": 1}],
    "question_decomposition": [
        {**_FIRST, "paragraph_support_idx": 1}, *({**step, "paragraph_support_idx": None} for step in _LOST)
    ],
}  # fmt: skip


def flashrag(**metadata):
    """A row of FlashRAG; what the set itself knows is in "metadata"."""
    return {"id": "dev_3", "question": "Who wrote Dusk?", "golden_answers": ["Rosa Tiel", "Tiel"], "metadata": metadata}


FLASHRAG_HOTPOTQA = flashrag(
    type="bridge",
    level="hard",
    supporting_facts={"title": ["Dusk", "Rosa Tiel"], "sent_id": [0, 1]},
    context={"title": ["Dusk", "Rosa Tiel"], "sentences": [["Dusk is a novel."], ["A writer.", " She wrote Dusk."]]},
)
FLASHRAG_TWO_WIKI = flashrag(
    type="compositional",
    supporting_facts={"title": ["Dusk"], "sent_id": [0]},
    context={"title": ["Dusk"], "content": [["Dusk is a novel.", "By Rosa Tiel."]]},
    evidences={"fact": ["Dusk"], "relation": ["author"], "entity": ["Rosa Tiel"]},
)
_FILM = {"idx": 9, "title": "Dusk (film)", "paragraph_text": "From Dusk.", "is_supporting": True}
_NOVEL = {"idx": 2, "title": "Dusk", "paragraph_text": "By Rosa Tiel.", "is_supporting": True}
STEPS = [
    {"id": 7, "question": "The film Dusk >> based on", "answer": "Dusk", "support_paragraph": _FILM},
    {"id": 8, "question": "#1 >> author", "answer": "Rosa Tiel", "support_paragraph": _NOVEL},
]

EMPTY = {"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": []}
"""An answer of IRCoT's files that says nothing."""
CONTEXTS = [
    {"idx": 0, "title": "Dusk", "paragraph_text": "Dusk is a novel by Rosa Tiel.", "is_supporting": True},
    {"idx": 1, "title": "Rosa Tiel", "paragraph_text": "Born in Torun.", "is_supporting": True},
    {"idx": 2, "title": "Torun", "paragraph_text": "A city.", "is_supporting": False},
]
_IRCOT = {
    "question_text": "Where was the author of Dusk born?",
    "answers_objects": [{**EMPTY, "spans": ["Torun"]}],
    "contexts": CONTEXTS,
}
IRCOT_HOTPOTQA = {**_IRCOT, "dataset": "hotpotqa", "question_id": "5ab92dba", "level": "hard", "type": "bridge"}
IRCOT_TWO_WIKI = {
    **_IRCOT, "question_id": "8813f87c0bdd11eba7f7acde48001122",
    "reasoning_steps": ["Dusk author Rosa Tiel", "Rosa Tiel place of birth Torun"],
}  # fmt: skip
IRCOT_MUSIQUE = {
    **_IRCOT, "question_id": "2hop__482757_12019",
    "reasoning_steps": ["Dusk >> author >>>> Rosa Tiel", "Where was Rosa Tiel born? >>>> Torun"],
}  # fmt: skip

CORPUS = [
    {"title": "Dusk", "text": "Dusk is a novel by Rosa Tiel.", "idx": 0},
    {"title": "Rosa Tiel", "text": "Rosa Tiel was born in Torun.", "idx": 1},
    {"title": "Emma", "text": "Emma is a novel by Jane Austen.", "idx": 2},
]
"""HippoRAG's corpus, which stands beside its questions."""
_OF_CORPUS = [{"title": each["title"], "text": each["text"], "is_supporting": each["idx"] == 1} for each in CORPUS]
NQ = {"id": "n1", "question": "where was rosa tiel born", "reference": ["Torun", "Thorn"], "contexts": _OF_CORPUS}
POPQA = {
    "id": 7, "question": "In what city was Rosa Tiel born?", "contexts": _OF_CORPUS,
    "obj": "Torun", "possible_answers": '["Torun", "Thorn"]', "o_wiki_title": "Toruń", "o_aliases": '["Thorn"]',
}  # fmt: skip
SERAG = {
    "id": "aa01", "question_type": "compositional", "question": "Where was the author of Dusk born?",
    "answer": "Torun", "source": "2wikimultihopqa",
    "evidence": [["Dusk", "author", "Rosa Tiel"], ["Rosa Tiel", "place of birth", "Torun"]],
    "evidence_relations": [["Dusk", "author", "Rosa Tiel"], ["Rosa Tiel", "place of birth", "Torun"]],
}  # fmt: skip
SERAG_MUSIQUE = {**SERAG, "id": "musique_3hop1__11_22_33", "question_type": "", "evidence": "", "source": "musique"}
ROW = {"id": "q1", "question": "Where was the author of Dusk born?", "answers": ["Kelmar", "Kelmar town"]}
