from itertools import pairwise

import dspy
import pytest
from exam_author import write_or_read

from multihop import BM25, InputError, Passage, load, open_questions, save, scripted
from multihop.__main__ import main
from multihop.evaluation.exam import draw_passages, write_exam
from multihop.evaluation.journal import read_rows
from multihop.programs.exam import WriteExam

NAMES = "Alba Bern Como Dole Elba Faro Graz Hull".split()
PAGES = [Passage(name, name, f"{name} lies behind {last} and ends in {name}x.") for last, name in pairwise(NAMES)]


def exam(tmp_path, pages=PAGES, **options):
    with dspy.context(lm=scripted(write_or_read)):
        program, drawn = WriteExam(BM25.build(pages), unanswerable=0), draw_passages(pages, 3)
        kept = write_exam(program, drawn, to=tmp_path / "e.jsonl", questions=3, **options)
        return kept, dspy.settings.lm.engine.prompts


def test_an_exam_is_a_file_of_questions_and_is_not_written_twice(tmp_path):
    kept, _ = exam(tmp_path)
    assert list(open_questions(tmp_path / "e.jsonl")) == kept
    assert all(len(question.supporting) == question.hops == 2 for question in kept)
    assert (*exam(tmp_path), len(kept)) == (kept, [], 3)
    assert draw_passages(PAGES, 3, seed=1) != draw_passages(PAGES, 3)


def test_what_was_finished_before_an_interruption_is_not_asked_again(tmp_path):
    with pytest.raises(ZeroDivisionError):
        exam(tmp_path, concurrency=1, watch=lambda row, before: 1 / 0)
    assert len(exam(tmp_path, concurrency=1)[0]) == 3
    ids = [row["id"] for row in read_rows(tmp_path / "e.jsonl.work")]
    assert len(ids) == len(set(ids))


def test_it_says_that_no_question_was_kept(tmp_path):
    with pytest.raises(InputError, match="none of 2 passages gave a question"):
        exam(tmp_path, [Passage("a", "", "Bread."), Passage("b", "", "Salt.")])


def test_a_compiled_program_is_loaded(tmp_path):
    program = WriteExam(BM25.build(PAGES), tries=1)
    program.describe.demos = [{"title": "A", "text": "A is by ___.", "kind": "", "description": "the author of A"}]
    save(program, tmp_path / "exam.json")
    assert load(tmp_path / "exam.json", BM25.build(PAGES), program=WriteExam).describe.demos == program.describe.demos


def test_the_built_in_lm_does_not_write(tmp_path, capsys):
    assert main(["exam", "little", "--lm", "local", "--to", str(tmp_path / "e.jsonl")]) == 2
    assert "does not write" in capsys.readouterr().err
