"""The base of every method: the program, its branches, budget, calls, settings and record of steps.

A step of a question goes through these files, in this order:

- `program/program.py`: `ask` records the step and gives it its LM (`program/watched.py` shows it to those who watch);
- `lm_call/call.py`: the attempts until a completion can be parsed;
- `cost/budget.py`: each of them counted, and begun as long as the budget lasts;
- `lm_call/answering_lm.py`: the answer, kept or paid, and its tokens, so many at once;
- `lm_call/answer_cache.py`: whether and where the answer is kept (`lm_call/stores.py`, `cost/bill.py`).
"""

from ..base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
