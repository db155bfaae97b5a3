"""Runs as pages: one HTML file, opened from disk, that shows what was asked, what was found, and the search itself.

Here a run becomes plain values, one idea a module: what was run (`run_card`), what it came to (`figures`), the table of
its questions (`question_list`), one question with its search (`question_record` and `pictures`). Nothing here runs a
program or asks an LM; `page` puts the values into the file.
"""

from ..base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
