import json

import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_questions

EVIDENCE = [
    {
        "title": "Dusk opens",
        "author": "A. Dahl",
        "url": "https://times.example/dusk",
        "source": "Times",
        "category": "film",
        "published_at": "2023-11-01T08:00:00+00:00",
        "fact": "Dusk opened on Friday.",
    },
    {"title": "Dusk closes", "url": "https://post.example/2", "source": "Post", "fact": "Dusk closed on Sunday."},
]
ROWS = [
    {
        "query": "Did Dusk open after it closed?",
        "answer": "No",
        "question_type": "temporal_query",
        "evidence_list": [*EVIDENCE, {**EVIDENCE[0], "fact": "It was raining."}],
    },
    {"query": "Who?", "answer": "Insufficient information.", "question_type": "null_query", "evidence_list": []},
]
ARTICLES = [{**{k: v for k, v in each.items() if k != "fact"}, "body": f"{each['fact']} More."} for each in EVIDENCE]


def write(path, rows):
    path.write_text(json.dumps(rows))
    return path


def test_the_released_questions(tmp_path):
    first, null = open_questions(write(tmp_path / "MultiHopRAG.json", ROWS))
    assert (first.question, first.answers, first.type) == (ROWS[0]["query"], ("No",), "temporal_query")
    assert first.supporting == ("https://times.example/dusk", "https://post.example/2")
    assert (first.hops, null.hops) == (2, 0)
    assert (null.answers, null.supporting) == (("Insufficient information.",), ())


def test_its_corpus_has_the_same_ids(tmp_path):
    passages = list(open_corpus(write(tmp_path / "corpus.json", ARTICLES)))
    assert [passage.id for passage in passages] == ["https://times.example/dusk", "https://post.example/2"]
    assert passages[1][1:] == ("Dusk closes", "Dusk closed on Sunday. More.")


def test_evidence_without_an_address(tmp_path):
    row = {**ROWS[0], "evidence_list": [{"title": "Dusk"}]}
    path = write(tmp_path / "q.json", [row, row])
    with pytest.raises(InputError, match=r"q\.json, item 1, evidence_list\[0\]: no field 'url'"):
        list(open_questions(path))
