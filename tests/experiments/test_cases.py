"""The questions of a set: the very ones that a paper shows, and those that cannot be used."""

import json
import re

import pytest
from small_corpus import write_lines

from multihop import InputError, scripted
from multihop.__main__ import main
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.experiment import QuestionSet
from multihop.experiments.study_inputs import StudyOptions, asked_sets, questions_asked
from multihop.view import write_study_page

FORTUNE, REBELS = open_experiment("resp-table-3").sets["hotpotqa"].asking
ASKED = [
    {"id": "q1", "question": "Who wrote Emma?", "answers": ["Jane Austen"]},
    {"id": "q2", "question": f"{REBELS} ", "answers": ["stunt performances"]},
    {"id": "q3", "question": FORTUNE.replace("Varnada", "VARNADA"), "answers": ["Charlie Murphy"]},
]
PAGE = {"id": "p1", "title": "Twisted Fortune", "text": "Twisted Fortune stars Charlie Murphy."}


@pytest.fixture
def files(tmp_path):
    return {
        "questions": write_lines(tmp_path / "dev.jsonl", ASKED),
        "corpus": write_lines(tmp_path / "corpus.jsonl", [PAGE]),
    }


def answer(prompt):
    """Enough at once, with the right answer to one of the questions."""
    said = {"answer": "Charlie Murphy", "thought": "So the answer is: Charlie Murphy.", "summary": "He is in it."}
    return {**said, "enough": True, "reasoning": "", "sub_question": "Who?", "answerable": True, "sub_answer": "He."}


def test_only_these_questions_are_asked_in_the_order_of_the_paper(files, tmp_path):
    table = reproduce("resp-table-3", out=tmp_path / "out", lm=scripted(answer), **files)
    assert [(row["row"], row["n"], row["cells"][0]["ours"]) for row in table["rows"]] == [
        ("IRCoT", 2, 50.0), ("ReSP", 2, 50.0)
    ]  # fmt: skip
    assert table["cases"]
    asked = asked_sets(open_experiment("resp-table-3"), StudyOptions(questions=files["questions"]))
    assert [each.id for each in questions_asked(asked["hotpotqa"])] == ["q3", "q2"]


def test_the_page_has_all_searches_and_the_table_above_them(files, tmp_path):
    reproduce("resp-table-3", out=tmp_path / "out", lm=scripted(answer), concurrency=1, **files)  # one after the other
    page = write_study_page(tmp_path / "out", tmp_path / "page.html").read_text()
    assert "<h1>Two questions, as IRCoT and as ReSP plan for them</h1>" in page
    assert page.count("<h1>") == 1
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert [run["name"] for run in data["runs"]] == ["IRCoT", "ReSP"]
    assert [run["questions"]["id"] for run in data["runs"]] == [["q3", "q2"]] * 2
    assert page.index('<table class="figures study">') < page.index('<table class="figures differences">')


def test_a_set_without_them_is_refused_before_anything_is_asked(files, tmp_path, capsys):
    write_lines(tmp_path / "dev.jsonl", [ASKED[1]])
    with pytest.raises(InputError, match=re.escape(f"dev.jsonl has no question '{FORTUNE}'; give a file that has it")):
        reproduce("resp-table-3", out=tmp_path / "out", lm=scripted([]), **files)
    assert main(["reproduce", "resp-table-3", "--dry-run", "-q", "little"]) == 0
    assert "2 runs, 4 questions" in capsys.readouterr().out


def test_a_repeated_question_is_refused_unless_the_set_may_leave_out_what_cannot_be_used(tmp_path):
    once, again = ({"id": name, "question": "Where?", "answers": ["Ulm"], "supporting": ["p1"]} for name in "ab")
    file = write_lines(tmp_path / "questions.jsonl", [once, once, again])
    with pytest.raises(InputError, match="'a' is already used"):
        list(questions_asked(QuestionSet(name="mine", title="Mine", questions=file)))
    asked = QuestionSet(name="mine", title="Mine", questions=file, skip_bad=1)
    assert [question.id for question in questions_asked(asked)] == ["a", "b"]


def test_other_questions_than_the_set_names_may_leave_out_none():
    sets = asked_sets(open_experiment("zero-token"), StudyOptions(questions={"meqa": "little"}))
    assert (sets["meqa"].skip_bad, sets["hotpotqa"].skip_bad) == (0, 0)
    assert asked_sets(open_experiment("zero-token"), StudyOptions())["meqa"].skip_bad == 50


def test_a_table_of_files_that_no_command_fetches_says_what_to_do():
    with pytest.raises(InputError, match="no command fetches hotpotqa.dev.jsonl.gz, .* with --data"):
        questions_asked(open_experiment("zero-token").sets["hotpotqa"])
