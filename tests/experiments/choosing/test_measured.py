from some_rows import some_row

from multihop.experiments.choosing.lm_kind import lm_kind
from multihop.experiments.choosing.measured import measured_rows
from multihop.programs import PROGRAMS
from multihop.runtime import settings_of


def test_the_method_in_words():
    assert some_row().title == "one-step over bm25"
    assert some_row("direct", retriever=None, variant="labeled-3").title == "direct, labeled-3"
    assert some_row("tor", settings={"widths": [4, 2], "order": "by-level"}).title == (
        "tor (widths=[4,2] order=by-level) over bm25"
    )
    assert some_row("tor", settings={"budget": {"calls": 25}}).title == "tor (at most 25 calls) over bm25"


def test_every_row_that_ships_can_be_run_and_makes_sense():
    rows = measured_rows()
    assert len({row.key for row in rows}) == len(rows)
    for row in rows:
        program = PROGRAMS[row.program]
        assert set(row.settings) <= set(settings_of(program))
        assert program.retrieves == (row.retriever is not None)
        for figure in (row.em, row.f1):
            assert 0 <= figure.low <= figure.mean <= figure.high <= 100
        assert row.em.mean <= row.f1.mean
        assert row.n >= 20
        assert row.calls >= 1
        assert row.tokens_in > 0
        assert "simulated" not in row.lm


def test_the_built_in_lms_have_rows_on_every_set():
    for lm in ("local", "lexical"):
        known = {row.set for row in measured_rows() if row.kind == lm_kind(lm)}
        assert known == {"hotpotqa", "2wikimultihopqa", "musique"}
