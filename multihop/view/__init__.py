"""Runs as pages: one HTML file, opened from disk, that shows what was asked, what was found, and the search itself.

In `runs` a run becomes plain values, one idea a module: all of it in a sentence (`first_sentence`), what was run
(`run_card`), what it came to (`figures`), every question by its outcome (`outcomes`), the table of its questions
(`question_list`), one question with its search (`question_record`, and `pictures` beside it). Nothing here runs a
program or asks an LM; `page` puts the values into the file, in the fonts, colours and styles of `look`.
"""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
