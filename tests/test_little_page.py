"""The tables of docs/little.md are the questions as they are; its blocks are run by tests/test_pages.py."""

from pathlib import Path

from scripts import load_script

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "little.md").read_text()
MAKER = load_script(DOCS / "make_little.py")


def test_the_page_has_the_questions_as_they_are():
    assert MAKER.with_questions(PAGE) == PAGE, "python docs/make_little.py writes them"


def test_a_question_stands_with_its_answers_its_way_and_its_part():
    assert MAKER.question_table(2).splitlines()[2] == (
        "| In which country was the discoverer of penicillin born? | Scotland or United Kingdom "
        "| Penicillin: *Alexander Fleming* → Alexander Fleming: *Scotland* | train |"
    )


def test_a_run_stands_with_what_it_found(tmp_path):
    figure = '{"mean": 0.4, "low": 0.25, "high": 0.55}'
    run = tmp_path / "ranked-rag-bm25"
    run.mkdir()
    (run / "summary.json").write_text(
        f'{{"metrics": {{"em": {figure}, "f1": {figure}, "recall@5": {figure}}}, "cost": {{"calls": {{"mean": 1.0}}}}}}'
    )
    assert MAKER.measured([run]).splitlines()[2] == (
        "| `ranked-rag` | `bm25` | 40.0 ± 15 | 40.0 ± 15 | 40.0 ± 15 | 1.0 |"
    )
