import json

from multihop.data import open_questions


def test_the_rows_of_the_hub(tmp_path):
    rows = [{"Question": "Who was president when it was founded?", "Answer": "James Monroe"}] * 2
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = open_questions(tmp_path / "test.jsonl")
    assert (first.question, first.answers) == (rows[0]["Question"], ("James Monroe",))
    assert second.id == f"{first.id}-2"
