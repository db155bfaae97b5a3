from itertools import pairwise

import dspy
import pytest
import ujson
from exam_author import write_or_read

from multihop import BM25, InputError, Passage, load, open_questions, save, scripted
from multihop.__main__ import main
from multihop.evaluation.exam import draw_passages, write_exam
from multihop.programs.exam import WriteExam

NAMES = "Alba Bern Como Dole Elba Faro Graz Hull".split()
PAGES = [Passage(name, name, f"{name} lies behind {last} and ends in {name}x.") for last, name in pairwise(NAMES)]


def exam(tmp_path, reply=write_or_read, questions=3, pages=PAGES, **options):
    lm = scripted(reply)
    with dspy.context(lm=lm):
        program = WriteExam(BM25.build(pages), unanswerable=0)
        kept = write_exam(
            program, draw_passages(pages, questions), to=tmp_path / "e.jsonl", questions=questions, **options
        )
    return kept, lm.engine.prompts


def test_an_exam_is_a_file_of_questions_and_is_not_written_twice(tmp_path):
    kept, _ = exam(tmp_path)
    assert list(open_questions(tmp_path / "e.jsonl")) == kept
    assert all(len(question.supporting) == question.hops == 2 for question in kept)
    again, none = exam(tmp_path)
    assert (again, none, len(kept)) == (kept, [], 3)
    assert [each.id for each in draw_passages(PAGES, 3, seed=1)] != [each.id for each in draw_passages(PAGES, 3)]


def test_what_was_finished_before_an_interruption_is_not_asked_again(tmp_path):
    def stop(row, before):
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        exam(tmp_path, concurrency=1, watch=stop)
    kept, _ = exam(tmp_path, concurrency=1)
    ids = [ujson.loads(line)["id"] for line in (tmp_path / "e.jsonl.work" / "questions.jsonl").open()]
    assert (len(ids), len(kept)) == (len(set(ids)), 3)


def test_it_says_why_no_question_was_kept(tmp_path):
    with pytest.raises(InputError, match="none of 2 passages gave a question: 2 share no name"):
        exam(tmp_path, pages=[Passage("a", "", "Bread."), Passage("b", "", "Salt.")])


def test_a_compiled_program_is_loaded(tmp_path):
    index = BM25.build(PAGES)
    program = WriteExam(index, tries=1)
    program.describe.demos = [{"passage": "A | B", "name": "B", "sentence": "B", "description": "the b"}]
    save(program, tmp_path / "exam.json")
    assert load(tmp_path / "exam.json", index, program=WriteExam).describe.demos == program.describe.demos


def test_the_built_in_lm_does_not_write(tmp_path, capsys):
    assert main(["exam", "little", "--lm", "local", "--to", str(tmp_path / "e.jsonl")]) == 2
    assert "does not write" in capsys.readouterr().err
