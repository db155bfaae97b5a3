"""The questions of a set: those that cannot be used stop a study, unless the set may leave them out."""

import pytest

from multihop.base import InputError
from multihop.experiments import open_experiment
from multihop.experiments.experiment import QuestionSet
from multihop.experiments.study_inputs import StudyOptions, asked_sets, questions_asked

LINE = '{{"id": "{id}", "question": "Where?", "answers": ["Ulm"], "supporting": ["p1"]}}\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text(LINE.format(id="a") + LINE.format(id="a") + LINE.format(id="b"))
    return str(path)


def test_a_repeated_question_is_refused(file):
    with pytest.raises(InputError, match="'a' is already used"):
        list(questions_asked(QuestionSet(name="mine", title="Mine", questions=file)))


def test_a_set_may_leave_out_what_cannot_be_used(file):
    asked = QuestionSet(name="mine", title="Mine", questions=file, skip_bad=1)
    assert [question.id for question in questions_asked(asked)] == ["a", "b"]


def test_other_questions_may_leave_out_none():
    sets = asked_sets(open_experiment("zero-token"), StudyOptions(questions={"meqa": "little"}))
    assert (sets["meqa"].skip_bad, sets["hotpotqa"].skip_bad) == (0, 0)
    assert asked_sets(open_experiment("zero-token"), StudyOptions())["meqa"].skip_bad == 50
