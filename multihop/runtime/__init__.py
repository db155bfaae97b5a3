"""The base of every method: the program, its branches, its calls of LMs, and the record and cost of a question.

A step of a question goes through four files, in this order:

- `program.py`: `ask` puts the step on record and says how it is asked;
- `call.py`: the attempts until a completion can be read, each begun while the budget (`cost.py`) lasts;
- `step_lm.py`: the answer, kept (`cache.py`) or paid, and booked;
- `adapters.py`: the form in which the prompt is written.
"""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
