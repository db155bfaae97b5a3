"""Tables of pages are what the commands above them print: docs/make_figures.py, here with three questions or one."""

from pathlib import Path

import pytest
from scripts import load_script

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = load_script(DOCS / "make_figures.py")
SMALL = FIGURES.SMALL.read_text()
NOT_SMALL = ("rules", "clock")
"""Tables of `local`, which an encoder of another processor may change, and of times."""


def test_every_simulated_table_is_also_there_small():
    blocks = "".join(found[1] for page in DOCS.rglob("*.md") for found in FIGURES.BLOCK.finditer(page.read_text()))
    simulated = [each for each in blocks.splitlines() if "searches.py" in each and not each.endswith(NOT_SMALL)]
    assert len(simulated) > 4
    assert [command for command in simulated if f"{command} --questions " not in SMALL] == []


def test_a_digit_that_differs_is_told_and_what_is_published_stays(monkeypatch, tmp_path, capsys):
    page = tmp_path / "page.md"
    table = "| set | F1 | seconds |\n| --- | ---: | ---: |\n"
    page.write_text(f"```bash\npython benchmarks/x.py\n```\n\n{table}| the paper | 9 | |\n| a | 1.0 (2.0) | 5 |\n")
    monkeypatch.setattr(FIGURES, "SHARED", tmp_path)
    monkeypatch.setattr(FIGURES, "printed", lambda command: f"{table}| a | 1.5 | 7 |\n")
    assert FIGURES.main(["--check", str(page)]) == 1
    assert "| a | 1.5 (2.0) | 5 |" in capsys.readouterr().out
    assert (FIGURES.main(["--fill", str(page)]), FIGURES.main(["--check", str(page)])) == (0, 0)
    assert "| the paper | 9 |" in page.read_text()


@pytest.mark.seconds
@pytest.mark.skipif(not FIGURES.SHARED.is_dir(), reason=f"the question sets are not there: {FIGURES.SHARED}")
def test_with_few_questions_the_tables_are_those_of_the_record(capsys):
    assert FIGURES.main(["--check", "--small"]) == 0, capsys.readouterr().out
