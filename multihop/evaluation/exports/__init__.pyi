from .eee_files import write_eee as write_eee
from .eval_results_file import write_eval_results as write_eval_results
from .flashrag_files import write_flashrag as write_flashrag
from .lm_eval_files import write_lm_eval as write_lm_eval
from .trec_files import write_trec as write_trec
