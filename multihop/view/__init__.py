"""Runs as pages: one HTML file, opened from disk, that shows what was asked, what was found, and the search itself.

A run becomes plain values first: its headline, its card, its figures, the outcome of every question, and each question
with its search as a picture. Nothing here runs a program or asks an LM; `page` puts the values into the file.
"""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
