"""A finished run in the files of other tools, so that it can be put beside what they have measured."""

from .flashrag_files import write_flashrag
from .lm_eval_files import write_lm_eval
from .trec_files import write_trec

__all__ = ["write_flashrag", "write_lm_eval", "write_trec"]
