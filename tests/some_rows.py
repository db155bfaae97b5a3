"""Measured rows made up for tests of the rule that chooses among them."""

from multihop.experiments.choosing.measured import MeasuredFigure, MeasuredRow


def some_row(program="one-step", f1=40.0, half=4.0, *, tokens=1000, **other):
    """A row with these figures, in everything else like any other."""
    figure = MeasuredFigure(f1, f1 - half, f1 + half)
    usual = {
        "settings": {},
        "variant": "zero-shot",
        "lm": "tiny-1.5b",
        "size": 1.5,
        "structured": "schema",
        "set": "hotpotqa",
        "retriever": "bm25",
        "passages": 8000,
        "hops": 2.0,
        "n": 100,
        "em": figure,
        "calls": 1.0,
        "tokens_in": tokens - 20,
        "tokens_out": 20,
        "prefix_cached": None,
        "seconds": None,
        "unreadable": 0,
        "measured": "2026-11-01",
    }
    return MeasuredRow(program=program, f1=figure, **{**usual, **other})
