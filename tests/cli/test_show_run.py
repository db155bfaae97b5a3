import re

import pytest
import ujson

pytestmark = pytest.mark.usefixtures("tiny_encoder")


@pytest.fixture
def finished(run, tmp_path):
    out = tmp_path / "r"
    asked = ("evaluate", "one-step", "--lm", "local", "--set", "k=3", "--limit", 12, "--out", out)
    assert run(*asked)[0] == 0
    return out, [ujson.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]


def told(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_run_says_how_its_questions_went(run, finished):
    out, rows = finished
    code, text, err = run("show", out)
    assert (code, err) == (0, "")
    lines = told(text)
    assert lines[0].startswith("one-step on multihop/local@")
    kinds = {
        "right": [row["id"] for row in rows if row["metrics"]["em"] == 1],
        "wrong, all gold found": [
            row["id"] for row in rows if row["metrics"]["em"] == 0 and row["metrics"]["recall@K"] == 1
        ],
        "wrong, gold missing": [
            row["id"] for row in rows if row["metrics"]["em"] == 0 and row["metrics"]["recall@K"] < 1
        ],
    }
    assert sum(map(len, kinds.values())) == 12
    for kind, ids in kinds.items():
        shown = next((line for line in lines if line.startswith(f"{kind} {len(ids)} ")), None)
        assert (shown is None) == (not ids)
        if shown:
            named = shown.removeprefix(f"{kind} {len(ids)} ").removesuffix(" …").split(", ")
            assert all(any(re.fullmatch(re.escape(each).replace("…", ".+"), full) for full in ids) for each in named)


def test_a_question_is_shown_with_the_search_for_its_answer(run, finished):
    out, rows = finished
    row = next(row for row in rows if row["metrics"]["recall@K"] not in (0, 1))
    code, text, err = run("show", out, row["id"])
    lines = told(text)
    assert (code, err) == (0, "")
    answer = f"→ {row['answer']}"
    answered = lines.index(answer)
    assert lines[answered : answered + 2] == [answer, f"gold: {' / '.join(row['answers'])}"]
    hits = row["trajectory"][0]["hits"]
    marks = ["● " if hit["id"] in row["supporting"] else "" for hit in hits]
    passages = [
        f"{n}. {mark}{hit['title']} {hit['id']}" for n, (mark, hit) in enumerate(zip(marks, hits, strict=True), 1)
    ]
    assert lines[lines.index("passages") + 1 :][:3] == passages
    missing = [each for each in row["supporting"] if each not in [hit["id"] for hit in hits]]
    assert f"gold that is not among them: {', '.join(missing)}" in lines
    assert lines[lines.index("steps") + 1] == "one-step on local"
    assert lines[-1].startswith("1 LM call · 1 retrieval · ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["wq999"], "unknown question of "),
        (["--set", "k=3"], "a run's folder is shown alone, or with the id of one of its questions."),
    ],
)
def test_bad_input_is_one_sentence(run, finished, arguments, problem):
    code, out, err = run("show", finished[0], *arguments)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_a_question_of_what_is_no_run(run, tmp_path):
    assert run("show", tmp_path, "q1")[::2] == (2, f"multihop: {tmp_path} is not a run: it has no run.json.\n")
